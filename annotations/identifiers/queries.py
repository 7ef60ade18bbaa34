"""Reads entries of outside databases from the local table."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from django.db.models import Q

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.models import Entry

NAMED_FIELDS = [field.name for field in fields(NamedEntry)]


@dataclass(frozen=True, slots=True)
class EntryDescription:
    """Location and function of an entry, which help to choose between entries of the same name; "" if unknown."""

    location: str = ""
    function: str = ""


def find_named_entries(identifiers: Iterable[tuple[str, str]]) -> dict[tuple[str, str], NamedEntry]:
    """The entries for (database, identifier) pairs, without those that are not in the local table: 1 query."""
    by_database: dict[str, set[str]] = defaultdict(set)
    for database, identifier in identifiers:
        by_database[database].add(identifier)
    if not by_database:
        return {}
    condition = Q()
    for database, wanted in by_database.items():
        condition |= Q(database=database, identifier__in=wanted)
    rows = Entry.objects.filter(condition).order_by("database", "identifier")
    entries = [_make_named_entry(row) for row in rows.values_list(*NAMED_FIELDS)]
    return {(entry.database, entry.identifier): entry for entry in entries}


def _make_named_entry(row: tuple[Any, ...]) -> NamedEntry:
    values: tuple[Any, ...] = tuple(tuple(value) if isinstance(value, list) else value for value in row)
    return NamedEntry(*values)


def find_entry_descriptions(keys: Collection[tuple[str, str]]) -> dict[tuple[str, str], EntryDescription]:
    """Location and function of entries by (database, identifier), without unknown ones: 1 query, none without keys."""
    if not keys:
        return {}
    databases, identifiers = {database for database, _ in keys}, {identifier for _, identifier in keys}
    rows = Entry.objects.filter(identifier__in=identifiers, database__in=databases)
    columns = ("database", "identifier", "location", "function")
    known = {(database, name): EntryDescription(*rest) for database, name, *rest in rows.values_list(*columns)}
    return {key: known[key] for key in keys if key in known}


def add_stored_or_copied_successor_entries(
    entries: Mapping[tuple[str, str], NamedEntry],
) -> dict[tuple[str, str], NamedEntry]:
    """The entries together with the current ones that replace them: 1 query, none without outdated entries.

    A current entry that is not in the local table gets the names of the outdated one.
    """
    current_keys = {key: (key[0], entry.current) for key, entry in entries.items() if entry.current != key[1]}
    if not current_keys:
        return dict(entries)
    known = find_named_entries(set(current_keys.values()))
    substitutes = {
        current: replace(entries[key], identifier=current[1], withdrawn=False, successors=())
        for key, current in current_keys.items()
    }
    return {**entries, **substitutes, **{key: entry for key, entry in known.items() if entry.exists}}
