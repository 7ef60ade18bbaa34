"""Keep what is made for one person out of caches that others can read, and out of the disk of a shared computer."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from bcms.middleware.cors import has_credentials

# With an ETag a client may keep its copy, if it asks each time whether it is still right.
PRIVATE, PRIVATE_WITH_ETAG = "private, no-store", "private, no-cache"


class PrivateResponseMiddleware:
    """Adds Cache-Control to every response to a request with a session, a token or a password, and to those that set a
    cookie. A view that sets Cache-Control itself, because its response is the same for everybody, keeps it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if has_credentials(request) or response.cookies:
            response.headers.setdefault("Cache-Control", PRIVATE_WITH_ETAG if response.has_header("ETag") else PRIVATE)
        return response
