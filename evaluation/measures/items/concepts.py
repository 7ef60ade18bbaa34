"""The entities of an article as items: those of its mentions, and those that it has as a whole."""

from collections.abc import Iterable

from annotations.schema import AnnotationData, Shape
from evaluation.measures.items.article_columns import (
    ItemConfidences,
)
from evaluation.measures.items.counted_types import counts_namespace, counts_type_of_annotation
from evaluation.measures.list_order import sort_key_by_rank_else_confidence
from evaluation.measures.task_settings import TaskSettings


def map_concepts_to_confidence(annotations: Iterable[AnnotationData], settings: TaskSettings) -> ItemConfidences:
    """{CURIE: highest confidence} of one article: by rank, else by confidence, else by number of mentions.

    Equal ones are in the order of their first mention, then of their CURIEs.
    """
    found: dict[str, list[AnnotationData]] = {}
    for annotation in annotations:
        if annotation.shape in (Shape.MENTION, Shape.ENTITY) and counts_type_of_annotation(annotation, settings):
            for entity in annotation.iter_entity_ids():
                if counts_namespace(entity, settings):
                    found.setdefault(entity.curie, []).append(annotation)

    def key(curie: str) -> tuple[tuple[float, float], int, int, str]:
        surest = min(map(sort_key_by_rank_else_confidence, found[curie]))
        return surest, -len(found[curie]), min(each.start or 0 for each in found[curie]), curie

    return {curie: _choose_highest_confidence(found[curie]) for curie in sorted(found, key=key)}


def _choose_highest_confidence(annotations: Iterable[AnnotationData]) -> float | None:
    return max((each.confidence for each in annotations if each.confidence is not None), default=None)
