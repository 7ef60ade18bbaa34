"""The items of a task with settings: mentions, links, concepts or relations, and how they are matched."""

from collections.abc import Sequence
from typing import Literal

from annotations.schema import SHAPES, AnnotationData, Kind, Shape
from evaluation.measures.columns import GoldRunColumns
from evaluation.measures.items.article_columns import (
    AnnotationsByArticle,
    ItemConfidences,
    build_ranked_item_columns,
    build_unordered_item_columns,
)
from evaluation.measures.items.bare_identifiers import name_databases_as_in_gold
from evaluation.measures.items.concepts import map_concepts_to_confidence
from evaluation.measures.items.counted_types import (
    list_entity_types_most_frequent_first,
    list_relation_types_most_frequent_first,
    map_entities_to_types,
)
from evaluation.measures.items.links import list_distinct_links
from evaluation.measures.items.relations import map_relations_to_confidence
from evaluation.measures.items.typed_mentions import list_distinct_typed_mentions
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.task_settings import TaskSettings

# What is compared article by article.
ItemForm = Literal["mention", "link", "concept", "relation"]


def choose_item_form(kind: Kind, settings: TaskSettings) -> ItemForm:
    """What is compared for a kind of annotation. ValueError for labels, which measures/items/labels.py counts."""
    match SHAPES[kind]:
        case Shape.MENTION:
            if settings.identifiers:
                return "concept" if settings.identifiers == "article" else "link"
            return "mention"
        case Shape.ENTITY:
            return "concept"
        case Shape.RELATION:
            return "relation"
    raise ValueError(f"Annotations of the kind {kind} are labels, which have no items; count them with count_labels.")


def build_item_columns(
    form: ItemForm, gold: AnnotationsByArticle, run: AnnotationsByArticle, settings: TaskSettings
) -> GoldRunColumns:
    """The items of a gold standard and a run, both {article: annotations}, that count with these settings."""
    items = [group_items_by_article(form, by_article, settings, gold) for by_article in (gold, run)]
    if form in ("mention", "link"):
        return build_unordered_item_columns(*items)
    return build_ranked_item_columns(*items)


def group_items_by_article(
    form: ItemForm, annotations_by_article: AnnotationsByArticle, settings: TaskSettings, gold: AnnotationsByArticle
) -> dict[str, ItemConfidences]:
    """{article: {item: confidence}} of a run or a gold standard, also of articles that the gold standard does not have.

    Relations and concepts are the surest first, mentions and links in the order of the text and without confidences.
    gold: its types of entities go before those of the run, and its databases are those of bare identifiers.
    """
    return {
        article: _list_article_items(form, annotations, settings, gold.get(article, ()))
        for article, annotations in annotations_by_article.items()
    }


def _list_article_items(
    form: ItemForm, annotations: Sequence[AnnotationData], settings: TaskSettings, gold: Sequence[AnnotationData]
) -> ItemConfidences:
    match form:
        case "mention":
            return dict.fromkeys(list_distinct_typed_mentions(annotations, settings))
        case "link":
            return dict.fromkeys(list_distinct_links(annotations, settings))
        case "concept":
            return map_concepts_to_confidence(annotations, settings)
    annotations = name_databases_as_in_gold(annotations, gold)
    return map_relations_to_confidence(
        annotations, settings, map_entities_to_types(annotations, settings) | map_entities_to_types(gold, settings)
    )


def build_item_scenario(form: ItemForm, settings: TaskSettings) -> ScoringScenario:
    """All articles of the gold standard count, also those without an item; mentions match as the settings have it.

    For `partial`, which no list of hits expresses, mentions that overlap match; measures/mentions/schemes.py gives them
    half a point.
    """
    spans = "overlap" if settings.spans == "partial" else settings.spans
    return ScoringScenario(spans=spans if form in ("mention", "link") else "exact", empty_documents=True)


def select_each_type(form: ItemForm, gold: AnnotationsByArticle, settings: TaskSettings) -> dict[str, TaskSettings]:
    """{type: the settings for it alone} for the types of the gold standard, the most frequent first."""
    if form == "relation":
        types = list_relation_types_most_frequent_first(gold, settings)
        return {relation_type: settings.select_relation_type(relation_type) for relation_type in types}
    types = list_entity_types_most_frequent_first(gold, settings)
    return {entity_type: settings.select_entity_type(entity_type) for entity_type in types}
