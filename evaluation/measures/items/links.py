"""Links of mentions as items: what a mention covers, and one of the entities it is linked to."""

from collections.abc import Iterable

from annotations.schema import AnnotationData, Shape
from evaluation.measures.columns import MentionItem
from evaluation.measures.items.counted_types import counts_namespace, counts_type_of_annotation
from evaluation.measures.task_settings import TaskSettings


def list_distinct_links(annotations: Iterable[AnnotationData], settings: TaskSettings) -> list[MentionItem]:
    """The links that count, in the order of the text."""
    return sorted(
        {
            MentionItem(annotation.parts, entity.curie)
            for annotation in annotations
            if annotation.shape is Shape.MENTION
            and annotation.parts
            and counts_type_of_annotation(annotation, settings)
            for entity in annotation.identifiers
            if counts_namespace(entity, settings)
        }
    )
