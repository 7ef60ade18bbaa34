"""Rate limits for uploads and downloads on pages, and their slots for large files, shared with those of the API."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bcms.lib.rest.limits import (
    TooManyRequests,
    count_download_and_check_limit,
    count_large_upload_and_check_limit,
    count_request_and_check_limit,
    find_nearest_limit,
)

LARGE_FILE_URLS = (
    "phase-articles-file",
    "challenge-archive-file",
    "leaderboard-file",
    "leaderboard-run",
    "server-log",
    "data-set-file",
)
# By the name of the URL pattern.
LIMITS_BY_URL_NAME: Mapping[str, Callable[[HttpRequest], None]] = {
    "article-export": count_request_and_check_limit,
    "widget-article": count_request_and_check_limit,
    **dict.fromkeys(("challenge-pictures", "challenge-runs"), count_large_upload_and_check_limit),
    **dict.fromkeys(LARGE_FILE_URLS, count_download_and_check_limit),
}


class DownloadLimitMiddleware:
    """Answers 429 with Retry-After above a limit, and while all slots for large files are taken."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Say in the answer, of pages and of the API, how much of the limit is left."""
        response = self.get_response(request)
        if state := find_nearest_limit(request):
            for name, value in state.format_headers().items():
                response.headers[name] = value
        return response

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        limit = LIMITS_BY_URL_NAME.get((request.resolver_match and request.resolver_match.url_name) or "")
        try:
            if limit is not None:
                limit(request)
        except TooManyRequests as error:
            return _render_too_many_requests(request, error)
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The answer of a page that got no slot for a large file."""
        return _render_too_many_requests(request, error) if isinstance(error, TooManyRequests) else None


def _render_too_many_requests(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    is_widget = request.resolver_match is not None and request.resolver_match.view_name == "widget-article"
    template = "widget/busy.html" if is_widget else "429.html"
    response = render(request, template, {"sentence": error.detail}, status=429)
    response.headers["Retry-After"] = str(ceil(error.wait))
    return response
