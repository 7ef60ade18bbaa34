"""Pagination of the API's lists."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.pagination import CursorPagination, LimitOffsetPagination
from rest_framework.request import Request
from rest_framework.views import APIView

MOST_PER_PAGE = 1000
# A larger offset could exceed PostgreSQL's 64 bits.
FARTHEST = 2**31 - 1


class OffsetPages(LimitOffsetPagination):
    """Pages of lists of moderate length, by ?limit= (50, at most 1000) and ?offset=."""

    max_limit = MOST_PER_PAGE

    def get_offset(self, request: Request) -> int:
        return min(super().get_offset(request), FARTHEST)


class NewestFirstPages(CursorPagination):
    """Pages of growing lists, newest first, by an opaque ?cursor= and ?limit= (50, at most 1000)."""

    ordering = "-pk"
    page_size_query_param = "limit"
    max_page_size = MOST_PER_PAGE

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: APIView) -> tuple[str, ...]:
        return ("-pk",)
