"""Names of the entries and organisms of an article, from the local copies of their databases."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.namespaces import build_entry_url_or_empty, namespace_title_or_raw_name
from annotations.schema import AnnotationData
from bcms.article_page.template_data import EntryReference


@dataclass(frozen=True, slots=True)
class EntryNames:
    """The known entries and organisms of an article, by database and identifier."""

    entries: Mapping[tuple[str, str], NamedEntry]
    organisms: Mapping[tuple[str, str], NamedEntry]

    def list_references(self, annotation: AnnotationData) -> list[EntryReference]:
        identifiers = [identifier for identifier in (annotation.identifier, annotation.partner) if identifier]
        return [self.build_reference(annotation.database, name, annotation.taxon) for name in identifiers]

    def build_reference(self, database: str, identifier: str, taxon: int | None = None) -> EntryReference:
        entry = self.entries.get((database, identifier))
        return EntryReference(
            namespace_title_or_raw_name(database),
            identifier,
            build_entry_url_or_empty(database, identifier),
            entry.name if entry else "",
            entry.symbol if entry else "",
            self.format_organism((entry.taxon if entry else None) or taxon),
            _format_entry_status(entry),
        )

    def format_organism(self, taxon: int | None) -> str:
        if taxon is None:
            return ""
        known = self.organisms.get(("ncbitaxon", str(taxon)))
        return known.name if known and known.name else f"taxon {taxon}"

    def collect_taxa(self, annotation: AnnotationData) -> set[int]:
        """The taxon numbers of an annotation other than a mention: its own and those of its entries."""
        identifiers = [identifier for identifier in (annotation.identifier, annotation.partner) if identifier]
        entries = [self.entries.get((annotation.database, identifier)) for identifier in identifiers]
        return {taxon for taxon in (annotation.taxon, *(entry.taxon for entry in entries if entry)) if taxon}


def _format_entry_status(entry: NamedEntry | None) -> str:
    """The note to show beside an identifier; empty if it is known to exist."""
    if entry is None or entry.exists is None:
        return "unverified"
    if not entry.exists:
        return "not in the database"
    if entry.withdrawn and not entry.successors:
        return "withdrawn"
    return f"split into {', '.join(entry.successors)}" if len(entry.successors) > 1 else ""
