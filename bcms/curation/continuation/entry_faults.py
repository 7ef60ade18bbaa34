"""What databases say against the identifiers of a file."""

from collections.abc import Iterable, Mapping

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.namespaces import namespace_title_or_raw_name

NamedEntries = Mapping[tuple[str, str], NamedEntry]


def list_entry_faults(entities: Iterable[tuple[str, str]], entries: NamedEntries) -> list[str]:
    """A sentence about each identifier that does not exist, was replaced or is withdrawn."""
    return [fault for entity in entities if (fault := _find_entry_fault(entity, entries))]


def _find_entry_fault(entity: tuple[str, str], entries: NamedEntries) -> str:
    entry, (database, identifier) = entries.get(entity), entity
    title = namespace_title_or_raw_name(database)
    if entry is None:
        return ""
    if entry.exists is False:
        return f"{title} has no entry {identifier}. Check it for a typing error."
    if entry.current != identifier:
        return f"{identifier} was replaced by {entry.current}. Use that one."
    return f"{title} has withdrawn {identifier}. Choose another entry." if entry.withdrawn else ""
