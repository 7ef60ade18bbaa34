"""Pagination of the API's lists."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination, LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from bcms.lib.rest.query_parameters import read_number_parameter

MOST_PER_PAGE = 1000
DEFAULT_PER_PAGE = 50
# A larger offset could exceed PostgreSQL's 64 bits.
FARTHEST = 2**31 - 1


RANGES = {
    "limit": {"minimum": 1, "maximum": MOST_PER_PAGE, "default": DEFAULT_PER_PAGE},
    "offset": {"minimum": 0, "maximum": FARTHEST, "default": 0},
}


def _document_ranges(parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parameters as the OpenAPI document has them, with the numbers that they take."""
    return [
        {**parameter, "schema": {**parameter["schema"], **RANGES.get(parameter["name"], {})}}
        for parameter in parameters
    ]


class OffsetPages(LimitOffsetPagination):
    """Pages of lists of moderate length, by ?limit= (50, at most 1000) and ?offset=. Other values get 400."""

    max_limit = MOST_PER_PAGE
    query_parameters = ("limit", "offset")

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return _document_ranges(super().get_schema_operation_parameters(view))

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
    query_parameters = ("limit", "cursor")

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return _document_ranges(super().get_schema_operation_parameters(view))

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
