"""Mentions of typed entities as items: what a mention covers, and its type."""

from collections.abc import Iterable

from annotations.schema import AnnotationData, Shape
from evaluation.measures.columns import MentionItem
from evaluation.measures.items.counted_types import counts_type_of_annotation
from evaluation.measures.task_settings import TaskSettings


def list_distinct_typed_mentions(annotations: Iterable[AnnotationData], settings: TaskSettings) -> list[MentionItem]:
    """The mentions that count, in the order of the text; without a name if types do not have to match."""
    return sorted(
        {
            MentionItem(annotation.parts, settings.normalize_type(annotation.type) if settings.types else "")
            for annotation in annotations
            if annotation.shape is Shape.MENTION
            and annotation.parts
            and counts_type_of_annotation(annotation, settings)
        }
    )
