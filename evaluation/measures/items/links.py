"""Links of mentions as items: what a mention covers, and one of the entities it is linked to."""

from collections.abc import Iterable

from annotations.schema import AnnotationData, Shape
from evaluation.measures.columns import GoldRunColumns, MentionItem
from evaluation.measures.items.article_columns import AnnotationsByArticle, build_unordered_item_columns
from evaluation.measures.items.counted_types import counts_namespace, counts_type_of_annotation
from evaluation.measures.task_settings import TaskSettings


def build_link_columns(gold: AnnotationsByArticle, run: AnnotationsByArticle, settings: TaskSettings) -> GoldRunColumns:
    """The distinct links that count, which have no order; gold and run: {article: annotations}.

    A mention with several links has as many items, one without a link none. The types of mentions decide which of them
    count; that of a right link may be another.
    """
    gold_items, run_items = (
        {article: list_distinct_links(annotations, settings) for article, annotations in by_article.items()}
        for by_article in (gold, run)
    )
    return build_unordered_item_columns(gold_items, run_items)


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
