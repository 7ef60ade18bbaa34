"""The reader's choice to include what nobody has reviewed: `unreviewed=1` in the address of pages and REST.

That is servers, and what challenges have published of uploaded runs, baselines and gold standards.
"""

from django.http import HttpRequest
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from bcms.lib.rest.query_parameters import read_flag_parameter

UNREVIEWED_PARAMETER = OpenApiParameter(
    "unreviewed",
    OpenApiTypes.BOOL,
    description="true: include servers and published results of challenges that nobody has reviewed. Default: what is "
    "accepted, and what your teams and challenges have.",
)


def includes_unreviewed_on_page(request: HttpRequest) -> bool:
    """Whether the reader of a page includes unreviewed servers and challenges; values other than 1 are ignored."""
    return request.GET.get("unreviewed") == "1"


def build_unreviewed_query(request: HttpRequest) -> str:
    """The query string that keeps the choice of a page's reader in links, "" by default."""
    return "?unreviewed=1" if includes_unreviewed_on_page(request) else ""


def includes_unreviewed_in_rest(request: Request) -> bool:
    """Whether a REST request includes unreviewed servers and challenges; ValidationError for an invalid value."""
    return read_flag_parameter(request, "unreviewed")
