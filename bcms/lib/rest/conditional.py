"""Conditional requests: 304 for clients that have the current answer (RFC 9110, section 13)."""

from collections.abc import Callable
from hashlib import sha256

from django.utils.cache import get_conditional_response
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.version import VERSION


def respond_unless_cached(request: Request, state: object, make: Callable[[], Response]) -> Response:
    """The answer of make(), or 304 when the request names its ETag in If-None-Match.

    The ETag is a hash of the software version, the URL and state, which must change whenever the answer does. Answers
    to logged-in users may only be stored in private caches.
    """
    tag = f'W/"{sha256(repr((VERSION, request.get_full_path(), state)).encode()).hexdigest()[:32]}"'
    not_modified = get_conditional_response(request._request, etag=tag)
    response = make() if not_modified is None else Response(status=not_modified.status_code)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = f"{'private' if request.user.is_authenticated else 'public'}, no-cache"
    return response
