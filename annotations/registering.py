"""Puts what an outside database says of its identifiers into the local copy, the model Entry.

Everything of one file is copied into a temporary table first and becomes entries by one statement at the end: a file
that turns out to be bad leaves nothing behind.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotations.formats.errors import RefusedFileError
from annotations.registry.descriptions import LONGEST
from annotations.registry.entries import SECOND_HAND, EntryRecord
from annotations.registry.table_lines import TableLines
from annotations.registry.tables import recognized

# Called now and then with how much of the file is read, from 0 to 1.
Progress = Callable[[float], None]
STEP = 10_000
# What a database does not hold today it may hold next week.
WHILE_UNKNOWN = timedelta(days=7)
PIECE = 1 << 16
SEPARATOR = "\x1f"
UNSTORABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]+")
ESCAPES = str.maketrans({"\\": r"\\"})

CREATE = """
    CREATE TEMPORARY TABLE incoming (number serial, database text, identifier text, "exists" boolean, name text,
    symbol text, synonyms text, taxon integer, source text, withdrawn boolean, successors text, location text,
    function text) ON COMMIT DROP
"""
COPY = """
    COPY incoming (database, identifier, "exists", name, symbol, synonyms, taxon, source, withdrawn, successors,
    location, function) FROM STDIN
"""
# An accession that is secondary in several entries was divided among them and is another name of none.
DIVIDE = """
    UPDATE incoming SET successors = divided.all_of_them, name = '', symbol = '', synonyms = '', taxon = NULL,
        location = '', function = ''
    FROM (SELECT database, identifier, string_agg(DISTINCT successors, chr(31)) AS all_of_them FROM incoming
          WHERE successors <> '' GROUP BY database, identifier HAVING count(DISTINCT successors) > 1) AS divided
    WHERE incoming.database = divided.database AND incoming.identifier = divided.identifier
        AND incoming.successors <> ''
"""
# Of one identifier the last record counts, but an entry before another's old name. Not every table tells of location
# and function: what was told of them stays.
STORE = """
    INSERT INTO annotations_entry AS entry
        (database, identifier, "exists", name, symbol, synonyms, taxon, source, withdrawn, successors, checked, due,
        location, function)
    SELECT DISTINCT ON (database, identifier) database, identifier, "exists", name, symbol,
        coalesce(string_to_array(nullif(synonyms, ''), chr(31)), '{}'), taxon, source, withdrawn,
        coalesce(string_to_array(nullif(successors, ''), chr(31)), '{}'), %(now)s,
        CASE WHEN "exists" THEN %(known)s ELSE %(unknown)s END, location, function
    FROM incoming ORDER BY database, identifier, successors <> '', number DESC
    ON CONFLICT (database, identifier) DO UPDATE SET
        "exists" = excluded."exists", name = excluded.name, symbol = excluded.symbol, synonyms = excluded.synonyms,
        taxon = excluded.taxon, source = excluded.source, withdrawn = excluded.withdrawn,
        successors = excluded.successors, checked = excluded.checked, due = excluded.due,
        location = coalesce(nullif(excluded.location, ''), entry.location),
        function = coalesce(nullif(excluded.function, ''), entry.function)
    WHERE entry."exists" IS NULL OR excluded."exists" IS NOT NULL
        AND (excluded.source <> ALL(%(second_hand)s) OR entry.source = ANY(%(second_hand)s))
"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a file was, and how many entries it brought or brought up to date."""

    title: str
    entries: int


def load_registry(path: Path, progress: Progress | None = None) -> Loaded:
    """Load a table of identifiers, whichever it is; loading it again does no harm.

    OSError when it cannot be opened, RefusedFileError with all its faults when it is bad, and then nothing is stored.
    """
    with path.open("rb") as stream:
        table = recognized(stream, path.name)
        lines = TableLines(stream, path.name)
        with transaction.atomic():
            entries = register(_watched(table.read(lines), lines, progress), timezone.now())
            if lines.faults:
                raise RefusedFileError(lines.faults)
    return Loaded(table.title, entries)


def _watched(records: Iterable[EntryRecord], lines: TableLines, progress: Progress | None) -> Iterator[EntryRecord]:
    number = 0
    for number, record in enumerate(records, 1):
        if progress and number % STEP == 0:
            progress(min(lines.position / max(lines.size, 1), 0.99))
        yield record
    if progress and number > STEP:
        progress(1.0)


@transaction.atomic
def register(records: Iterable[EntryRecord], now: datetime) -> int:
    """Add or bring up to date one Entry per record, all or none; the number of entries written.

    A text too long for its column is cut and ends in an ellipsis. Of one identifier the last record counts. What a
    second-hand table says does not replace what the database itself said.
    """
    with connection.cursor() as cursor:
        cursor.execute(CREATE)
        cursor.copy_expert(COPY, _Rows(records), PIECE)
        cursor.execute(DIVIDE)
        known, unknown = now + timedelta(days=settings.REGISTRY_DAYS), now + WHILE_UNKNOWN
        cursor.execute(STORE, {"now": now, "known": known, "unknown": unknown, "second_hand": list(SECOND_HAND)})
        written = int(cursor.rowcount)
        cursor.execute("DROP TABLE incoming")
    return written


class _Rows:
    """The records as the file that COPY reads: made as they are asked for, so that they are never all in memory."""

    def __init__(self, records: Iterable[EntryRecord]) -> None:
        self.lines = (_line(record) for record in records)
        self.rest = ""

    def read(self, size: int) -> str:
        parts, length = [self.rest], len(self.rest)
        while length < size and (line := next(self.lines, "")):
            parts.append(line)
            length += len(line)
        text = "".join(parts)
        self.rest = text[size:]
        return text[:size]


def _line(record: EntryRecord) -> str:
    cells = (
        record.database,
        _cut(record.identifier, 64),
        _flag(record.exists),
        _cut(record.name, 255),
        _cut(record.symbol, 64),
        SEPARATOR.join(_cut(synonym, 500) for synonym in record.synonyms),
        r"\N" if record.taxon is None else str(record.taxon),
        record.source,
        _flag(record.withdrawn),
        SEPARATOR.join(record.successors),
        _cut(record.location, 255),
        _cut(record.function, LONGEST),
    )
    return "\t".join(cells) + "\n"


def _flag(value: bool | None) -> str:
    return r"\N" if value is None else "tf"[not value]


def _cut(text: str, longest: int) -> str:
    """Fit to be stored and copied: no control characters, no longer than its column."""
    text = UNSTORABLE.sub(" ", text).strip()
    return (text if len(text) <= longest else text[: longest - 1] + "…").translate(ESCAPES)
