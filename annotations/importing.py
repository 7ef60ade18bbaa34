"""Articles in: citations of PubMed become Articles, in batches that are each kept."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

from django.db import OperationalError, connection, connections

from annotations.citation_storing import ImportCounts, Row, row_of, store
from annotations.errors import FetchError
from annotations.formats.errors import FormatError
from annotations.formats.pubmed import Citation, Deletion, read_citations

BATCH = 1000
# Batches that are read before they are stored: some are read more quickly than they are stored, others not.
AHEAD = 3
# Batches that are stored at a time: PostgreSQL works for each connection on one processor.
AT_ONCE = 2
DISK_FULL = "53100"
LIMIT_EXCEEDED = "54000"
TOO_MANY_WORDS = "An article has more words than can be searched in PostgreSQL, a MiB of different ones: split it."


class ImportStoppedError(Exception):
    """An import broke off; counts tells what is stored, reason is a sentence, and doing it again is safe."""

    def __init__(self, counts: ImportCounts, reason: str) -> None:
        self.counts = counts
        self.reason = f"{reason.rstrip('.')}."
        kept = f"Citations stored before that: {counts.stored:,}; importing again continues and does no harm."
        super().__init__(f"{self.reason} {kept}")


Progress = Callable[[ImportCounts], None]
Note = Callable[[int], None]


def import_file(path: Path, progress: Progress | None = None) -> ImportCounts:
    """The citations of one PubMed XML file, gzipped or not. OSError when it cannot be opened; else as below."""
    with path.open("rb") as stream:
        return import_ahead(read_citations(stream, path.name), progress)


def import_citations(citations: Iterable[Citation | Deletion], progress: Progress | None = None) -> ImportCounts:
    """Store citations and withdrawals, a batch a transaction; progress is told the counts so far after each.

    ImportStoppedError when the source is broken, cannot be reached, or the database can take no more; what came whole
    before that is kept, but for the batch that the database refused.
    """
    return _import(_one_by_one(_batches(citations)), progress, None)


def import_ahead(
    citations: Iterable[Citation | Deletion], progress: Progress | None = None, note: Note | None = None
) -> ImportCounts:
    """The same, with some batches read and made ready in a thread of its own while the database stores two of those
    before; note is told how many more records are stored, in their order.

    Whatever they are read from must not need this thread's connection to the database. Within a transaction of the
    caller they are stored one after the other, in it.
    """
    with ThreadPoolExecutor(max_workers=1) as reader, ExitStack() as stack:
        batches = _ahead(_batches(citations), reader)
        if connection.in_atomic_block:
            return _import(_one_by_one(batches), progress, note)
        threads = [stack.enter_context(_connected()) for _ in range(AT_ONCE)]
        return _import(_at_once(batches, threads), progress, note)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Records that are stored together: how many were read, how many of them had come before in the same import, the
    last of each PMID, and why no more can be read after them."""

    read: int
    repeated: int
    rows: Sequence[Row]
    deletions: Sequence[Deletion]
    fault: FormatError | FetchError | None = None


_Stored = Iterator[tuple[_Batch, ImportCounts]]


def _import(stored: _Stored, progress: Progress | None, note: Note | None) -> ImportCounts:
    counts = ImportCounts()
    try:
        for batch, own in stored:
            counts += own + ImportCounts(repeated=batch.repeated)
            if note is not None:
                note(batch.read)
            if progress is not None:
                progress(counts)
            if batch.fault is not None:
                raise batch.fault
    except (FormatError, FetchError) as error:
        raise ImportStoppedError(counts, str(error)) from error
    except OperationalError as error:
        raise ImportStoppedError(counts, _database_trouble(error)) from error
    return counts


def _ahead(batches: Iterator[_Batch], reader: ThreadPoolExecutor) -> Iterator[_Batch]:
    coming = deque(reader.submit(next, batches, None) for _ in range(AHEAD))
    while (batch := coming.popleft().result()) is not None:
        coming.append(reader.submit(next, batches, None))
        yield batch


def _one_by_one(batches: Iterable[_Batch]) -> _Stored:
    for batch in batches:
        yield batch, store(batch.rows, batch.deletions)


def _at_once(batches: Iterable[_Batch], threads: Sequence[ThreadPoolExecutor]) -> _Stored:
    """In the order of the batches, as many at a time as there are threads, whose turn it is one after the other. A
    batch with a record that came before waits for all before it."""
    going = deque[tuple[_Batch, Future[ImportCounts]]]()
    for batch, thread in zip(batches, cycle(threads), strict=False):
        while going and (batch.repeated or len(going) == len(threads)):
            yield _finished(*going.popleft())
        going.append((batch, thread.submit(store, batch.rows, batch.deletions)))
    while going:
        yield _finished(*going.popleft())


@contextmanager
def _connected() -> Iterator[ThreadPoolExecutor]:
    """A thread, with a connection to the database of its own when it needs one."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        try:
            yield thread
        finally:
            thread.submit(connections.close_all).result()


def _finished(batch: _Batch, storing: Future[ImportCounts]) -> tuple[_Batch, ImportCounts]:
    return batch, storing.result()


def _batches(citations: Iterable[Citation | Deletion]) -> Iterator[_Batch]:
    records: list[Citation | Deletion] = []
    seen = set[int]()
    fault = None
    try:
        for record in citations:
            records.append(record)
            if len(records) == BATCH:
                yield _batch(records, seen)
                records = []
    except (FormatError, FetchError) as error:
        fault = error
    yield replace(_batch(records, seen), fault=fault)


def _batch(records: Sequence[Citation | Deletion], seen: set[int]) -> _Batch:
    latest: dict[int, Citation | Deletion] = {}
    repeated = 0
    for record in records:
        repeated += record.pmid in seen
        seen.add(record.pmid)
        before = latest.get(record.pmid)
        if before is None or _precedes(before, record):
            latest[record.pmid] = record
    rows = [row_of(record) for record in latest.values() if isinstance(record, Citation)]
    deletions = [record for record in latest.values() if isinstance(record, Deletion)]
    return _Batch(len(records), repeated, rows, deletions)


def _precedes(before: Citation | Deletion, record: Citation | Deletion) -> bool:
    if isinstance(before, Citation) and isinstance(record, Citation):
        return (before.version, before.revised) <= (record.version, record.revised)
    return before.version <= record.version


def _database_trouble(error: OperationalError) -> str:
    code = getattr(error.__cause__, "pgcode", None)
    if code == DISK_FULL:
        return "The disk of the database is full: free some space there"
    if code == LIMIT_EXCEEDED:
        return TOO_MANY_WORDS
    return f"The database does not answer ({' '.join(str(error).split())}): see that it runs"
