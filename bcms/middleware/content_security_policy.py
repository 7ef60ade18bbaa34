"""A Content-Security-Policy header, which stops hostile text in annotations from running as code in browsers.

Styles come from the site's files. The only one inside of pages is that of drawings, which is always the same, so that
its hash allows it: a drawing is also a file of its own, and has its style with it.
"""

import base64
from collections.abc import Callable
from hashlib import sha256

from django.http import HttpRequest, HttpResponse

from bcms.lib.svg.series_styles import render_chart_css

CHART_CSS_HASH = base64.b64encode(sha256(render_chart_css().encode()).digest()).decode()
POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        f"style-src 'self' 'sha256-{CHART_CSS_HASH}'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)


class ContentSecurityPolicyMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
