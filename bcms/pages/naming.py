"""What the databases call the entries and organisms of an article."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.collation import Named
from annotations.databases import database_title, entry_page
from annotations.kinds import Finding
from bcms.pages.parts import Reference


@dataclass(frozen=True, slots=True)
class Naming:
    """What is known of the identifiers of an article and of their organisms, by database and identifier."""

    entries: Mapping[tuple[str, str], Named]
    organisms: Mapping[tuple[str, str], Named]

    def of(self, finding: Finding) -> list[Reference]:
        names = [name for name in (finding.identifier, finding.partner) if name]
        return [self.reference(finding.database, name, finding.taxon) for name in names]

    def reference(self, database: str, identifier: str, taxon: int | None = None) -> Reference:
        entry = self.entries.get((database, identifier))
        return Reference(
            database_title(database),
            identifier,
            entry_page(database, identifier),
            entry.name if entry else "",
            entry.symbol if entry else "",
            self.organism((entry.taxon if entry else None) or taxon),
            status_of(entry),
        )

    def organism(self, taxon: int | None) -> str:
        if taxon is None:
            return ""
        known = self.organisms.get(("ncbitaxon", str(taxon)))
        return known.name if known and known.name else f"taxon {taxon}"

    def taxa(self, finding: Finding) -> set[int]:
        """The organisms that a finding other than a mention is of, as it says and as its entries do."""
        entries = [self.entries.get((finding.database, name)) for name in (finding.identifier, finding.partner) if name]
        return {taxon for taxon in (finding.taxon, *(entry.taxon for entry in entries if entry)) if taxon}


def status_of(entry: Named | None) -> str:
    """What is said beside an identifier; nothing when it is known to exist."""
    if entry is None or entry.exists is None:
        return "unverified"
    if not entry.exists:
        return "not in the database"
    if entry.withdrawn and not entry.successors:
        return "withdrawn"
    return f"divided into {', '.join(entry.successors)}" if len(entry.successors) > 1 else ""
