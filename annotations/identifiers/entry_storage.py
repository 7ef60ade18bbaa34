"""Store entries of outside databases in the model Entry.

All records of a file are copied into a temporary table, and stored by one statement at the end, so that nothing is
stored of an invalid file.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotations.data_sets.changes import forget_fingerprints_of_changed_entries
from annotations.formats.errors import RefusedFileError
from annotations.identifiers.entries import SECOND_HAND_SOURCES, EntryRecord
from annotations.identifiers.entry_descriptions import LONGEST_DESCRIPTION
from annotations.identifiers.loaded_namespaces import record_loaded_namespaces
from annotations.identifiers.tables.recognition import recognize_table_by_first_lines
from annotations.identifiers.tables.table_lines import FaultNotingTableLines

# Called from time to time with the share of the file that has been read, from 0 to 1.
LoadProgress = Callable[[float], None]
PROGRESS_STEP = 10_000
# When to look up an unknown identifier again, because databases add entries.
UNKNOWN_ENTRY_LIFETIME = timedelta(days=7)
COPY_CHUNK_SIZE = 1 << 16
SEPARATOR = "\x1f"
UNSTORABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")
ESCAPES = str.maketrans({"\\": r"\\"})

CREATE = """
    CREATE TEMPORARY TABLE incoming (number serial, database text, identifier text, "exists" boolean, name text,
    symbol text, synonyms text, taxon integer, source text, withdrawn boolean, successors text, location text,
    function text, genes text, parents text) ON COMMIT DROP
"""
COPY = """
    COPY incoming (database, identifier, "exists", name, symbol, synonyms, taxon, source, withdrawn, successors,
    location, function, genes, parents) FROM STDIN
"""
# An accession that is secondary in several entries was divided into them and is an alias of none.
DIVIDE = """
    UPDATE incoming SET successors = divided.all_of_them, name = '', symbol = '', synonyms = '', taxon = NULL,
        location = '', function = '', genes = '', parents = ''
    FROM (SELECT database, identifier, string_agg(DISTINCT successors, chr(31)) AS all_of_them FROM incoming
          WHERE successors <> '' GROUP BY database, identifier HAVING count(DISTINCT successors) > 1) AS divided
    WHERE incoming.database = divided.database AND incoming.identifier = divided.identifier
        AND incoming.successors <> ''
"""
# The last record of an identifier wins, but an entry wins over an alias. A record without location, function, genes or
# parents does not overwrite them, because not every table has these.
STORE = """
    INSERT INTO annotations_entry AS entry
        (database, identifier, "exists", name, symbol, synonyms, taxon, source, withdrawn, successors, checked, due,
        location, function, genes, parents, listed)
    SELECT DISTINCT ON (database, identifier) database, identifier, "exists", name, symbol,
        coalesce(string_to_array(nullif(synonyms, ''), chr(31)), '{}'), taxon, source, withdrawn,
        coalesce(string_to_array(nullif(successors, ''), chr(31)), '{}'), %(now)s,
        CASE WHEN "exists" THEN %(known)s ELSE %(unknown)s END, location, function,
        coalesce(string_to_array(nullif(genes, ''), chr(31)), '{}'),
        coalesce(string_to_array(nullif(parents, ''), chr(31)), '{}'), %(listed)s
    FROM incoming ORDER BY database, identifier, successors <> '', number DESC
    ON CONFLICT (database, identifier) DO UPDATE SET
        "exists" = excluded."exists", name = excluded.name, symbol = excluded.symbol, synonyms = excluded.synonyms,
        taxon = excluded.taxon, source = excluded.source, withdrawn = excluded.withdrawn,
        successors = excluded.successors, checked = excluded.checked, due = excluded.due,
        location = coalesce(nullif(excluded.location, ''), entry.location),
        function = coalesce(nullif(excluded.function, ''), entry.function),
        genes = coalesce(nullif(excluded.genes, '{}'), entry.genes),
        parents = coalesce(nullif(excluded.parents, '{}'), entry.parents), listed = entry.listed OR excluded.listed
    WHERE entry."exists" IS NULL OR excluded."exists" IS NOT NULL
        AND (excluded.source <> ALL(%(second_hand)s) OR entry.source = ANY(%(second_hand)s))
"""
# A second-hand source does not replace an entry, but it may know the genes that the database itself did not list.
ADD_GENES = """
    UPDATE annotations_entry AS entry SET genes = string_to_array(incoming.genes, chr(31)) FROM incoming
    WHERE entry.database = incoming.database AND entry.identifier = incoming.identifier
        AND incoming.genes <> '' AND entry.genes = '{}'
"""
# A table has what a second-hand source did not replace, too.
MARK_LISTED = """
    UPDATE annotations_entry AS entry SET listed = true FROM incoming
    WHERE entry.database = incoming.database AND entry.identifier = incoming.identifier AND NOT entry.listed
"""
# Entries of annotations that have other successors or genes after storing: these decide what a consensus unites.
KEEP_EARLIER_LINKS = """
    CREATE TEMPORARY TABLE earlier ON COMMIT DROP AS
    SELECT id, successors, genes FROM annotations_entry
    WHERE reported AND (database, identifier) IN (SELECT database, identifier FROM incoming)
"""
LIST_CHANGED_LINKS = """
    SELECT entry.database, array_agg(entry.identifier) FROM earlier JOIN annotations_entry AS entry USING (id)
    WHERE (entry.successors, entry.genes) IS DISTINCT FROM (earlier.successors, earlier.genes) GROUP BY entry.database
"""
# Suggestions look up hundreds of lexemes, scoring thousands of names, and each look-up reads what is pending in the
# index.
FLUSH_INDEXES_AND_CLEAN_UP = """
    SELECT gin_clean_pending_list('entry_lexemes'), gin_clean_pending_list('entry_names');
    DROP TABLE incoming, earlier
"""


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """The title of a loaded table, and the number of entries that were added or updated."""

    title: str
    entries: int


def store_identifier_table_all_or_none(path: Path, report_read_share: LoadProgress | None = None) -> LoadedTable:
    """Load a table of identifiers of any supported kind; a table can be loaded again.

    Raises OSError if the file cannot be opened, and RefusedFileError with all faults if it is invalid; then nothing is
    stored.
    """
    now, numbers = timezone.now(), Counter[str]()
    with path.open("rb") as stream:
        table = recognize_table_by_first_lines(stream, path.name)
        lines = FaultNotingTableLines(stream, path.name)
        with transaction.atomic():
            records = _count_records_until_refused(table.read(lines), lines, numbers)
            entries = upsert_entries_unless_second_hand_replaces_first(
                _report_progress(records, lines, report_read_share), now, from_table=True
            )
            if lines.faults:
                raise RefusedFileError(lines.faults)
            record_loaded_namespaces(table.title, path.name, numbers, lines.complete, now)
    return LoadedTable(table.title, entries)


def _count_records_until_refused(
    records: Iterable[EntryRecord], lines: FaultNotingTableLines, numbers: Counter[str]
) -> Iterator[EntryRecord]:
    """The records, counted by database. They end where the file is refused, because COPY would hide the reason."""
    try:
        for record in records:
            numbers[record.database] += 1
            yield record
    except RefusedFileError as error:
        lines.faults = list(error.faults)


def _report_progress(
    records: Iterable[EntryRecord], lines: FaultNotingTableLines, progress: LoadProgress | None
) -> Iterator[EntryRecord]:
    number = 0
    for number, record in enumerate(records, 1):
        if progress and number % PROGRESS_STEP == 0:
            progress(min(lines.position / max(lines.size, 1), 0.99))
        yield record
    if progress and number > PROGRESS_STEP:
        progress(1.0)


@transaction.atomic
def upsert_entries_unless_second_hand_replaces_first(
    records: Iterable[EntryRecord], checked_at: datetime, *, from_table: bool = False
) -> int:
    """Add or update one Entry per record, all or none. Returns the number of entries written.

    from_table: whether they are of a loaded table, and not looked up for annotations that may not be public. A text
    that is too long for its column is cut and ends in an ellipsis. The last record of an identifier wins. A second-hand
    source does not replace what the database itself says. Data sets with annotations whose identifiers get other
    successors or genes become outdated.
    """
    with connection.cursor() as cursor:
        cursor.execute(CREATE)
        cursor.copy_expert(COPY, _CopyStream(records), COPY_CHUNK_SIZE)
        cursor.execute(DIVIDE)
        known, unknown = checked_at + timedelta(days=settings.REGISTRY_DAYS), checked_at + UNKNOWN_ENTRY_LIFETIME
        cursor.execute(KEEP_EARLIER_LINKS)
        times = {"now": checked_at, "known": known, "unknown": unknown}
        cursor.execute(STORE, {**times, "second_hand": list(SECOND_HAND_SOURCES), "listed": from_table})
        written = int(cursor.rowcount)
        cursor.execute(ADD_GENES)
        if from_table:
            cursor.execute(MARK_LISTED)
        cursor.execute(LIST_CHANGED_LINKS)
        changed = cursor.fetchall()
        cursor.execute(FLUSH_INDEXES_AND_CLEAN_UP)
    for database, identifiers in changed:
        forget_fingerprints_of_changed_entries(database, identifiers)
    return written


class _CopyStream:
    """The records as a file for COPY, formatted lazily, so that they are never all in memory."""

    def __init__(self, records: Iterable[EntryRecord]) -> None:
        self.lines = (_format_entry_line(record) for record in records)
        self.buffer = ""

    def read(self, size: int) -> str:
        """The next characters, at most `size`; "" at the end."""
        parts, length = [self.buffer], len(self.buffer)
        while length < size and (line := next(self.lines, "")):
            parts.append(line)
            length += len(line)
        text = "".join(parts)
        self.buffer = text[size:]
        return text[:size]


def _format_entry_line(record: EntryRecord) -> str:
    cells = (
        record.database,
        _fit_column(record.identifier, 64),
        _format_flag(record.exists),
        _fit_column(record.name, 255),
        _fit_column(record.symbol, 64),
        SEPARATOR.join(_fit_column(synonym, 500) for synonym in record.synonyms),
        r"\N" if record.taxon is None else str(record.taxon),
        record.source,
        _format_flag(record.withdrawn),
        SEPARATOR.join(record.successors),
        _fit_column(record.location, 255),
        _fit_column(record.function, LONGEST_DESCRIPTION),
        SEPARATOR.join(record.genes),
        SEPARATOR.join(record.parents),
    )
    return "\t".join(cells) + "\n"


def _format_flag(value: bool | None) -> str:
    return r"\N" if value is None else "tf"[not value]


def _fit_column(text: str, longest: int) -> str:
    """The text escaped for COPY, without control characters, and no longer than its column."""
    text = UNSTORABLE.sub(" ", text).strip()
    return (text if len(text) <= longest else text[: longest - 1] + "…").translate(ESCAPES)
