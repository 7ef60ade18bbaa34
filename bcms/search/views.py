"""The search page: the form, its active filters, and a page of the articles found."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.handlers.wsgi import WSGIRequest
from django.db.models import QuerySet
from django.forms import BoundField
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.abstract_files import AbstractFileFormat
from annotations.formats.articles.parsed_article import (
    ArticleIds,
    parse_article_id_or_empty,
    parse_article_ids_by_list_part,
)
from annotations.formats.exports import EXPORTS, ExportFileFormat
from annotations.search.annotated_types import list_annotated_types
from annotations.search.article_search import (
    MOST_COUNTED,
    MOST_RANKED,
    SearchCriteria,
    SearchOrder,
    build_order_expression,
    count_articles_to_limit,
    filter_articles,
    find_first_if_few,
    limit_to_newest_when_ranking_relevance,
)
from annotations.search.paging import fetch_page_keys_after_or_before_cursor
from bcms.article_requests.request_queue import format_pmid_pmcid_or_doi
from bcms.digital_abstracts.published_abstracts import list_abstract_formats
from bcms.search.forms import ANNOTATION_FILTERS, ORDERS, FilterChip, SearchForm
from bcms.search.hits import SearchHit, list_search_hits
from bcms.search.unknown_names import UnknownName, iter_searched_names_without_annotation
from evaluation.scoring.reading_time import ReadingTimeSaved, estimate_reading_saved_over_keyword_search
from evaluation.visibility import list_visible_articles

PAGE_SIZE = 20
NO_FILTERS = ("q", "sort", "cursor")
ANNOTATION_FIELDS = (*ANNOTATION_FILTERS, "confidence")
MOST_TYPES_TO_CHOOSE = 100


@dataclass(frozen=True, slots=True)
class SearchResults:
    """A page of the articles found.

    count is from annotations.search.article_search.count_articles_to_limit(). following and preceding are the query
    strings of the next and the previous page, or empty.
    """

    count: int
    hits: Sequence[SearchHit]
    order: str
    following: str = ""
    preceding: str = ""
    saved: ReadingTimeSaved | None = None

    @property
    def total(self) -> str:
        return f"{self.count:,}" if self.count <= MOST_COUNTED else f"more than {MOST_COUNTED:,}"


@dataclass(frozen=True, slots=True)
class UnknownNameRemark:
    """A name in a filter because of which nothing was found; links: similar names, each with its query string."""

    name: UnknownName
    links: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """Filters that are folded together, each with the remarks about it; is_open: one of them needs a correction."""

    title: str
    summary: str
    fields: Sequence[tuple[BoundField, Sequence[UnknownNameRemark]]]
    is_open: bool


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The content of the search page; exports and abstract_formats are empty if the search finds what only a team sees.

    unknown: the identifier in the words, if its article is not here. missing: the identifiers in the filter whose
    articles are not here. entity_types, relation_types: to choose from.
    """

    form: SearchForm
    words: str
    unknown: ArticleIds = field(default_factory=ArticleIds)
    missing: Sequence[str] = ()
    chips: Sequence[FilterChip] = ()
    results: SearchResults | None = None
    remarks: Sequence[UnknownNameRemark] = ()
    exports: Sequence[ExportFileFormat] = ()
    entity_types: Sequence[str] = ()
    relation_types: Sequence[str] = ()
    abstract_formats: Sequence[AbstractFileFormat] = ()

    @property
    def query_string(self) -> str:
        """The query string of this search, for the URLs of its downloads, which have an order of their own."""
        return self.form.build_query_string(sort="")

    @property
    def without_filters(self) -> str:
        filters = (name for name in self.form.fields if name not in ("q", "sort"))
        return self.form.build_query_string(**dict.fromkeys(filters, ""))

    @property
    def field_groups(self) -> list["FieldGroup"]:
        """The filters in two groups, those about annotations in the second one."""
        about_articles = [name for name in self.form.fields if name not in NO_FILTERS + ANNOTATION_FIELDS]
        return [
            self._build_field_group("Filters", "journal, year, gene, organism, server, agreement …", about_articles),
            self._build_field_group(
                "Annotations", "entity type, mention, entity, relation, method, confidence …", ANNOTATION_FIELDS
            ),
        ]

    def _build_field_group(self, title: str, summary: str, names: Sequence[str]) -> "FieldGroup":
        marked = {*self.form.errors, *(remark.name.field for remark in self.remarks)}
        fields = [(self.form[name], [each for each in self.remarks if each.name.field == name]) for name in names]
        return FieldGroup(title, summary, fields, not marked.isdisjoint(names))


@require_safe
def show_search_or_redirect_to_article(request: WSGIRequest) -> HttpResponse:
    form = SearchForm(request.GET, request.user)
    if "" in request.GET.values():
        # Browsers send empty fields, too: redirect to the shorter URL without them.
        return redirect(reverse("search") + form.build_query_string())
    valid = form.is_valid()
    words = form.cleaned_data.get("q", "")
    types = list_annotated_types()
    entity_types = types.list_entity_type_names()[:MOST_TYPES_TO_CHOOSE]
    relation_types = types.list_relation_type_names()[:MOST_TYPES_TO_CHOOSE]
    if not valid:
        page = SearchPage(form, words, entity_types=entity_types, relation_types=relation_types)
        return render(request, "search/search.html", {"search": page})
    articles = list_visible_articles(request.user)
    chips = list(form.iter_chips())
    name = ArticleIds() if chips else parse_article_id_or_empty(words)
    if name and (ident := _find_article_ident(articles, name)):
        return redirect("article", ident=ident)
    if not chips and (id_list := _parse_name_list(words)):
        return redirect(reverse("search") + form.build_query_string(q="", id=id_list))
    criteria = form.build_search_criteria()
    results = _load_search_results(articles, criteria, form)
    unknown_names = () if results.count else iter_searched_names_without_annotation(articles, criteria)
    remarks = [_build_unknown_name_remark(unknown_name, form) for unknown_name in unknown_names]
    missing = _list_missing_names(articles, criteria.names) if len(criteria.names) > 1 else []
    exports = [] if criteria.hidden_producers else list(EXPORTS.values())
    abstract_formats = list(list_abstract_formats(of_one_article=False).values()) if exports else []
    page = SearchPage(
        *(form, words, name, missing, chips, results, remarks, exports, entity_types, relation_types, abstract_formats)
    )
    return render(request, "search/search.html", {"search": page})


def _build_unknown_name_remark(name: UnknownName, form: SearchForm) -> UnknownNameRemark:
    links = [
        (near, form.build_query_string(**{name.field: value}))
        for near, value in zip(name.near, name.values, strict=True)
    ]
    return UnknownNameRemark(name, links)


def _find_article_ident(articles: QuerySet[Article], name: ArticleIds) -> str:
    """The identifier in the URL of the article with this name, empty if there is none: 1 query."""
    article = filter_articles(articles, SearchCriteria(names=(name,))).only("pmid", "opaque").first()
    return format_pmid_or_opaque(article) if article else ""


def _parse_name_list(words: str) -> str:
    """The identifiers separated by spaces, if the words are several of them and nothing else; otherwise empty."""
    names = parse_article_ids_by_list_part(words)
    return " ".join(names) if len(names) > 1 and all(names.values()) else ""


def _list_missing_names(articles: QuerySet[Article], names: Sequence[ArticleIds]) -> list[str]:
    """The names that no article has, as text: 1 query."""
    rows = filter_articles(articles, SearchCriteria(names=tuple(names))).values_list("pmid", "pmcid", "doi")
    known = {value for pmid, pmcid, doi in rows for value in (pmid, pmcid, doi.upper()) if value}
    return [format_pmid_pmcid_or_doi(name) for name in names if not known & {name.pmid, name.pmcid, name.doi.upper()}]


def _load_search_results(articles: QuerySet[Article], criteria: SearchCriteria, form: SearchForm) -> SearchResults:
    """Three queries, one more for each of a gene and an organism, and some for a corpus in order of PPI."""
    matching = filter_articles(articles, criteria)
    count = count_articles_to_limit(matching)
    ranked = limit_to_newest_when_ranking_relevance(find_first_if_few(matching, count), criteria)
    page = fetch_page_keys_after_or_before_cursor(
        ranked, build_order_expression(criteria), form.cleaned_data["cursor"], PAGE_SIZE
    )
    return SearchResults(
        count,
        list_search_hits(page.keys, criteria.words),
        _format_order(criteria, count),
        form.build_query_string(cursor=str(page.following)) if page.following else "",
        form.build_query_string(cursor=str(page.preceding)) if page.preceding else "",
        estimate_reading_saved_over_keyword_search(criteria.corpus, criteria.words)
        if criteria.corpus and criteria.effective_order == SearchOrder.PPI
        else None,
    )


def _format_order(criteria: SearchCriteria, count: int) -> str:
    """The order of the list as text."""
    label = ORDERS[criteria.effective_order]
    if criteria.effective_order == SearchOrder.RELEVANCE and count > MOST_RANKED:
        return f"{label} among the newest {MOST_RANKED:,}; use more keywords or another order to see the others"
    return label
