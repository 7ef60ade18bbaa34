"""REST: the list and search of articles, with the filters and orders of the search page."""

from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

from annotations.articles.models import Article
from annotations.search.article_search import (
    MOST_COUNTED,
    SearchOrder,
    build_order_expression,
    count_articles_to_limit,
    filter_articles,
    find_first_if_few,
)
from annotations.search.paging import CursorPage, PageCursor, fetch_page_keys_after_or_before_cursor
from bcms.article_page.api import ArticleInList, WithStanding
from bcms.lib.rest.pagination import MOST_PER_PAGE, RANGES
from bcms.lib.rest.problems import convert_form_errors
from bcms.lib.rest.query_parameters import EMPTY_ERROR, read_number_parameter
from bcms.search.forms import FIRST_YEAR, LAST_YEAR, LONGEST_TYPE, MOST_SERVERS, SearchForm
from bcms.search.unknown_names import iter_searched_names_without_annotation
from evaluation.visibility import list_visible_articles
from servers.teams.permissions import User

DEFAULT_PAGE_SIZE = 50


def _make_filter_parameter(name: str, description: str, kind: Any = OpenApiTypes.STR, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, description=description, **more)


YEAR_SCHEMA = {"type": "integer", "minimum": FIRST_YEAR, "maximum": LAST_YEAR}
TYPE_SCHEMA = {"type": "string", "minLength": 1, "maxLength": LONGEST_TYPE}
CONFIDENCE_SCHEMA = {"type": "number", "minimum": 0, "maximum": 1}
SERVERS_SCHEMA = {"type": "integer", "minimum": 1, "maximum": MOST_SERVERS}
FILTER_PARAMETERS = [
    _make_filter_parameter(
        "q",
        'Keywords that the text must contain; supports "a phrase", this or that, and -without. Sjögren also '
        "finds Sjogren, but not the reverse.",
    ),
    _make_filter_parameter("id", "One or more PMIDs, PMCIDs or DOIs, separated by spaces."),
    _make_filter_parameter("journal", "Words in the name of the journal."),
    _make_filter_parameter("year_from", "First year of publication.", YEAR_SCHEMA),
    _make_filter_parameter("year_to", "Last year of publication.", YEAR_SCHEMA),
    _make_filter_parameter("gene", "Name or identifier (uniprot:P04637) of a gene or protein in an annotation."),
    _make_filter_parameter("taxon", "Name or NCBI Taxonomy number of an organism in an annotation."),
    _make_filter_parameter(
        "type",
        "Type of an entity or mention in any spelling: Disease, gene, cell line. Together with mention and entity, one "
        "annotation has to match.",
        TYPE_SCHEMA,
    ),
    _make_filter_parameter(
        "mention", "Text of a mention, ignoring case, spaces, dashes and whether Greek letters are spelled out."
    ),
    _make_filter_parameter(
        "entity",
        "Name of an entity, or its CURIE in any database (MESH:D001943), in an annotation; up to five, separated by "
        "semicolons, for articles in which all of them are annotated.",
    ),
    _make_filter_parameter(
        "pair",
        "Names or CURIEs of two entities in one relation or interaction pair, separated by a semicolon: TP53; MDM2. "
        "Together with relation, one relation has to match.",
    ),
    _make_filter_parameter("relation", "Type of a relation, ignoring case and punctuation: Association.", TYPE_SCHEMA),
    _make_filter_parameter("method", "Name or PSI-MI identifier (MI:0018) of an experimental method."),
    _make_filter_parameter(
        "confidence",
        "Minimum confidence of the annotation that has the type, mention, entity, pair, relation or method; one of "
        "these has to be given.",
        CONFIDENCE_SCHEMA,
    ),
    _make_filter_parameter(
        "server",
        "Slug of a server that annotated the article. Filters about annotations are then about its annotations.",
    ),
    _make_filter_parameter("servers", "Minimum number of servers that annotated the article.", SERVERS_SCHEMA),
    _make_filter_parameter("corpus", "Slug of a corpus that contains the article."),
    _make_filter_parameter(
        "ppi",
        "true: only articles that are probably about protein interactions, not those that are undecided.",
        OpenApiTypes.BOOL,
    ),
    _make_filter_parameter("disagree", "true: only articles with a disagreement above 0.5.", OpenApiTypes.BOOL),
    _make_filter_parameter(
        "curated", "true: only articles with a published digital abstract (see digital-abstract/).", OpenApiTypes.BOOL
    ),
    _make_filter_parameter(
        "sort",
        "The order, highest first. Default: relevance to the keywords, or newest PMID without any. In other orders, "
        "an article is found a few seconds after its import.",
        enum=[order.value for order in SearchOrder],
    ),
]


FILTER_NAMES = tuple(parameter.name for parameter in FILTER_PARAMETERS)
FILTERS_THAT_ARE_NO_TEXT = tuple(
    parameter.name for parameter in FILTER_PARAMETERS if parameter.enum or parameter.type != OpenApiTypes.STR
)


def validate_search_form(query: QueryDict, user: User) -> SearchForm:
    """The form with the filters of a REST request; ValidationError for invalid ones, and for empty ones that are no
    texts: only browsers send the fields that nobody has filled in."""
    if empty := [name for name in FILTERS_THAT_ARE_NO_TEXT if name in query and not query.get(name, "").strip()]:
        raise ValidationError(dict.fromkeys(empty, EMPTY_ERROR))
    form = SearchForm(query, user)
    if not form.is_valid():
        raise convert_form_errors(form)
    return form


class FoundArticle(WithStanding, ArticleInList):
    class Meta(ArticleInList.Meta):
        fields = [*ArticleInList.Meta.fields, "standing"]


class UnknownNameInFilter(serializers.Serializer[Any]):
    loc = serializers.CharField(source="field")
    message = serializers.CharField()
    near = serializers.ListField(child=serializers.CharField())


UNKNOWN_NAMES_SCHEMA = {
    "type": "array",
    "description": "if no article matches: the names of entities, types and methods in the filters that no annotation "
    "has, and similar names that some annotations have. loc is the parameter, pair for one of its two names",
    "items": {
        "type": "object",
        "required": ["loc", "message", "near"],
        "properties": {
            "loc": {"type": "string"},
            "message": {"type": "string"},
            "near": {"type": "array", "items": {"type": "string"}},
        },
    },
}
COUNT_SCHEMA = {
    "type": "integer",
    "maximum": MOST_COUNTED + 1,
    "description": f"number of matching articles; {MOST_COUNTED + 1} means more than {MOST_COUNTED} (all of them are "
    "listed: follow next)",
}


class SearchPagination(BasePagination):
    """Pages by an opaque ?cursor=, stable while articles come in, and ?limit= (default 50, at most 1000)."""

    query_parameters = ("limit", "cursor")

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        criteria = view.form.build_search_criteria()
        matching = filter_articles(queryset, criteria)
        self.request, self.count = request, count_articles_to_limit(matching)
        self.cursor_page = fetch_page_keys_after_or_before_cursor(
            find_first_if_few(matching, self.count),
            build_order_expression(criteria),
            view.form.cleaned_data["cursor"],
            _read_page_limit(request),
        )
        self.unknown = [] if self.count else list(iter_searched_names_without_annotation(queryset, criteria))
        by_key = _list_page_articles(self.cursor_page).in_bulk()
        return [by_key[key] for key in self.cursor_page.keys if key in by_key]

    def get_paginated_response(self, data: Any) -> Response:
        return Response(
            {
                "count": self.count,
                "next": self.build_page_url(self.cursor_page.following),
                "previous": self.build_page_url(self.cursor_page.preceding),
                "unknown_names": UnknownNameInFilter(self.unknown, many=True).data,
                "results": data,
            }
        )

    def build_page_url(self, cursor: PageCursor | None) -> str | None:
        url = remove_query_param(self.request.build_absolute_uri(), "cursor")
        return replace_query_param(url, "cursor", str(cursor)) if cursor else None

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["count", "next", "previous", "unknown_names", "results"],
            "properties": {
                "count": COUNT_SCHEMA,
                "next": link,
                "previous": link,
                "unknown_names": UNKNOWN_NAMES_SCHEMA,
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        parameters: tuple[tuple[str, dict[str, Any], str], ...] = (
            ("cursor", {"type": "string"}, "The page, as in the links next and previous."),
            ("limit", {"type": "integer", **RANGES["limit"]}, "Articles per page, at most 1000. Default: 50."),
        )
        return [
            {"name": name, "required": False, "in": "query", "description": text, "schema": schema}
            for name, schema, text in parameters
        ]


def _read_page_limit(request: Request) -> int:
    """The page size in `limit`; ValidationError for anything but a number from 1 to MOST_PER_PAGE."""
    return read_number_parameter(request, "limit", DEFAULT_PAGE_SIZE, low=1, high=MOST_PER_PAGE)


def _list_page_articles(page: CursorPage) -> QuerySet[Article]:
    articles = Article.objects.filter(pk__in=page.keys).select_related("standing")
    return articles.defer("text", "metadata", "standing__named", "standing__terms", "standing__producers")


@method_decorator(gzip_page, name="dispatch")
@extend_schema_view(get=extend_schema(parameters=FILTER_PARAMETERS, summary="List or search articles"))
class ArticleList(generics.ListAPIView[Article]):
    """The articles that you may see and that match all filters given. Every filter is optional."""

    serializer_class = FoundArticle
    pagination_class = SearchPagination
    query_parameters = FILTER_NAMES
    queryset = Article.objects.none()
    form: SearchForm

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        self.form = validate_search_form(request.query_params, request.user)
        return super().list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Article]:
        return list_visible_articles(self.request.user)
