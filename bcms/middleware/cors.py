"""Let scripts of other sites read public data (CORS), and nothing else.

https://fetch.spec.whatwg.org/#http-cors-protocol. Only answers to requests without credentials are open to all origins,
so that no site can read with the rights of a visitor. Requests with credentials and writing requests are never allowed.
"""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

OPEN_PATHS = re.compile(r"/api/v1/|/articles/[^/]+/export/")
READING_METHODS = ("GET", "HEAD", "OPTIONS")
# Headers that scripts may send and read, in addition to those that are always allowed.
ALLOWED_HEADERS = "If-None-Match, If-Modified-Since"
EXPOSED_HEADERS = (
    "ETag, Link, Content-Disposition, Retry-After, "
    "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy"
)
PREFLIGHT_SECONDS = "86400"


class OpenReadingMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not OPEN_PATHS.match(request.path):
            return self.get_response(request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return _make_preflight_response()
        response = self.get_response(request)
        patch_vary_headers(response, ["Cookie", "Authorization"])
        if request.method in READING_METHODS and not has_credentials(request):
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return response


def _make_preflight_response() -> HttpResponse:
    """The answer to a browser's preflight request."""
    response = HttpResponse(status=204)
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Allow-Methods"] = ", ".join(READING_METHODS)
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = PREFLIGHT_SECONDS
    return response


def has_credentials(request: HttpRequest) -> bool:
    """Whether the request comes with a session, a token or a password, valid or not."""
    return "Authorization" in request.headers or settings.SESSION_COOKIE_NAME in request.COOKIES
