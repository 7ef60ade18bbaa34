"""Import PubMed citations as Articles, in batches that are committed one by one."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

from django.db import OperationalError, connection, connections

from annotations.articles.imports.citation_storage import (
    CitationRow,
    ImportCounts,
    make_citation_row,
    store_citations_and_apply_deletions,
)
from annotations.errors import FetchError
from annotations.formats.errors import FormatError
from annotations.formats.pubmed.reader import Citation, Deletion, iter_citations_and_deletions

BATCH = 1000
# Batches that are read ahead of storing, because reading and storing vary in speed.
BATCHES_READ_AHEAD = 3
# Batches that are stored in parallel: PostgreSQL uses one processor per connection.
PARALLEL_BATCHES = 2
# SQLSTATE codes of PostgreSQL.
DISK_FULL = "53100"
LIMIT_EXCEEDED = "54000"
TOO_MANY_WORDS = "An article has more than 1 MiB of distinct words, the limit of PostgreSQL's text search. Split it."


class ImportStoppedError(Exception):
    """An import stopped early.

    counts is what was stored before and reason a sentence. The import can be repeated safely.
    """

    def __init__(self, counts: ImportCounts, reason: str) -> None:
        self.counts = counts
        self.reason = f"{reason.rstrip('.')}."
        progress = f"Citations stored before that: {counts.stored:,}. You can safely repeat the import."
        super().__init__(f"{self.reason} {progress}")


ImportProgress = Callable[[ImportCounts], None]
RecordsStored = Callable[[int], None]


def import_citation_file(path: Path, progress: ImportProgress | None = None) -> ImportCounts:
    """Import the citations of one PubMed XML file, gzipped or not.

    Raises OSError if the file cannot be opened, and ImportStoppedError like import_citations_batch_by_batch().
    """
    with path.open("rb") as stream:
        return import_citations_in_parallel_batches(iter_citations_and_deletions(stream, path.name), progress)


def import_citations_batch_by_batch(
    citations: Iterable[Citation | Deletion], progress: ImportProgress | None = None
) -> ImportCounts:
    """Store citations and deletions, one transaction per batch; progress is called after each with the total counts.

    Raises ImportStoppedError if the source is invalid or unreachable, or if the database refuses a batch. Everything
    before that is kept, except for the refused batch.
    """
    return _sum_counts(_store_sequentially(_iter_batches(citations)), progress, None)


def import_citations_in_parallel_batches(
    citations: Iterable[Citation | Deletion],
    progress: ImportProgress | None = None,
    on_batch_stored: RecordsStored | None = None,
) -> ImportCounts:
    """Import citations like import_citations_batch_by_batch(), but read batches ahead in a thread and store two at a
    time.

    on_batch_stored is called with the number of records of each stored batch, in their order. Reading the citations
    must not need this thread's database connection. Inside a transaction of the caller, batches are stored
    sequentially.
    """
    with ThreadPoolExecutor(max_workers=1) as reader, ExitStack() as stack:
        batches = _read_ahead(_iter_batches(citations), reader)
        if connection.in_atomic_block:
            return _sum_counts(_store_sequentially(batches), progress, on_batch_stored)
        threads = [stack.enter_context(_database_thread()) for _ in range(PARALLEL_BATCHES)]
        return _sum_counts(_store_in_parallel(batches, threads), progress, on_batch_stored)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Records that are stored together.

    record_count: how many were read; repeated: how many of them have a PMID that came before in the same import; rows
    and deletions: the latest record of each PMID; fault: why nothing can be read after this batch.
    """

    record_count: int
    repeated: int
    rows: Sequence[CitationRow]
    deletions: Sequence[Deletion]
    fault: FormatError | FetchError | None = None


_StoredBatches = Iterator[tuple[_Batch, ImportCounts]]


def _sum_counts(
    stored_batches: _StoredBatches, progress: ImportProgress | None, on_stored: RecordsStored | None
) -> ImportCounts:
    counts = ImportCounts()
    try:
        for batch, batch_counts in stored_batches:
            counts += batch_counts + ImportCounts(repeated=batch.repeated)
            if on_stored is not None:
                on_stored(batch.record_count)
            if progress is not None:
                progress(counts)
            if batch.fault is not None:
                raise batch.fault
    except (FormatError, FetchError) as error:
        raise ImportStoppedError(counts, str(error)) from error
    except OperationalError as error:
        raise ImportStoppedError(counts, _explain_database_error(error)) from error
    return counts


def _read_ahead(batches: Iterator[_Batch], reader: ThreadPoolExecutor) -> Iterator[_Batch]:
    read_ahead = deque(reader.submit(next, batches, None) for _ in range(BATCHES_READ_AHEAD))
    while (batch := read_ahead.popleft().result()) is not None:
        read_ahead.append(reader.submit(next, batches, None))
        yield batch


def _store_sequentially(batches: Iterable[_Batch]) -> _StoredBatches:
    for batch in batches:
        yield batch, store_citations_and_apply_deletions(batch.rows, batch.deletions)


def _store_in_parallel(batches: Iterable[_Batch], threads: Sequence[ThreadPoolExecutor]) -> _StoredBatches:
    """Store batches in turn by these threads and yield them in their order.

    A batch that repeats an earlier record waits until all earlier batches are stored.
    """
    pending = deque[tuple[_Batch, Future[ImportCounts]]]()
    for batch, thread in zip(batches, cycle(threads), strict=False):
        while pending and (batch.repeated or len(pending) == len(threads)):
            yield _await_batch(*pending.popleft())
        pending.append((batch, thread.submit(store_citations_and_apply_deletions, batch.rows, batch.deletions)))
    while pending:
        yield _await_batch(*pending.popleft())


@contextmanager
def _database_thread() -> Iterator[ThreadPoolExecutor]:
    """A thread whose own database connection is closed at the end."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        try:
            yield thread
        finally:
            thread.submit(connections.close_all).result()


def _await_batch(batch: _Batch, future: Future[ImportCounts]) -> tuple[_Batch, ImportCounts]:
    return batch, future.result()


def _iter_batches(citations: Iterable[Citation | Deletion]) -> Iterator[_Batch]:
    records: list[Citation | Deletion] = []
    seen = set[int]()
    fault = None
    try:
        for record in citations:
            records.append(record)
            if len(records) == BATCH:
                yield _make_batch(records, seen)
                records = []
    except (FormatError, FetchError) as error:
        fault = error
    yield replace(_make_batch(records, seen), fault=fault)


def _make_batch(records: Sequence[Citation | Deletion], seen: set[int]) -> _Batch:
    latest: dict[int, Citation | Deletion] = {}
    repeated = 0
    for record in records:
        repeated += record.pmid in seen
        seen.add(record.pmid)
        before = latest.get(record.pmid)
        if before is None or _precedes(before, record):
            latest[record.pmid] = record
    rows = [make_citation_row(record) for record in latest.values() if isinstance(record, Citation)]
    deletions = [record for record in latest.values() if isinstance(record, Deletion)]
    return _Batch(len(records), repeated, rows, deletions)


def _precedes(before: Citation | Deletion, record: Citation | Deletion) -> bool:
    if isinstance(before, Citation) and isinstance(record, Citation):
        return (before.version, before.revised) <= (record.version, record.revised)
    return before.version <= record.version


def _explain_database_error(error: OperationalError) -> str:
    code = getattr(error.__cause__, "pgcode", None)
    if code == DISK_FULL:
        return "The disk of the database is full: free some space"
    if code == LIMIT_EXCEEDED:
        return TOO_MANY_WORDS
    return f"The database does not respond ({' '.join(str(error).split())}): check that it is running"
