"""The list of articles, by the filters and in the orders of the page."""

from typing import Any

from django.db.models import QuerySet
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

from annotations.finding import MOST_COUNTED, Order, counted, found, rank
from annotations.models import Article
from annotations.paging import Cursor, Leaf, leaf
from bcms.api.articles import ArticleInList, WithStanding
from bcms.api.conventions import MOST_PER_PAGE, refusal_of
from bcms.find_form import FindForm
from bcms.unknown_names import unknown_names
from bcms.visibility import articles_seen_by

LIMIT = 50


def filter_of(name: str, description: str, kind: Any = OpenApiTypes.STR, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, description=description, **more)


FILTERS = [
    filter_of(
        "q",
        'Words, "a phrase", one or another, -without; all must be in the text. Sjögren finds Sjogren, too, but Sjogren '
        "only itself.",
    ),
    filter_of("id", "A PMID, PMCID or DOI, or several with blanks between."),
    filter_of("journal", "Words of the journal's name."),
    filter_of("year_from", "The first year.", OpenApiTypes.INT),
    filter_of("year_to", "The last year.", OpenApiTypes.INT),
    filter_of("gene", "Name or identifier (uniprot:P04637) of a gene or protein that an annotation names."),
    filter_of("taxon", "Name or NCBI Taxonomy number of an organism that an annotation names."),
    filter_of("server", "Slug of a server that annotated it."),
    filter_of("servers", "At least so many servers annotated it.", OpenApiTypes.INT),
    filter_of("corpus", "Slug of a corpus that it is in."),
    filter_of("ppi", "true: servers say that it is likely about protein interactions.", OpenApiTypes.BOOL),
    filter_of("disagree", "true: its disagreement is more than 0.5.", OpenApiTypes.BOOL),
    filter_of(
        "sort",
        "The highest first. Without it by relevance to the words, or the newest PMID where there are none. In the "
        "other orders an article is found some seconds after it came in.",
        enum=[order.value for order in Order],
    ),
]


def refuse_unknown_filters(request: Request, further: str) -> None:
    """A filter with a slip in its name would find everything."""
    known = [*FindForm.base_fields, further]
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise ValidationError({name: f"There is no such filter; there are {', '.join(known)}." for name in unknown})


class FoundArticle(WithStanding, ArticleInList):
    class Meta(ArticleInList.Meta):
        fields = [*ArticleInList.Meta.fields, "standing"]


class UnknownNameInFilter(serializers.Serializer):
    loc = serializers.CharField(source="field")
    message = serializers.CharField()
    near = serializers.ListField(child=serializers.CharField())


UNKNOWN_NAMES = {
    "type": "array",
    "description": "where nothing was found: the names of genes and organisms, by filter, with which no article is "
    "annotated, and names like them with which some are",
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
COUNT = {
    "type": "integer",
    "maximum": MOST_COUNTED + 1,
    "description": f"how many articles are found; {MOST_COUNTED + 1} stands for all that are more than {MOST_COUNTED}, "
    "which are listed nevertheless: follow next",
}


class FoundArticles(BasePagination):
    """Pages that hold still, by an opaque ?cursor= and ?limit= (50, at most 1000), counted as the page counts."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> Any:
        wish = view.form.wish()
        matching = found(queryset, wish)
        self.request, self.count = request, counted(matching)
        self.leaf = leaf(matching, rank(wish), view.form.cleaned_data["cursor"], limit_of(request))
        self.unknown = [] if self.count else list(unknown_names(queryset, wish))
        by_key = listed(self.leaf).in_bulk()
        return [by_key[key] for key in self.leaf.keys if key in by_key]

    def get_paginated_response(self, data: Any) -> Response:
        page = {"next": self.address(self.leaf.following), "previous": self.address(self.leaf.preceding)}
        unknown = UnknownNameInFilter(self.unknown, many=True).data
        return Response({"count": self.count, **page, "unknown_names": unknown, "results": data})

    def address(self, cursor: Cursor | None) -> str | None:
        here = remove_query_param(self.request.build_absolute_uri(), "cursor")
        return replace_query_param(here, "cursor", str(cursor)) if cursor else None

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["count", "next", "previous", "unknown_names", "results"],
            "properties": {
                "count": COUNT,
                "next": link,
                "previous": link,
                "unknown_names": UNKNOWN_NAMES,
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        words = {"cursor": "Which page; of the links of another page.", "limit": "Articles on a page, at most 1000."}
        kinds = {"cursor": "string", "limit": "integer"}
        return [
            {"name": name, "required": False, "in": "query", "description": said, "schema": {"type": kinds[name]}}
            for name, said in words.items()
        ]


def limit_of(request: Request) -> int:
    """As many as are asked for, if that is a number within the bounds."""
    given = request.query_params.get("limit", "")
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else LIMIT
    return min(number, MOST_PER_PAGE) or LIMIT


def listed(page: Leaf) -> QuerySet[Article]:
    articles = Article.objects.filter(pk__in=page.keys).select_related("standing")
    return articles.defer("text", "metadata", "standing__named", "standing__producers")


@method_decorator(gzip_page, name="dispatch")
@extend_schema_view(get=extend_schema(parameters=FILTERS, summary="List or search articles"))
class ArticleList(generics.ListAPIView):
    """The articles that you may see and that have all that is asked for. Every filter may be left out."""

    serializer_class = FoundArticle
    pagination_class = FoundArticles
    queryset = Article.objects.none()
    form: FindForm

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        refuse_unknown_filters(request, "limit")
        self.form = FindForm(request.query_params, request.user)
        if not self.form.is_valid():
            raise refusal_of(self.form)
        return super().list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Article]:
        return articles_seen_by(self.request.user)
