"""Which pages for visitors the threads of this process are making, so that one makes a page and the others wait for it.

Without that, everybody who asks while it is made would have it made, too: the more, the busier the site is.
"""

import threading

from cachetools import LRUCache

from bcms.visitor_pages.changes import VisitorState
from bcms.visitor_pages.kept_pages import PageKey

MOST_WAITING_SECONDS = 5.0
MOST_UNKEPT = 10_000

_makers: dict[PageKey, threading.Event] = {}
# Pages that were not kept when they were made last, such as those with a form: nobody waits for them.
_unkept: LRUCache[PageKey, VisitorState] = LRUCache(MOST_UNKEPT)
_lock = threading.Lock()


def begin_or_wait(key: PageKey, state: VisitorState) -> bool:
    """Whether this thread makes the page for all, and calls end() then.

    If another one is making it, this one waits until that has ended, or for MOST_WAITING_SECONDS.
    """
    with _lock:
        if _unkept.get(key) == state:
            return False
        made = _makers.get(key)
        if made is None:
            _makers[key] = threading.Event()
            return True
    made.wait(MOST_WAITING_SECONDS)
    return False


def end(key: PageKey, state: VisitorState, *, is_kept: bool) -> None:
    """Let those who wait for the page go on."""
    with _lock:
        if not is_kept:
            _unkept[key] = state
        _makers.pop(key).set()


def forget_unkept_pages() -> None:
    with _lock:
        _unkept.clear()
