"""Treat everybody who asks for the widget as an anonymous visitor, and let pages of other sites frame it, and only it.

Browsers may send cookies from within a frame. What the widget shows must not depend on who is reading the other page:
it could be read off the size of the frame, and a log-in would be used where nobody sees the address of this site.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

WIDGET_PREFIX = "/widget/"
FRAMED_URL = "widget-article"
CREDENTIALS = ("HTTP_COOKIE", "HTTP_AUTHORIZATION")
# The page is in a sandbox even where another site frames it without one. Its links open the site in a new tab.
SANDBOX = "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"


class WidgetVisitorMiddleware:
    """The outermost middleware: nothing has read the cookies before, and what others add to an answer is there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path.startswith(WIDGET_PREFIX):
            return self.get_response(request)
        for name in CREDENTIALS:
            request.META.pop(name, None)
        response = self.get_response(request)
        response.cookies.clear()
        if request.resolver_match and request.resolver_match.view_name == FRAMED_URL:
            del response.headers["X-Frame-Options"]
            response.headers["Content-Security-Policy"] = build_widget_policy()
        return response


def build_widget_policy() -> str:
    """The policy of the framed page; WIDGET_HOSTS are the sites whose pages may frame it."""
    ancestors = " ".join(settings.WIDGET_HOSTS) or "'none'"
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "font-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {ancestors}",
            SANDBOX,
        ]
    )
