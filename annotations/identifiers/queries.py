"""Reads entries of outside databases from the local table."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.models import Entry
from annotations.identifiers.psi_mi_terms import (
    PSI_MI_NAMESPACE,
    PsiMiTerm,
    PsiMiTerms,
    load_shipped_psi_mi_terms,
)

NAMED_FIELDS = [field.name for field in fields(NamedEntry)]
UNKNOWN_ENTRY = NamedEntry("", "")


@dataclass(frozen=True, slots=True)
class EntryDescription:
    """Location and function of an entry, which help to choose between entries of the same name; "" if unknown."""

    location: str = ""
    function: str = ""


def find_named_entries(identifiers: Iterable[tuple[str, str]]) -> dict[tuple[str, str], NamedEntry]:
    """The entries for (database, identifier) pairs, without those that are not in the local table: 1 query.

    PSI-MI terms that the local table does not describe have the name and synonyms of the table of the project.
    """
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
    found = {(entry.database, entry.identifier): entry for entry in entries}
    return found | _list_shipped_terms(by_database.get(PSI_MI_NAMESPACE, set()), found)


def _list_shipped_terms(
    identifiers: Iterable[str], entries: Mapping[tuple[str, str], NamedEntry]
) -> dict[tuple[str, str], NamedEntry]:
    """The shipped PSI-MI terms among the identifiers about which no entry says whether they exist."""
    unknown = (each for each in identifiers if entries.get((PSI_MI_NAMESPACE, each), UNKNOWN_ENTRY).exists is None)
    terms = filter(None, map(load_shipped_psi_mi_terms().find_term, unknown))
    return {
        (PSI_MI_NAMESPACE, term.id): NamedEntry(
            PSI_MI_NAMESPACE, term.id, term.name, synonyms=term.synonyms, exists=True
        )
        for term in terms
    }


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


def find_psi_mi_terms() -> PsiMiTerms:
    """The PSI-MI terms of the ontology as loaded or looked up, or of the table of the project: 1 query or 2."""
    rows = _filter_current_terms().aggregate(checked=Max("checked"), number=Count("id"))
    return _build_stored_terms(rows["checked"], rows["number"]) if rows["number"] else load_shipped_psi_mi_terms()


def _filter_current_terms() -> QuerySet[Entry]:
    # Only the ontology gives parents; a term may also be here because an annotation refers to it.
    return Entry.objects.filter(database=PSI_MI_NAMESPACE, exists=True, withdrawn=False).exclude(parents=[])


@lru_cache(maxsize=1)
def _build_stored_terms(_checked: datetime, _number: int) -> PsiMiTerms:
    """The stored terms as they were checked at that time; they are kept until they are checked again."""
    rows = _filter_current_terms().order_by("identifier")
    return PsiMiTerms(
        PsiMiTerm(identifier, name, tuple(synonyms), tuple(parents))
        for identifier, name, synonyms, parents in rows.values_list("identifier", "name", "synonyms", "parents")
    )
