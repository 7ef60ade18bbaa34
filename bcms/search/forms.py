"""The search form: the filters of the search page and REST, read from the query string."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.urls import reverse_lazy
from django.utils.http import urlencode
from django.utils.safestring import mark_safe

from annotations.articles.models import Corpus
from annotations.formats.articles.parsed_article import ArticleIds, parse_article_ids_by_list_part
from annotations.results.models import Producer
from annotations.search.article_search import SearchCriteria, SearchOrder
from annotations.search.paging import BadCursorError, PageCursor, parse_page_cursor_unless_empty
from bcms.lib.rest.query_parameters import FLAG_VALUES
from evaluation.visibility import ANONYMOUS_READER, list_visible_corpora, list_visible_producers
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.review.states import ReviewState
from servers.teams.permissions import User, list_own_teams_or_all_for_staff

LONGEST_SEARCH = 500
# Identifiers that fit into a URL of the length that every web server accepts.
LONGEST_LIST = 4000
LONGEST_TYPE = 100
# The filters to which a minimum confidence applies.
ANNOTATION_FILTERS = ("type", "mention", "entity", "pair", "relation", "method")
# Each takes a query, and one more condition.
MOST_ENTITIES = 5
FIRST_YEAR, LAST_YEAR = 1500, 2200
MOST_SERVERS = 10_000
ORDERS = {
    SearchOrder.RELEVANCE: "most relevant first",
    SearchOrder.NEWEST: "newest first",
    SearchOrder.PPI: "most likely interaction articles first",
    SearchOrder.SERVERS: "most servers first",
    SearchOrder.DISAGREEMENT: "most disagreement first",
}
NOTHING_WITH_CONFIDENCE = (
    "Enter what must have this confidence, too: an entity type, a mention, an entity, related entities, a type of "
    "relation or a method."
)
YEAR_ERROR = f"Enter a year as a number from {FIRST_YEAR} to {LAST_YEAR}."
# Browsers send "on" for a checked box.
CHECKED = ("on", *(text for text, checked in FLAG_VALUES.items() if checked))
PLAIN_FRACTION = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?")
CONFIDENCE_ERROR = "Enter a confidence as a number from 0 to 1."
COUNT_ERROR = f"Enter a number of servers, from 1 to {MOST_SERVERS:,}."
# The span keeps browsers from breaking the line after the minus sign.
KEYWORDS_HELP = mark_safe(
    'Finds articles with all keywords. Use “a phrase”, this or that, and <span class="unbroken">-without</span>. '
    "Sjögren also finds Sjogren, but not the reverse."
)


class SearchTextField(forms.CharField):
    """A line of text that PostgreSQL can search for."""

    default_error_messages = {
        "max_length": "Search with at most %(limit_value)d characters.",
        "null_characters_not_allowed": "Remove the NUL character.",
    }

    def __init__(
        self,
        label: str,
        help_text: str = "",
        widget: type[forms.Widget] = forms.TextInput,
        longest: int = LONGEST_SEARCH,
    ) -> None:
        super().__init__(
            required=False,
            label=label,
            help_text=help_text,
            max_length=longest,
            widget=widget(attrs={"autocomplete": "off"}),
        )


class FlagInput(forms.CheckboxInput):
    """A check box that hands on what the query string has; Django's takes any text for a checked box, 0 included."""

    def __init__(self) -> None:
        super().__init__(check_test=lambda value: str(value).lower() in CHECKED)

    def value_from_datadict(self, data: Mapping[str, Any], files: object, name: str) -> Any:
        return str(data.get(name, ""))


class FlagField(forms.BooleanField):
    """Whether a filter is on: a checked box, or true or 1 in the query string."""

    widget = FlagInput

    def to_python(self, value: Any) -> bool:
        if value and value.lower() not in (*CHECKED, *FLAG_VALUES):
            raise forms.ValidationError("Send true or 1 for yes, false or 0 for no.")
        return value.lower() in CHECKED


class PlainNumberField(forms.IntegerField):
    """A number in digits 0 to 9; Django's takes 1_999, +1999, 1999.0 and digits of other scripts as well."""

    def to_python(self, value: Any) -> int | None:
        if value and not (value.strip().isascii() and value.strip().isdecimal()):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


def _make_number_field(label: str, message: str, least: int, most: int, help_text: str = "") -> forms.IntegerField:
    messages = dict.fromkeys(("invalid", "min_value", "max_value"), message)
    return PlainNumberField(
        required=False, label=label, min_value=least, max_value=most, help_text=help_text, error_messages=messages
    )


class PlainFractionField(forms.FloatField):
    """A number as in JSON; Django's takes 0_1 and digits of other scripts as well."""

    def to_python(self, value: Any) -> Any:
        if value and not PLAIN_FRACTION.fullmatch(value.strip()):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


def _make_confidence_field() -> forms.FloatField:
    return PlainFractionField(
        required=False,
        label="Minimum confidence",
        min_value=0,
        max_value=1,
        help_text="from 0 to 1, of the annotation with the type, mention, entity, relation or method",
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), CONFIDENCE_ERROR),
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


@dataclass(frozen=True, slots=True)
class FilterChip:
    """An active filter; without is the query string of the same search without it."""

    label: str
    without: str


# Lists of types on the page, and where the script gets names to suggest.
SUGGESTED_ENTRIES = {"data-suggest": reverse_lazy("api-entries")}
WIDGET_ATTRIBUTES: Mapping[str, Mapping[str, Any]] = {
    "type": {"list": "entity-types"},
    "relation": {"list": "relation-types"},
    "entity": {**SUGGESTED_ENTRIES, "data-separator": ";"},
    "pair": {**SUGGESTED_ENTRIES, "data-separator": ";"},
    "method": {**SUGGESTED_ENTRIES, "data-namespace": "psi-mi"},
}


class SearchForm(forms.Form):
    """The search form. All fields are optional; an article must match all that are filled in."""

    q = SearchTextField("Keywords", KEYWORDS_HELP, forms.SearchInput)
    id = SearchTextField("Identifier", "one or more PMIDs, PMCIDs or DOIs, separated by spaces", longest=LONGEST_LIST)
    journal = SearchTextField("Journal", "words of its name, as PubMed abbreviates it")
    year_from = _make_number_field("From year", YEAR_ERROR, FIRST_YEAR, LAST_YEAR)
    year_to = _make_number_field("To year", YEAR_ERROR, FIRST_YEAR, LAST_YEAR)
    gene = SearchTextField("Gene or protein", "name, or identifier such as uniprot:P04637")
    taxon = SearchTextField("Organism", "name, or NCBI Taxonomy number")
    type = SearchTextField("Entity type", "for example Disease", longest=LONGEST_TYPE)
    mention = SearchTextField("Mention", "its text, such as TNF-alpha")
    entity = SearchTextField(
        "Entity", "name, or identifier such as MESH:D001943; or several, separated by semicolons, for articles with all"
    )
    pair = SearchTextField("Related entities", "two names or identifiers, separated by a semicolon: TP53; MDM2")
    relation = SearchTextField("Type of relation", "for example Association", longest=LONGEST_TYPE)
    method = SearchTextField("Method", "of PSI-MI: name, or identifier such as MI:0018")
    confidence = _make_confidence_field()
    server = forms.ModelChoiceField(
        Server.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label="any server",
        label="Server",
    )
    servers = _make_number_field("Minimum number of servers", COUNT_ERROR, 1, MOST_SERVERS)
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), required=False, to_field_name="slug", empty_label="all articles", label="Corpus"
    )
    ppi = FlagField(required=False, label="Likely about protein interactions")
    disagree = FlagField(required=False, label="Servers disagree")
    curated = FlagField(required=False, label="With a published digital abstract")
    sort = forms.ChoiceField(required=False, label="Order", choices=[("", "best match, or newest"), *ORDERS.items()])
    cursor = forms.CharField(required=False, max_length=100, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, user: User) -> None:
        super().__init__(data)
        self.fields["corpus"].queryset = list_visible_corpora(user).order_by("name", "pk")  # type: ignore[attr-defined]
        self.user = user
        self.fields["server"].queryset = _list_searchable_servers(user)  # type: ignore[attr-defined]
        self.fields["q"].widget.attrs.update({"aria-label": "PMID or keywords", "placeholder": "PMID or keywords"})
        for name in ("server", "corpus"):
            message = f"There is no {name} “%(value)s”. Choose one from the list."
            self.fields[name].error_messages["invalid_choice"] = message
        for name, attributes in WIDGET_ATTRIBUTES.items():
            self.fields[name].widget.attrs.update(attributes)
        orders = ", ".join(SearchOrder)
        self.fields["sort"].error_messages["invalid_choice"] = f"There is no such order. Choose one of {orders}."

    def clean_id(self) -> tuple[ArticleIds, ...]:
        names = parse_article_ids_by_list_part(self.cleaned_data["id"])
        for part, name in names.items():
            if not name:
                raise forms.ValidationError(
                    f"“{part[:50]}” is not an identifier. Enter PMIDs (16054130), PMCIDs (PMC3460867) or DOIs "
                    "(10.1000/x), separated by spaces."
                )
        return tuple(names.values())

    def clean_cursor(self) -> PageCursor | None:
        try:
            return parse_page_cursor_unless_empty(self.cleaned_data["cursor"])
        except BadCursorError as error:
            raise forms.ValidationError(str(error)) from error

    def clean_entity(self) -> tuple[str, ...]:
        names = list(dict.fromkeys(_split_at_semicolons(self.cleaned_data["entity"])))
        if len(names) > MOST_ENTITIES:
            raise forms.ValidationError(f"Enter at most {MOST_ENTITIES} names or identifiers.")
        return tuple(names)

    def clean_pair(self) -> tuple[str, str] | None:
        names = _split_at_semicolons(self.cleaned_data["pair"])
        if not names:
            return None
        if len(names) != 2:
            raise forms.ValidationError(
                "Enter two names or identifiers, separated by a semicolon: TP53; MDM2. To find one, use the field "
                "Entity."
            )
        return names[0], names[1]

    def clean(self) -> dict[str, Any]:
        since, until = self.cleaned_data.get("year_from"), self.cleaned_data.get("year_to")
        if since and until and since > until:
            self.add_error("year_to", "The last year must not be before the first year.")
        if self.cleaned_data.get("confidence") is not None and not any(map(self.data.get, ANNOTATION_FILTERS)):
            self.add_error("confidence", NOTHING_WITH_CONFIDENCE)
        return self.cleaned_data

    def build_search_criteria(self) -> SearchCriteria:
        """The search criteria of a valid form. One query if a server is chosen."""
        values = self.cleaned_data
        producers = _find_searchable_producers(values["server"], self.user) if values["server"] else {}
        return SearchCriteria(
            words=values["q"],
            names=values["id"],
            journal=values["journal"],
            since=values["year_from"],
            until=values["year_to"],
            gene=values["gene"],
            taxon=values["taxon"],
            entity_type=values["type"],
            mention=values["mention"],
            entities=values["entity"],
            pair=values["pair"],
            relation_type=values["relation"],
            method=values["method"],
            confidence=values["confidence"],
            producers=tuple(producers) if values["server"] else None,
            hidden_producers=tuple(pk for pk, public in producers.items() if not public),
            servers=values["servers"] or 0,
            likely=values["ppi"],
            disagreeing=values["disagree"],
            curated=values["curated"],
            corpus=values["corpus"].pk if values["corpus"] else None,
            order=SearchOrder(values["sort"]) if values["sort"] else None,
        )

    def build_query_string(self, **changes: str) -> str:
        """The query string of this search with these changes, without empty fields and without the present cursor."""
        values = {name: self.data.get(name, "") for name in self.fields if name != "cursor"} | changes
        return "?" + urlencode({name: value for name, value in values.items() if value})

    def iter_chips(self) -> Iterator[FilterChip]:
        """The active filters of a valid form, apart from the words and the order."""
        for name in self.fields:
            value = self.cleaned_data.get(name)
            # A confidence of 0 is a filter: it finds annotations that have one.
            if name not in ("q", "sort", "cursor") and (value or (name == "confidence" and value is not None)):
                yield FilterChip(
                    _format_chip_label(name, str(self.fields[name].label), value), self.build_query_string(**{name: ""})
                )


def _split_at_semicolons(text: str) -> list[str]:
    return [name for part in text.split(";") if (name := part.strip())]


def _format_chip_label(name: str, label: str, value: Any) -> str:
    match name:
        case "ppi" | "disagree" | "curated":
            return label.lower()
        case "id":
            first = value[0]
            return f"{len(value)} identifiers" if len(value) > 1 else first.pmcid or first.doi or f"PMID {first.pmid}"
        case "servers":
            return f"{value} server{'s' * (value > 1)} or more"
        case "pair" | "entity":
            return f"{label.lower()}: {' and '.join(value)}"
        case "confidence":
            return f"confidence {value:g} or more"
        case "year_from":
            return f"since {value}"
        case "year_to":
            return f"until {value}"
        case _:
            return f"{label.lower()}: {value}"


def _list_searchable_servers(user: User) -> QuerySet[Server]:
    """The accepted servers, and those of the user's own teams, whether they are accepted or not."""
    teams = list_own_teams_or_all_for_staff(user).values("pk")
    searchable = Q(review=ReviewState.ACCEPTED) | Q(team__in=teams)
    return Server.objects.filter(searchable).order_by("name", "pk")


def _find_searchable_producers(server: Server, user: User) -> dict[int, bool]:
    """For each of the server's searchable producers, of its LIVE queue and of published phases, whether it is public.

    That of the LIVE queue of a server of the user's own teams need not be public.
    """
    public = Q(pk__in=list_visible_producers(ANONYMOUS_READER).values("pk"))
    own = Q(queue__mode=QueueMode.LIVE, queue__server__team__in=list_own_teams_or_all_for_staff(user).values("pk"))
    producers = Producer.objects.filter(public | own, queue__server=server)
    return dict(producers.values_list("pk", "public"))
