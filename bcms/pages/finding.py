"""The search for articles: what is wished for, what is found, and where one is in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.handlers.wsgi import WSGIRequest
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotations.finding import MOST_COUNTED, MOST_RANKED, Order, Wish, counted, foremost, found, rank
from annotations.formats.exports import EXPORTS, Export
from annotations.formats.read_article import Name, name_of, names_of
from annotations.models import Article
from annotations.paging import leaf
from bcms.find_form import ORDERS, Chip, FindForm
from bcms.pages.hits import Hit, hits
from bcms.requesting import ident_of
from bcms.unknown_names import UnknownName, unknown_names
from bcms.visibility import articles_seen_by
from evaluation.time_saved import TimeSaved, time_saved

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Findings:
    """A page of what was found; following and preceding are the addresses of the pages beside it, or empty.

    count is that of annotations.finding.counted().
    """

    count: int
    hits: Sequence[Hit]
    order: str
    following: str = ""
    preceding: str = ""
    saved: TimeSaved | None = None

    @property
    def total(self) -> str:
        return f"{self.count:,}" if self.count <= MOST_COUNTED else f"more than {MOST_COUNTED:,}"


@dataclass(frozen=True, slots=True)
class Remark:
    """A name in a filter because of which nothing was found; links: names like it, with what finds them."""

    name: UnknownName
    links: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Search:
    """What the page shows; unknown: words that are the name of an article which is not here; absent: those of a list
    of names."""

    form: FindForm
    words: str
    unknown: Name = field(default_factory=Name)
    absent: Sequence[str] = ()
    chips: Sequence[Chip] = ()
    findings: Findings | None = None
    remarks: Sequence[Remark] = ()
    exports: Sequence[Export] = ()

    @property
    def asked(self) -> str:
        """The query of this search, for the addresses of its files."""
        return self.form.address()

    @property
    def without_filters(self) -> str:
        filters = (name for name in self.form.fields if name not in ("q", "sort"))
        return self.form.address(**dict.fromkeys(filters, ""))

    @property
    def mistaken(self) -> bool:
        """Whether a filter is wrong, so that its field must be seen; those in force are seen above the list."""
        return any(name not in ("q", "sort", "cursor") for name in self.form.errors)


@require_safe
def search(request: WSGIRequest) -> HttpResponse:
    form = FindForm(request.GET, request.user)
    if "" in request.GET.values():
        # A form sends what was left empty, too; the address that one keeps is the short one.
        return redirect(reverse("search") + form.address())
    valid = form.is_valid()
    words = form.cleaned_data.get("q", "")
    if not valid:
        return render(request, "articles/search.html", {"search": Search(form, words)})
    seen = articles_seen_by(request.user)
    chips = list(form.chips())
    name = Name() if chips else name_of(words)
    if name and (known := known_article(seen, name)):
        return redirect("article", ident=known)
    if not chips and (listed := list_in(words)):
        return redirect(reverse("search") + form.address(q="", id=listed))
    wish = form.wish()
    findings = findings_of(seen, wish, form)
    remarks = [] if findings.count else [remark(own, form) for own in unknown_names(seen, wish)]
    absent = absent_of(seen, wish.names) if len(wish.names) > 1 else []
    shown = Search(form, words, name, absent, chips, findings, remarks, list(EXPORTS.values()))
    return render(request, "articles/search.html", {"search": shown})


def remark(name: UnknownName, form: FindForm) -> Remark:
    return Remark(name, [(near, form.address(**{name.field: near})) for near in name.near])


def known_article(seen: QuerySet[Article], name: Name) -> str:
    """What the address of this article ends in, empty when there is none: 1 query."""
    article = found(seen, Wish(names=(name,))).only("pmid", "opaque").first()
    return str(article.pmid or article.opaque) if article else ""


def list_in(words: str) -> str:
    """The names with blanks between, where somebody has put in several names of articles and nothing else."""
    names = names_of(words)
    return " ".join(names) if len(names) > 1 and all(names.values()) else ""


def absent_of(seen: QuerySet[Article], names: Sequence[Name]) -> list[str]:
    """Those of the names that no article has, as one writes them: 1 query."""
    rows = found(seen, Wish(names=tuple(names))).values_list("pmid", "pmcid", "doi")
    here = {known for pmid, pmcid, doi in rows for known in (pmid, pmcid, doi.upper()) if known}
    return [ident_of(name) for name in names if not here & {name.pmid, name.pmcid, name.doi.upper()}]


def findings_of(seen: QuerySet[Article], wish: Wish, form: FindForm) -> Findings:
    """Three queries and one for each of a gene and an organism; of a corpus read in order of likelihood some more."""
    matching = found(seen, wish)
    page = leaf(foremost(matching, wish), rank(wish), form.cleaned_data["cursor"], PAGE_SIZE)
    count = counted(matching)
    return Findings(
        count,
        hits(page.keys, wish.words),
        order_of(wish, count),
        form.address(cursor=str(page.following)) if page.following else "",
        form.address(cursor=str(page.preceding)) if page.preceding else "",
        time_saved(wish.corpus, wish.words) if wish.corpus and wish.ordered_by == Order.PPI else None,
    )


def order_of(wish: Wish, count: int) -> str:
    """How the list is ordered, in words."""
    ordered = ORDERS[wish.ordered_by]
    if wish.ordered_by == Order.RELEVANCE and count > MOST_RANKED:
        return f"{ordered} among the newest {MOST_RANKED:,}; use more words, or another order, to see the others"
    return ordered
