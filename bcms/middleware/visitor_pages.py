"""Answer visitors from the pages that were made for other visitors, as long as nothing in them has changed."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers

from bcms.lib.database_outages import OUTAGES
from bcms.metrics.visitor_pages import count_visitor_page
from bcms.visitor_pages import kept_pages, page_states, pages_being_made
from bcms.visitor_pages.changes import VisitorState
from bcms.visitor_pages.plain_visitors import is_of_plain_visitor

# Django notes it here when a page has a form, which contains a secret of its reader.
HAS_FORM = "CSRF_COOKIE_NEEDS_UPDATE"
ATTRIBUTE = "wanted_visitor_page"


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page to keep when it is made.

    began, seconds: as in kept_pages.keep_page. is_for_all: others wait for it.
    """

    key: kept_pages.PageKey
    state: VisitorState
    began: float
    seconds: float | None
    is_for_all: bool

    def keep(self, response: HttpResponse) -> None:
        patch_vary_headers(response, ["Cookie", "Accept-Encoding"])
        kept_pages.keep_page(self.key, self.state, response, self.began, self.seconds)

    def end(self, *, is_kept: bool) -> None:
        if self.is_for_all:
            pages_being_made.end(self.key, self.state, is_kept=is_kept)


class VisitorPageMiddleware:
    """The innermost middleware: what the others add to an answer is not kept."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Keep the answer if process_view has asked for it."""
        is_kept = False
        try:
            response = self.get_response(request)
            wanted: WantedPage | None = getattr(request, ATTRIBUTE, None)
            if wanted and isinstance(response, HttpResponse) and _is_same_for_all_visitors(request, response):
                wanted.keep(response)
                is_kept = True
            return response
        finally:
            if wanted := getattr(request, ATTRIBUTE, None):
                wanted.end(is_kept=is_kept)

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """The kept answer, or None if it has to be made."""
        if hasattr(request, ATTRIBUTE):
            # The replica has failed, and the view is called again: the page is still being made.
            return None
        name = request.resolver_match.view_name if request.resolver_match else ""
        read_state = page_states.PAGE_STATES.get(name)
        if read_state is None or not _asks_for_page_of_all(request):
            return None
        key, began = _make_key(request), time.monotonic()
        try:
            state = read_state(request, **kwargs)
        except OUTAGES:
            if page := kept_pages.find_page_during_outage(key):
                count_visitor_page("kept during outage")
                return page.make_response()
            raise
        page = kept_pages.find_current_page(key, state)
        if page is None and state is not None:
            seconds = page_states.find_seconds_to_next_moment()
            is_for_all = pages_being_made.begin_or_wait(key, state)
            page = None if is_for_all else kept_pages.find_current_page(key, state)
            if page is None:
                setattr(request, ATTRIBUTE, WantedPage(key, state, began, seconds, is_for_all))
                count_visitor_page("made")
        if page is None:
            return None
        count_visitor_page("kept")
        return page.make_response()


def _asks_for_page_of_all(request: HttpRequest) -> bool:
    other = page_states.OTHER_VERSIONS & request.GET.keys()
    return request.method == "GET" and not other and is_of_plain_visitor(request)


def _is_same_for_all_visitors(request: HttpRequest, response: HttpResponse) -> bool:
    # 204 says that a page which is open has not changed.
    return response.status_code in (200, 204) and not response.cookies and HAS_FORM not in request.META


def _make_key(request: HttpRequest) -> kept_pages.PageKey:
    compressed = re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")) is not None
    # Not get_full_path(), which writes two different queries alike.
    return request.scheme or "", request.get_host(), request.path, request.META.get("QUERY_STRING", ""), compressed
