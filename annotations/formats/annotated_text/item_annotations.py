"""The annotations of the items of a file that state their kind: entities, labels, relations, pairs and passages."""

from collections.abc import Iterable
from dataclasses import replace

from annotations.formats.annotated_text.mentions import TextEntity, TextLabel, TextRelation
from annotations.schema import (
    RELEVANT_LABEL,
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    make_entity,
    make_label,
    make_relation,
)


def build_entity_annotation(entity: TextEntity, link: EntityId) -> AnnotationData:
    """link: the only one that the entity has."""
    made = make_entity(
        link,
        entity.type,
        taxon=entity.taxon,
        text=entity.text,
        confidence=entity.confidence,
        rank=entity.rank,
    )
    return replace(made, kind=entity.kind)


def build_label_annotation(label: TextLabel) -> AnnotationData:
    """A label with its value, or a class, which may have none."""
    if label.kind is Kind.CLASSIFICATION:
        relevant = label.value == RELEVANT_LABEL if label.value else None
        return AnnotationData(label.kind, label.confidence, label.rank, relevant=relevant)
    return replace(make_label(label.name, label.value, confidence=label.confidence), rank=label.rank)


def build_relation_annotation(relation: TextRelation, arguments: Iterable[RelationArgument]) -> AnnotationData:
    """arguments: as they are stored; those of the item may have more than that."""
    return make_relation(
        relation.type,
        arguments,
        directed=relation.directed,
        qualifiers=dict(relation.qualifiers),
        evidence=relation.evidence,
        confidence=relation.confidence,
        rank=relation.rank,
    )


def build_pair_or_passage_annotation(relation: TextRelation) -> AnnotationData:
    """The pair of the first identifiers of two arguments, or a passage about it."""
    first, second = (argument.exact[0] for argument in relation.arguments)
    return AnnotationData(
        relation.kind,
        relation.confidence,
        relation.rank,
        text=relation.text,
        database=first.database,
        identifier=first.identifier,
        partner=second.identifier,
    )
