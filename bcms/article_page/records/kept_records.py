"""The records of articles, kept from one choice of a reader to the next.

A reader who chooses words requests one page again and again, and reading the same records would take most of the time.
They are kept by the state that also decides whether a page that was made for a visitor is shown to the next one.
Accounts that see no more than visitors share theirs; all others have records of their own, which nobody else gets.
"""

import sys
import threading
import time
from dataclasses import dataclass

from cachetools import LRUCache
from django.core.handlers.wsgi import WSGIRequest

from bcms.article_annotations.article_lookup import find_article_for_reader
from bcms.article_page.records.article_records import ArticleRecords, add_curations_of_reader, load_article_records
from bcms.article_page.records.reader_states import AS_VISITOR, ReaderState, read_reader_state
from bcms.visitor_pages.changes import VisitorState
from bcms.visitor_pages.kept_pages import MOST_SECONDS
from bcms.visitor_pages.page_states import OTHER_VERSIONS, find_seconds_to_next_moment, read_article_state
from evaluation.visibility import ANONYMOUS_READER
from servers.teams.permissions import User

# Of what was shown last.
MOST_KEPT_BYTES = 32_000_000
# What one server or Result takes, and what the records of an article take without any.
BYTES_PER_ROW = 1000
# A knot is two numbers of a calibration curve.
BYTES_PER_KNOT = 64
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
        knots = sum(curve.number for curve in self.records.calibrations.curves.values())
        texts = 2 * sys.getsizeof(article.text) + sys.getsizeof(others)
        return texts + rows * BYTES_PER_ROW + knots * BYTES_PER_KNOT + OTHER_BYTES


@dataclass(frozen=True, slots=True)
class RecordsKey:
    article: VisitorState
    reader: ReaderState


_kept: LRUCache[RecordsKey, KeptRecords] = LRUCache(MOST_KEPT_BYTES, KeptRecords.estimate_size)
_lock = threading.Lock()


def can_be_kept(request: WSGIRequest) -> bool:
    """Whether the records of a page change with the state by which they are kept."""
    return not OTHER_VERSIONS & request.GET.keys()


def find_or_load_records(request: WSGIRequest, ident: str) -> ArticleRecords | None:
    """The records that the reader may see, None if that is no such article.

    If they are kept, 1 query for visitors, 3 for accounts, and more with a digital abstract.
    """
    began = time.monotonic()
    state = read_article_state(request, ident=ident)
    if state is None:
        return None
    key = RecordsKey(state, read_reader_state(request.user, state.article[0]))
    with _lock:
        kept = _kept.get(key)
    records = kept.records if kept and kept.until > began else _load_and_keep_records(key, request.user, ident, began)
    return records and add_curations_of_reader(records, request.user)


def _load_and_keep_records(key: RecordsKey, user: User, ident: str, began: float) -> ArticleRecords | None:
    seconds = find_seconds_to_next_moment()
    # What visitors get was never read for an account.
    reader = ANONYMOUS_READER if key.reader == AS_VISITOR else user
    article = find_article_for_reader(reader, ident)
    if article is None:
        return None
    records = load_article_records(article, reader)
    kept = KeptRecords(records, began + min(MOST_SECONDS, MOST_SECONDS if seconds is None else seconds))
    # Changes of the organizers of a challenge are not counted in the state of the article.
    is_same_reader = reader.is_anonymous or read_reader_state(user, article.pk) == key.reader
    if is_same_reader and kept.estimate_size() <= MOST_KEPT_BYTES:
        with _lock:
            _kept[key] = kept
    return records


def forget_records() -> None:
    with _lock:
        _kept.clear()
