"""Reading by scripts of other sites (CORS): what anybody may read, they may read, too, and nothing else.

https://fetch.spec.whatwg.org/#http-cors-protocol. An answer is opened to all origins only when it was asked for without
a log-in, so that no site reads with the rights of a visitor; nothing is ever allowed with credentials, nor to write.
"""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

OPEN = re.compile(r"/api/v1/|/articles/[^/]+/export/")
READING = ("GET", "HEAD", "OPTIONS")
# Scripts may send these besides what every script may, and read these besides what every script may.
SENT = "If-None-Match, If-Modified-Since"
READ = "ETag, Link, Content-Disposition, Retry-After"
ASKED_AGAIN_SECONDS = "86400"


class OpenReadingMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not OPEN.match(request.path):
            return self.get_response(request)
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return preflight()
        response = self.get_response(request)
        patch_vary_headers(response, ["Cookie", "Authorization"])
        if request.method in READING and not logs_in(request):
            response.headers["Access-Control-Allow-Origin"] = "*"
            response.headers["Access-Control-Expose-Headers"] = READ
        return response


def preflight() -> HttpResponse:
    """What a browser asks before a script may send more than a plain request."""
    response = HttpResponse(status=204)
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Allow-Methods"] = ", ".join(READING)
    response.headers["Access-Control-Allow-Headers"] = SENT
    response.headers["Access-Control-Max-Age"] = ASKED_AGAIN_SECONDS
    return response


def logs_in(request: HttpRequest) -> bool:
    """Whether the request comes with a session, a token or a password, valid or not."""
    return "Authorization" in request.headers or settings.SESSION_COOKIE_NAME in request.COOKIES
