"""The records of articles, kept for visitors from one choice to the next.

A visitor who chooses words asks for one page again and again, and most of the time went into reading the same records.
They are kept by the state that also decides whether a page that was made for a visitor is shown to the next one.
"""

import sys
import threading
import time
from dataclasses import dataclass

from cachetools import LRUCache
from django.core.handlers.wsgi import WSGIRequest

from bcms.article_annotations.article_lookup import find_visible_article
from bcms.article_page.records.article_records import ArticleRecords, load_article_records
from bcms.visitor_pages.changes import VisitorState
from bcms.visitor_pages.kept_pages import MOST_SECONDS
from bcms.visitor_pages.page_states import OTHER_VERSIONS, find_seconds_to_next_moment, read_article_state

# Of what was shown last.
MOST_KEPT_BYTES = 32_000_000
# What one server or Result takes, and what the records of an article take without any.
BYTES_PER_ROW = 1000
OTHER_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class KeptRecords:
    """until: seconds of time.monotonic(), as what depends on the clock changes without a change of the state."""

    records: ArticleRecords
    until: float

    def estimate_size(self) -> int:
        """How much memory is taken, in bytes. A text is kept as a whole and in passages."""
        article, curation = self.records.article, self.records.curation
        others = repr((article.metadata, curation.abstract if curation else None))
        rows = len(self.records.sources) + len(self.records.latest)
        return 2 * sys.getsizeof(article.text) + sys.getsizeof(others) + rows * BYTES_PER_ROW + OTHER_BYTES


_kept: LRUCache[VisitorState, KeptRecords] = LRUCache(MOST_KEPT_BYTES, KeptRecords.estimate_size)
_lock = threading.Lock()


def are_same_for_all_visitors(request: WSGIRequest) -> bool:
    """Whether the reader of a page sees the same records as every visitor who has not logged in."""
    return request.user.is_anonymous and not OTHER_VERSIONS & request.GET.keys()


def find_or_load_records_for_visitors(request: WSGIRequest, ident: str) -> ArticleRecords | None:
    """The records that all visitors see, None if they see no such article: 1 query if they are kept."""
    began = time.monotonic()
    state = read_article_state(request, ident=ident)
    if state is None:
        return None
    with _lock:
        kept = _kept.get(state)
    if kept and kept.until > began:
        return kept.records
    seconds = find_seconds_to_next_moment()
    article = find_visible_article(request, ident)
    if article is None:
        return None
    records = load_article_records(request, article)
    kept = KeptRecords(records, began + min(MOST_SECONDS, MOST_SECONDS if seconds is None else seconds))
    if kept.estimate_size() <= MOST_KEPT_BYTES:
        with _lock:
            _kept[state] = kept
    return records


def forget_records() -> None:
    with _lock:
        _kept.clear()
