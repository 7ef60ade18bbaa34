"""Mentions of typed entities as items: what a mention covers, and its type."""

from collections.abc import Iterable

from annotations.schema import AnnotationData, Shape
from evaluation.measures.columns import GoldRunColumns, MentionItem
from evaluation.measures.items.article_columns import AnnotationsByArticle, build_unordered_item_columns
from evaluation.measures.items.counted_types import counts_type_of_annotation
from evaluation.measures.task_settings import TaskSettings, normalize_type_for_matching


def build_typed_mention_columns(
    gold: AnnotationsByArticle, run: AnnotationsByArticle, settings: TaskSettings
) -> GoldRunColumns:
    """The distinct mentions of the types that count, which have no order; gold and run: {article: annotations}."""
    return build_unordered_item_columns(
        group_typed_mentions_by_article(gold, settings), group_typed_mentions_by_article(run, settings)
    )


def group_typed_mentions_by_article(
    annotations_by_article: AnnotationsByArticle, settings: TaskSettings
) -> dict[str, list[MentionItem]]:
    return {
        article: list_distinct_typed_mentions(annotations, settings)
        for article, annotations in annotations_by_article.items()
    }


def list_distinct_typed_mentions(annotations: Iterable[AnnotationData], settings: TaskSettings) -> list[MentionItem]:
    """The mentions that count, in the order of the text; without a name if types do not have to match."""
    return sorted(
        {
            MentionItem(annotation.parts, normalize_type_for_matching(annotation.type) if settings.types else "")
            for annotation in annotations
            if annotation.shape is Shape.MENTION
            and annotation.parts
            and counts_type_of_annotation(annotation, settings)
        }
    )
