"""What one may wish for when looking for articles, as the page and the API take it from an address."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.safestring import mark_safe

from annotations.finding import Order, Wish
from annotations.formats.read_article import Name, names_of
from annotations.models import Corpus
from annotations.paging import BadCursorError, Cursor, read_cursor
from bcms.visibility import User, corpora_seen_by, producers_seen_by
from servers.models import Server

LONGEST = 500
# As many identifiers as fit into an address that every web server takes.
LONGEST_LIST = 4000
FIRST_YEAR, LAST_YEAR = 1500, 2200
MOST_SERVERS = 10_000
ORDERS = {
    Order.RELEVANCE: "most relevant first",
    Order.NEWEST: "newest first",
    Order.PPI: "likeliest interaction articles first",
    Order.SERVERS: "most servers first",
    Order.DISAGREEMENT: "most disagreement first",
}
YEAR = f"Enter a year as a number between {FIRST_YEAR} and {LAST_YEAR}."
COUNT = f"Enter the number of servers, from 1 to {MOST_SERVERS:,}."
# Lines break behind a hyphen, and a minus far from its word says nothing.
HELP = mark_safe(
    'All words must be there; also “a phrase”, this or that, <span class="unbroken">-without</span>. '
    "Sjögren finds Sjogren, too, but not the reverse"
)


class Words(forms.CharField):
    """A line of text that PostgreSQL takes."""

    default_error_messages = {
        "max_length": "Search with at most %(limit_value)d characters.",
        "null_characters_not_allowed": "Search without the character NUL.",
    }

    def __init__(
        self, label: str, help_text: str = "", widget: type[forms.Widget] = forms.TextInput, longest: int = LONGEST
    ) -> None:
        shown = widget(attrs={"autocomplete": "off"})
        super().__init__(required=False, label=label, help_text=help_text, max_length=longest, widget=shown)


def number(label: str, message: str, least: int, most: int, help_text: str = "") -> forms.IntegerField:
    messages = dict.fromkeys(("invalid", "min_value", "max_value"), message)
    return forms.IntegerField(
        required=False, label=label, min_value=least, max_value=most, help_text=help_text, error_messages=messages
    )


@dataclass(frozen=True, slots=True)
class Chip:
    """A wish that is in force; without is the address of the same search without it."""

    label: str
    without: str


class FindForm(forms.Form):
    """All fields are optional; what they find is what has all that is asked for."""

    q = Words("Words", HELP, forms.SearchInput)
    id = Words("Identifier", "PMID, PMCID or DOI, or several with blanks between", longest=LONGEST_LIST)
    journal = Words("Journal", "words of its name, as PubMed abbreviates it")
    year_from = number("From year", YEAR, FIRST_YEAR, LAST_YEAR)
    year_to = number("To year", YEAR, FIRST_YEAR, LAST_YEAR)
    gene = Words("Gene or protein", "name, or identifier such as uniprot:P04637")
    taxon = Words("Organism", "name, or NCBI Taxonomy number")
    server = forms.ModelChoiceField(
        Server.objects.order_by("name", "pk"),
        required=False,
        to_field_name="slug",
        empty_label="any server",
        label="Server",
    )
    servers = number("At least so many servers", COUNT, 1, MOST_SERVERS)
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), required=False, to_field_name="slug", empty_label="all articles", label="Corpus"
    )
    ppi = forms.BooleanField(required=False, label="Likely about protein interactions")
    disagree = forms.BooleanField(required=False, label="Servers disagree")
    sort = forms.ChoiceField(required=False, label="Order", choices=[("", "best match, or newest"), *ORDERS.items()])
    cursor = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, user: User) -> None:
        super().__init__(data)
        self.fields["corpus"].queryset = corpora_seen_by(user).order_by("name", "pk")  # type: ignore[attr-defined]
        self.fields["q"].widget.attrs.update({"aria-label": "PMID or words", "placeholder": "PMID or words"})
        for name, what in (("server", "server"), ("corpus", "corpus")):
            said = f"There is no {what} “%(value)s” here; choose one of the list."
            self.fields[name].error_messages["invalid_choice"] = said
        words = ", ".join(Order)
        self.fields["sort"].error_messages["invalid_choice"] = f"There is no such order; choose one of {words}."

    def clean_id(self) -> tuple[Name, ...]:
        names = names_of(self.cleaned_data["id"])
        for part, name in names.items():
            if not name:
                raise forms.ValidationError(
                    f"“{part[:50]}” is no identifier: enter a PMID (digits), a PMCID (PMC and digits) or a DOI (10., a "
                    "number, a slash and more), or several with blanks between."
                )
        return tuple(names.values())

    def clean_cursor(self) -> Cursor | None:
        try:
            return read_cursor(self.cleaned_data["cursor"])
        except BadCursorError as error:
            raise forms.ValidationError(str(error)) from error

    def clean(self) -> dict[str, Any]:
        since, until = self.cleaned_data.get("year_from"), self.cleaned_data.get("year_to")
        if since and until and since > until:
            self.add_error("year_to", "The last year is before the first one: exchange them.")
        return self.cleaned_data

    def wish(self) -> Wish:
        """What a valid form asks for. One query if a server is asked for."""
        given = self.cleaned_data
        return Wish(
            words=given["q"],
            names=given["id"],
            journal=given["journal"],
            since=given["year_from"],
            until=given["year_to"],
            gene=given["gene"],
            taxon=given["taxon"],
            producers=public_producers(given["server"]) if given["server"] else None,
            servers=given["servers"] or 0,
            likely=given["ppi"],
            disagreeing=given["disagree"],
            corpus=given["corpus"].pk if given["corpus"] else None,
            order=Order(given["sort"]) if given["sort"] else None,
        )

    def address(self, **changes: str) -> str:
        """The query of this search, with what is empty left out; without a cursor, unless it is among the changes."""
        given = {name: self.data.get(name, "") for name in self.fields if name != "cursor"} | changes
        return "?" + urlencode({name: value for name, value in given.items() if value})

    def chips(self) -> Iterator[Chip]:
        for name in self.fields:
            if name not in ("q", "sort", "cursor") and (value := self.cleaned_data.get(name)):
                yield Chip(chip_label(name, str(self.fields[name].label), value), self.address(**{name: ""}))


def chip_label(name: str, label: str, value: Any) -> str:
    match name:
        case "ppi" | "disagree":
            return label.lower()
        case "id":
            first = value[0]
            return f"{len(value)} identifiers" if len(value) > 1 else first.pmcid or first.doi or f"PMID {first.pmid}"
        case "servers":
            return f"{value} server{'s' * (value > 1)} or more"
        case "year_from":
            return f"since {value}"
        case "year_to":
            return f"until {value}"
        case _:
            return f"{label.lower()}: {value}"


def public_producers(server: Server) -> tuple[int, ...]:
    """What the server says for everybody: of its live queue, and of the phases that are published."""
    own = producers_seen_by(AnonymousUser()).filter(queue__server=server)
    return tuple(own.values_list("pk", flat=True))
