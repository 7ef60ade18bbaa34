"""Relations as items: the entities of their arguments and, if they count, type, direction or novelty.

A relation with several identifiers in an argument has an item for each of them, and for each combination if several
arguments have several. Whether a relation is negated always counts.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product

from annotations.entity_types import fold_type_spelling
from annotations.schema import AnnotationData, EntityId, RelationArgument, Shape
from evaluation.measures.columns import Item, RelationItem
from evaluation.measures.items.article_columns import (
    ItemConfidences,
)
from evaluation.measures.items.counted_types import counts_namespace, counts_relation_type
from evaluation.measures.list_order import sort_key_by_rank_else_confidence
from evaluation.measures.task_settings import TaskSettings

NOVELTY_QUALIFIER = "novelty"
TypeByEntity = Mapping[EntityId, str]


def map_relations_to_confidence(
    annotations: Iterable[AnnotationData], settings: TaskSettings, type_by_entity: TypeByEntity
) -> ItemConfidences:
    """{item: confidence} of one article: by rank, else by confidence, else in the order given.

    type_by_entity: the types of entities that have none in the relation. An item that occurs twice counts once, at its
    best position.
    """
    relations = (each for each in annotations if each.shape is Shape.RELATION and counts_relation_type(each, settings))
    confidences: dict[Item, float | None] = {}
    for relation in sorted(relations, key=sort_key_by_rank_else_confidence):
        for item in _iter_relation_items(relation, settings, type_by_entity):
            confidences.setdefault(item, relation.confidence)
    return confidences


def _iter_relation_items(
    relation: AnnotationData, settings: TaskSettings, type_by_entity: TypeByEntity
) -> Iterator[RelationItem]:
    counts_direction = settings.relation == "direction" and relation.is_directed
    for entities in product(*(_list_argument_entities(argument) for argument in relation.arguments)):
        if not all(counts_namespace(entity, settings) for entity in entities):
            continue
        types = [
            settings.normalize_type(argument.type) or type_by_entity.get(entity, "")
            for argument, entity in zip(relation.arguments, entities, strict=True)
        ]
        if not _has_excluded_type_pair(types, settings):
            yield RelationItem(
                _name_directed_arguments(relation, entities)
                if counts_direction
                else tuple(sorted(entity.curie for entity in entities)),
                "" if settings.relation == "pair" else fold_type_spelling(relation.relation_type),
                counts_direction,
                _find_novelty(relation) if settings.relation == "novelty" else "",
                relation.relation is not None and relation.relation.is_negated(),
            )


def _list_argument_entities(argument: RelationArgument) -> tuple[EntityId, ...]:
    """The entities of an argument; a mention without links counts as one that its position names."""
    positions = ",".join(f"{span.start}-{span.end}" for span in argument.spans)
    return argument.identifiers or (EntityId("", f"@{positions}"),)


def _name_directed_arguments(relation: AnnotationData, entities: Iterable[EntityId]) -> tuple[str, ...]:
    """The CURIEs in their order; with roles, which make the order irrelevant, each with its role."""
    roles = [fold_type_spelling(argument.role) for argument in relation.arguments]
    pairs = sorted(zip(roles, entities, strict=True), key=lambda pair: pair[0])
    return tuple(f"{role}={entity.curie}" if role else entity.curie for role, entity in pairs)


def _has_excluded_type_pair(types: Iterable[str], settings: TaskSettings) -> bool:
    excluded = {frozenset(map(settings.normalize_type, type_pair)) for type_pair in settings.excluded_type_pairs}
    return any(frozenset(type_pair) in excluded for type_pair in combinations(types, 2)) if excluded else False


def _find_novelty(relation: AnnotationData) -> str:
    qualifiers = relation.relation.qualifiers if relation.relation else ()
    return next((fold_type_spelling(value) for name, value in qualifiers if name.lower() == NOVELTY_QUALIFIER), "")
