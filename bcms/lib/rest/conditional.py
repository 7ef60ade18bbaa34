"""Conditional requests: 304 for clients that have the current answer (RFC 9110, section 13)."""

from collections.abc import Callable
from hashlib import sha256

from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.version import VERSION


def respond_unless_etag_matches(
    request: Request, etag_state: object, make_response: Callable[[], Response]
) -> Response:
    """The answer of make_response(), or 304 when the request names its ETag in If-None-Match.

    The ETag is a hash of the software version, the URL and etag_state, which must change whenever the answer does.
    Answers to logged-in users may only be stored in private caches.
    """
    tag = f'W/"{sha256(repr((VERSION, request.get_full_path(), etag_state)).encode()).hexdigest()[:32]}"'
    not_modified = get_conditional_response(request._request, etag=tag)
    response = make_response() if not_modified is None else Response(status=not_modified.status_code)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = f"{'private' if request.user.is_authenticated else 'public'}, no-cache"
    return response
