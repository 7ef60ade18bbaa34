"""Pagination of the API's lists."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination, LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from bcms.lib.rest.query_parameters import read_number_parameter, refuse_unknown_parameters

MOST_PER_PAGE = 1000
DEFAULT_PER_PAGE = 50
# A larger offset could exceed PostgreSQL's 64 bits.
FARTHEST = 2**31 - 1


def _check_parameters(request: Request, view: APIView | None, *own: str) -> None:
    """ValidationError for parameters that neither the pages nor the view have. A view lists its own ones, which its
    schema describes, as query_parameters.
    """
    refuse_unknown_parameters(request, (*own, *getattr(view, "query_parameters", ())))


class OffsetPages(LimitOffsetPagination):
    """Pages of lists of moderate length, by ?limit= (50, at most 1000) and ?offset=. Other values get 400."""

    max_limit = MOST_PER_PAGE

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any] | None:
        _check_parameters(request, view, "limit", "offset")
        return super().paginate_queryset(queryset, request, view)

    def get_limit(self, request: Request) -> int:
        return read_number_parameter(request, "limit", DEFAULT_PER_PAGE, low=1, high=MOST_PER_PAGE)

    def get_offset(self, request: Request) -> int:
        return read_number_parameter(request, "offset", 0, low=0, high=FARTHEST)


class NewestFirstPages(CursorPagination):
    """Pages of growing lists, newest first, by an opaque ?cursor= and ?limit= (50, at most 1000). Other values get
    400.
    """

    ordering = "-pk"
    page_size_query_param = "limit"
    max_page_size = MOST_PER_PAGE

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any] | None:
        _check_parameters(request, view, "limit", "cursor")
        return super().paginate_queryset(queryset, request, view)

    def get_page_size(self, request: Request) -> int:
        return read_number_parameter(request, "limit", DEFAULT_PER_PAGE, low=1, high=MOST_PER_PAGE)

    def decode_cursor(self, request: Request) -> Any:
        try:
            return super().decode_cursor(request)
        except NotFound:
            error = "This is no cursor of this list. Use the links next and previous, or omit it for the first page."
            raise ValidationError({"cursor": error}) from None

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: APIView) -> tuple[str, ...]:
        return ("-pk",)
