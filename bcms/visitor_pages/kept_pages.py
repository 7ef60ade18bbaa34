"""The pages that a process keeps for visitors, those used last."""

import threading
import time
from dataclasses import dataclass, field

from cachetools import LRUCache
from django.http import HttpResponse

from bcms.visitor_pages.changes import VisitorState

MOST_BYTES = 32_000_000
MOST_STATES = 10_000
LONGEST_PATH = 500
LARGEST_PAGE = 2_000_000
# What depends on the clock alone, such as "3 minutes ago", is that old at most.
MOST_SECONDS = 60.0
# What a page takes besides: its headers, and what Python adds.
OTHER_BYTES = 1000
# So long after its state was confirmed last, a page is still shown while the database is away, unless a request for the
# same path has found another state since.
OUTAGE_SECONDS = 3600.0


@dataclass(slots=True)
class KeptPage:
    """An answer as bytes, and how many it takes with its address.

    until, confirmed: seconds of time.monotonic(), when its state was found unchanged last.
    """

    state: VisitorState
    status: int
    headers: dict[str, str]
    body: bytes
    size: int
    until: float
    confirmed: float = field(default_factory=time.monotonic)

    def make_response(self) -> HttpResponse:
        return HttpResponse(self.body, status=self.status, headers=self.headers)


# Scheme, host, path, query as it was sent, and whether the client takes compressed answers.
PageKey = tuple[str, str, str, str, bool]
_pages: LRUCache[PageKey, KeptPage] = LRUCache(MOST_BYTES, getsizeof=lambda page: page.size)
# By path, as they were found last; None if there is nothing to show.
_states: LRUCache[str, VisitorState | None] = LRUCache(MOST_STATES)
_lock = threading.Lock()


def find_current_page(key: PageKey, state: VisitorState | None) -> KeptPage | None:
    """The page if it still is as it would be made now, for the state that was just read."""
    now = time.monotonic()
    with _lock:
        if len(path := _get_path(key)) <= LONGEST_PATH:
            _states[path] = state
        page = _pages.get(key)
        if page is None or page.state != state or page.until <= now:
            return None
        page.confirmed = now
        return page


def find_page_during_outage(key: PageKey) -> KeptPage | None:
    """The page as it was last, while nobody can say whether it has changed."""
    with _lock:
        page = _pages.get(key)
        state = _states.get(_get_path(key))
    return page if page and page.state == state and page.confirmed + OUTAGE_SECONDS > time.monotonic() else None


def keep_page(key: PageKey, state: VisitorState, response: HttpResponse, began: float, seconds: float | None) -> None:
    """Keep an answer that was made for this state.

    began: when the state was read, in seconds of time.monotonic(). seconds: after how many from then on the page
    changes by the clock, if it does.
    """
    if len(response.content) > LARGEST_PAGE:
        return
    until = began + min(MOST_SECONDS, MOST_SECONDS if seconds is None else seconds)
    size = len(response.content) + sum(len(part) for part in key[:-1]) + OTHER_BYTES
    page = KeptPage(state, response.status_code, dict(response.headers), response.content, size, until)
    with _lock:
        _pages[key] = page


def forget_pages() -> None:
    with _lock:
        _pages.clear()
        _states.clear()


def _get_path(key: PageKey) -> str:
    return key[2]
