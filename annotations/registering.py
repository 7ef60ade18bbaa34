"""Puts what an outside database says of its identifiers into the local copy, the model Entry."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from django.utils import timezone

from annotations.models import Entry
from annotations.registry import hgnc, taxonomy
from annotations.registry.entries import EntryRecord

READERS = {"hgnc": hgnc.read_entries, "species": taxonomy.read_entries}
BATCH = 2000
FIELDS = ["exists", "name", "symbol", "synonyms", "taxon", "source", "checked"]


def load_registry(path: Path, format: str) -> int:
    """Load a table, "hgnc" or "species"; the number of entries written. Loading it again does no harm.

    OSError when it cannot be opened, FormatError when it is not such a table; whole batches before the fault are kept.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        return register(READERS[format](lines, path.name), timezone.now())


def register(records: Iterable[EntryRecord], now: datetime) -> int:
    """Add or bring up to date one Entry per record, in batches that are each kept; the number of entries written.

    A text too long for its column is cut and ends in an ellipsis. Of one identifier the last record of a batch counts.
    """
    return sum(_write(batch, now) for batch in _batches(records))


def _batches(records: Iterable[EntryRecord]) -> Iterator[list[EntryRecord]]:
    rest = iter(records)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _write(batch: list[EntryRecord], now: datetime) -> int:
    # One statement may not touch a row twice.
    once = {(record.database, record.identifier): record for record in batch}
    Entry.objects.bulk_create(
        [_entry(record, now) for record in once.values()],
        update_conflicts=True,
        unique_fields=["database", "identifier"],
        update_fields=FIELDS,
    )
    return len(once)


def _entry(record: EntryRecord, now: datetime) -> Entry:
    return Entry(
        database=record.database,
        identifier=record.identifier,
        exists=record.exists,
        name=_cut(record.name, 255),
        symbol=_cut(record.symbol, 64),
        synonyms=[_cut(synonym, 500) for synonym in record.synonyms],
        taxon=record.taxon,
        source=_cut(record.source, 64),
        checked=now,
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
