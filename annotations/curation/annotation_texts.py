"""Annotations of records as short texts for readers, with the names of what they are about."""

from collections.abc import Callable

from annotations.identifiers.curies import format_curie_for_readers
from annotations.schema import AnnotationData, EntityId, Shape


def describe_annotation(
    annotation: AnnotationData, name_entity: Callable[[EntityId], str], *, with_position: bool = False
) -> str:
    """An annotation in a few words. name_entity: what an entity is called; with_position: say where a mention is."""
    match annotation.shape:
        case Shape.ENTITY:
            return name_entity(EntityId(annotation.database, annotation.identifier))
        case Shape.MENTION:
            parts = ", ".join(f"{start}-{end}" for start, end in annotation.parts)
            links = "".join(f", {format_curie_for_readers(each)}" for each in annotation.identifiers)
            position = f" at {parts}" if with_position else ""
            return f"“{annotation.text}”{position}, {annotation.type or 'no type'}{links}"
        case Shape.LABEL:
            return f"{annotation.type}: {annotation.text}"
        case _:
            ends = [
                each.text or ", ".join(name_entity(entity) for entity in each.identifiers)
                for each in annotation.arguments
            ]
            return f"{annotation.relation_type}: {(' → ' if annotation.is_directed else ' – ').join(ends)}"


def format_named_curie(name: str, entity: EntityId) -> str:
    """ "CDH1 (UniProt:P12830)", or the CURIE alone without a name."""
    curie = format_curie_for_readers(entity)
    return f"{name} ({curie})" if name else curie
