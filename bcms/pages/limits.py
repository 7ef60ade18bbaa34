"""How often files go out from pages and come in: as often as by REST, and counted with what is asked for there."""

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bcms.api.limits import TooMany, count_file, count_request, count_sent

LARGE = ("phase-articles-file", "challenge-archive-file", "leaderboard-file", "leaderboard-run", "server-log")
# By the name of the address.
LIMITS: Mapping[str, Callable[[HttpRequest], None]] = {
    "article-export": count_request,
    "challenge-runs": count_sent,
    **dict.fromkeys(LARGE, count_file),
}


class DownloadLimitMiddleware:
    """429 with Retry-After for files above the limit, before anything is read for them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        limit = LIMITS.get((request.resolver_match and request.resolver_match.url_name) or "")
        try:
            if limit is not None:
                limit(request)
        except TooMany as error:
            response = render(request, "429.html", {"sentence": error.detail}, status=429)
            response.headers["Retry-After"] = str(ceil(error.wait))
            return response
        return None
