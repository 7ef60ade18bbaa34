"""Which annotations count as one because their identifiers are of one gene, by the tables of identifiers.

The article page, the disagreement of an article, the consensus and the agreement that reviewers see follow this rule;
scores do not.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace

from annotations.identifiers.entries import NamedEntry
from annotations.schema import AnnotationData, EntityId, Kind, RelationParts

EntriesByIdentifier = Mapping[tuple[str, str], NamedEntry]


def get_gene_key(database: str, identifier: str, entries: EntriesByIdentifier) -> tuple[str, str]:
    """Equal for all identifiers that are known to be of one gene, otherwise the identifier itself.

    entries has the known ones by database and identifier.
    """
    entry = entries.get((database, identifier))
    return entry.gene if entry else (database, identifier)


def get_group_key(annotation: AnnotationData, entries: EntriesByIdentifier) -> Hashable:
    """Equal for annotations of one gene, or relations between the same genes; AnnotationData.key for other kinds."""
    match annotation.kind:
        case Kind.NORMALIZATION | Kind.ENTITY:
            return get_gene_key(annotation.database, annotation.identifier, entries)
        case Kind.PAIR:
            names = (annotation.identifier, annotation.partner)
            return tuple(sorted(get_gene_key(annotation.database, name, entries) for name in names))
        case Kind.RELATION if annotation.relation is not None:
            return _name_genes_of_arguments(annotation, annotation.relation, entries).key
        case _:
            return annotation.key


def _name_genes_of_arguments(
    annotation: AnnotationData, relation: RelationParts, entries: EntriesByIdentifier
) -> AnnotationData:
    """The relation with the keys of genes as identifiers of its arguments."""
    arguments = tuple(
        replace(each, identifiers=tuple(EntityId(*get_gene_key(*name, entries)) for name in each.identifiers))
        for each in relation.arguments
    )
    return replace(annotation, relation=replace(relation, arguments=arguments))
