"""Names of the entries and organisms of an article, from the local copies of their databases."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.gene_keys import get_gene_key, get_group_key
from annotations.identifiers.namespaces import build_entry_url_or_empty, namespace_title_or_raw_name
from annotations.schema import SEVEN_KINDS, AnnotationData, EntityId
from bcms.article_page.template_data import EntryReference, NamedEntity

NOT_IN_DATABASE = "not in the database"


@dataclass(frozen=True, slots=True)
class EntryNames:
    """The known entries and organisms of an article, by database and identifier.

    unchecked: what links, entities and relations name in databases without a complete table here; absent: what they
    name that a complete table does not have.
    """

    entries: Mapping[tuple[str, str], NamedEntry]
    organisms: Mapping[tuple[str, str], NamedEntry]
    unchecked: frozenset[tuple[str, str]] = frozenset()
    absent: frozenset[tuple[str, str]] = frozenset()

    def list_references(self, annotation: AnnotationData) -> list[EntryReference]:
        return [
            self.build_reference(database, identifier, annotation.taxon)
            for database, identifier in _list_entity_ids(annotation)
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
            self._format_entry_status((database, identifier), entry),
        )

    def _format_entry_status(self, key: tuple[str, str], entry: NamedEntry | None) -> str:
        """The note to show beside an identifier; empty if it is known to exist."""
        if entry is None or entry.exists is None:
            if key in self.unchecked:
                return "not checked"
            return NOT_IN_DATABASE if key in self.absent else "unverified"
        if not entry.exists:
            return NOT_IN_DATABASE
        if entry.withdrawn and not entry.successors:
            return "withdrawn"
        return f"split into {', '.join(entry.successors)}" if len(entry.successors) > 1 else ""

    def get_gene_key(self, database: str, identifier: str) -> tuple[str, str]:
        """Equal for all identifiers that are known to be of one gene, otherwise the identifier itself."""
        return get_gene_key(database, identifier, self.entries)

    def get_group_key(self, annotation: AnnotationData) -> Hashable:
        """Equal for annotations of one gene or pair of genes; AnnotationData.key for other kinds."""
        return get_group_key(annotation, self.entries)

    def is_verified(self, annotation: AnnotationData) -> bool:
        """Whether its identifiers are known to exist, or once to have existed.

        Those of entities and relations count as verified if they cannot be checked.
        """
        return all(
            ((entry := self.entries.get(each)) is not None and entry.exists)
            or (each in self.unchecked and annotation.kind not in SEVEN_KINDS)
            for each in _list_entity_ids(annotation)
        )

    def list_entities(self, annotations: Sequence[AnnotationData]) -> list[NamedEntity]:
        """The entities of annotations with one group key: a gene, both of a pair, what a mention is linked to."""
        references: dict[tuple[str, str], list[EntryReference]] = {}
        for annotation in annotations:
            for reference, each in zip(self.list_references(annotation), _list_entity_ids(annotation), strict=True):
                same_gene = references.setdefault(self.get_gene_key(*each), [])
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
        entries = [self.entries.get(each) for each in _list_entity_ids(annotation)]
        return {taxon for taxon in (annotation.taxon, *(entry.taxon for entry in entries if entry)) if taxon}


def _list_entity_ids(annotation: AnnotationData) -> list[EntityId]:
    return [each for each in annotation.iter_entity_ids() if each.identifier]
