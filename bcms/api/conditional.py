"""Answers that are not sent again to who has them already (RFC 9110, section 13)."""

from collections.abc import Callable
from hashlib import sha256

from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.version import VERSION


def unless_known(request: Request, state: object, make: Callable[[], Response]) -> Response:
    """The answer that is made, or 304 for who names its tag, which is of the address and the state of what it shows.

    What was asked for with a log-in may be kept by that reader alone.
    """
    tag = f'W/"{sha256(repr((VERSION, request.get_full_path(), state)).encode()).hexdigest()[:32]}"'
    known = get_conditional_response(request._request, etag=tag)
    response = make() if known is None else Response(status=known.status_code)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = f"{'private' if request.user.is_authenticated else 'public'}, no-cache"
    return response
