"""The items of a task with settings: mentions, links, concepts or relations, and how they are matched."""

from typing import Literal

from annotations.schema import SHAPES, Kind, Shape
from evaluation.measures.columns import GoldRunColumns
from evaluation.measures.items.article_columns import AnnotationsByArticle
from evaluation.measures.items.concepts import build_concept_columns
from evaluation.measures.items.counted_types import (
    list_entity_types_most_frequent_first,
    list_relation_types_most_frequent_first,
)
from evaluation.measures.items.links import build_link_columns
from evaluation.measures.items.relations import build_relation_columns
from evaluation.measures.items.typed_mentions import build_typed_mention_columns
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.task_settings import TaskSettings

# What is compared article by article.
ItemForm = Literal["mention", "link", "concept", "relation"]
COLUMN_BUILDERS = {
    "mention": build_typed_mention_columns,
    "link": build_link_columns,
    "concept": build_concept_columns,
    "relation": build_relation_columns,
}


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
    return COLUMN_BUILDERS[form](gold, run, settings)


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
