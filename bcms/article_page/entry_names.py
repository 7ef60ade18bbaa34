"""Names of the entries and organisms of an article, from the local copies of their databases."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.gene_keys import get_gene_key, get_group_key
from annotations.identifiers.namespaces import build_entry_url_or_empty, namespace_title_or_raw_name
from annotations.schema import AnnotationData
from bcms.article_page.template_data import EntryReference, NamedEntity


@dataclass(frozen=True, slots=True)
class EntryNames:
    """The known entries and organisms of an article, by database and identifier."""

    entries: Mapping[tuple[str, str], NamedEntry]
    organisms: Mapping[tuple[str, str], NamedEntry]

    def list_references(self, annotation: AnnotationData) -> list[EntryReference]:
        return [
            self.build_reference(annotation.database, name, annotation.taxon) for name in _list_identifiers(annotation)
        ]

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

    def get_gene_key(self, database: str, identifier: str) -> tuple[str, str]:
        """Equal for all identifiers that are known to be of one gene, otherwise the identifier itself."""
        return get_gene_key(database, identifier, self.entries)

    def get_group_key(self, annotation: AnnotationData) -> Hashable:
        """Equal for annotations of one gene or pair of genes; AnnotationData.key for other kinds."""
        return get_group_key(annotation, self.entries)

    def is_verified(self, annotation: AnnotationData) -> bool:
        """Whether its identifiers are known to exist, or once to have existed."""
        entries = [self.entries.get((annotation.database, name)) for name in _list_identifiers(annotation)]
        return all(entry is not None and entry.exists for entry in entries)

    def list_entities(self, annotations: Sequence[AnnotationData]) -> list[NamedEntity]:
        """The entities of annotations with one group key: a gene, both of a pair, none for a mention."""
        references: dict[tuple[str, str], list[EntryReference]] = {}
        for annotation in annotations:
            for reference, name in zip(self.list_references(annotation), _list_identifiers(annotation), strict=True):
                same_gene = references.setdefault(self.get_gene_key(annotation.database, name), [])
                if reference not in same_gene:
                    same_gene.append(reference)
        entities = [NamedEntity(same_gene) for same_gene in references.values()]
        of_itself = len(entities) == 1 and any(annotation.partner for annotation in annotations)
        return entities * 2 if of_itself else entities

    def format_organism(self, taxon: int | None) -> str:
        if taxon is None:
            return ""
        known = self.organisms.get(("ncbitaxon", str(taxon)))
        return known.name if known and known.name else f"taxon {taxon}"

    def collect_taxa(self, annotation: AnnotationData) -> set[int]:
        """The taxon numbers of an annotation other than a mention: its own and those of its entries."""
        entries = [self.entries.get((annotation.database, name)) for name in _list_identifiers(annotation)]
        return {taxon for taxon in (annotation.taxon, *(entry.taxon for entry in entries if entry)) if taxon}


def _list_identifiers(annotation: AnnotationData) -> list[str]:
    return [identifier for identifier in (annotation.identifier, annotation.partner) if identifier]


def _format_entry_status(entry: NamedEntry | None) -> str:
    """The note to show beside an identifier; empty if it is known to exist."""
    if entry is None or entry.exists is None:
        return "unverified"
    if not entry.exists:
        return "not in the database"
    if entry.withdrawn and not entry.successors:
        return "withdrawn"
    return f"split into {', '.join(entry.successors)}" if len(entry.successors) > 1 else ""
