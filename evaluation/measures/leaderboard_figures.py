"""The figures of a leaderboard, from the annotations of a run and a gold standard. Source: BioCreative library 3.2.

In a ranked kind, an article without gold items is not in the gold standard, so predictions for it cost nothing. An
article without an answer counts as an empty list in a ranked kind and as a negative call in a classification, where the
recall of the precision-recall curve includes the positives without an answer.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from annotations.schema import AnnotationData, Span
from evaluation.measures import confusion_counts
from evaluation.measures.classification.article_calls import (
    ArticleCall,
    compute_article_call_curve,
    count_article_calls,
)
from evaluation.measures.columns import GoldRunColumns
from evaluation.measures.curves.precision_recall import (
    keep_extreme_points_per_recall_bin,
    list_recall_precision_corners,
    trapezium_area_from_precision_one,
)
from evaluation.measures.items.article_columns import build_gold_columns, build_unordered_item_columns
from evaluation.measures.list_order import sort_key_by_rank_else_confidence
from evaluation.measures.lists import ranking
from evaluation.measures.lists.list_rows import ListRows, build_run_columns_surest_first, format_item_key
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.scored_annotations import is_gene_or_untyped, keep_scored_annotations

ItemKeys = frozenset[tuple[object, ...]]
# The figures, macro and micro, of annotations that have no order, such as mentions.
UNRANKED_FIGURES = ("f1", "precision", "recall")


@dataclass(frozen=True, slots=True)
class LeaderboardFigures:
    """values: {name in evaluation/measures/registry.py: value}; curve: (recall, precision) points in list order."""

    values: Mapping[str, float | int]
    curve: Sequence[tuple[float, float]]


def compute_call_figures_unreported_negative(
    gold: Mapping[str, bool], calls: Sequence[ArticleCall]
) -> LeaderboardFigures:
    """Figures of an article classification; gold: {article: relevant}. An article without a call is a negative one."""
    table = count_article_calls(calls, gold, unreported="negative")
    curve = compute_article_call_curve(calls, gold)
    values = {
        "mcc": confusion_counts.mcc(table),
        "auc_pr": trapezium_area_from_precision_one(curve),
        "sensitivity": confusion_counts.sensitivity(table),
        "specificity": confusion_counts.specificity(table),
        "accuracy": confusion_counts.accuracy(table),
    }
    return LeaderboardFigures(
        values | asdict(table), keep_extreme_points_per_recall_bin(list_recall_precision_corners(curve))
    )


def compute_micro_and_gold_only_macro_figures(ranked: RankedHits) -> LeaderboardFigures:
    """Figures of ranked lists; the macro means are over the articles with gold items."""
    averages = {
        "macro": ranking.compute_macro_averages_with_mean_curve_ap(ranking.select_articles_with_gold_items(ranked)),
        "micro": ranking.compute_micro_averages(ranked),
    }
    values = {
        f"{average}_{name}": value for average, figures in averages.items() for name, value in asdict(figures).items()
    }
    return LeaderboardFigures(
        values, keep_extreme_points_per_recall_bin(list_recall_precision_corners(ranking.compute_micro_curve(ranked)))
    )


def compute_f1_precision_recall_without_curve(ranked: RankedHits) -> LeaderboardFigures:
    """The figures, without a curve, that need no order of the predictions: UNRANKED_FIGURES, macro and micro."""
    ranked_values = compute_micro_and_gold_only_macro_figures(ranked).values
    return LeaderboardFigures(
        {name: value for name, value in ranked_values.items() if name.partition("_")[2] in UNRANKED_FIGURES}, ()
    )


def build_list_columns_in_gold_databases(
    gold_keys_by_article: Mapping[str, ItemKeys], run_rows: ListRows
) -> GoldRunColumns:
    """The columns of ranked lists: gold_keys_by_article is {article: keys of its items}.

    Only annotations in a database that the gold standard uses count. Items are named without their database when the
    gold standard uses only one.
    """
    databases = frozenset(str(key[0]) for keys in gold_keys_by_article.values() for key in keys)
    gold_items = {
        article: [format_item_key(key, len(databases) > 1) for key in sorted(keys, key=str)]
        for article, keys in gold_keys_by_article.items()
    }
    return GoldRunColumns(
        build_gold_columns(gold_items), build_run_columns_surest_first(run_rows, gold_items, databases)
    )


def build_gene_or_untyped_mention_columns(
    gold_annotations_by_article: Mapping[str, Iterable[AnnotationData]],
    run_annotations_by_article: Mapping[str, Iterable[AnnotationData]],
) -> GoldRunColumns:
    """The columns of gene mentions, which have no order; both {article: annotations}."""
    gold_items, run_items = (
        {
            article: list_distinct_gene_or_untyped_spans(annotations)
            for article, annotations in annotations_by_article.items()
            if article in gold_annotations_by_article
        }
        for annotations_by_article in (gold_annotations_by_article, run_annotations_by_article)
    )
    return build_unordered_item_columns(gold_items, run_items)


def list_distinct_gene_or_untyped_spans(annotations: Iterable[AnnotationData]) -> list[Span]:
    """The distinct spans of gene mentions, in the order of the text; mentions of another type are left out."""
    mentions = filter(is_gene_or_untyped, annotations)
    return sorted(
        {
            Span(mention.start, mention.end)
            for mention in mentions
            if mention.start is not None and mention.end is not None
        }
    )


def map_items_to_confidence_surest_first(
    annotations_of_article: Iterable[AnnotationData], gold_databases: Collection[str]
) -> dict[tuple[object, ...], float | None]:
    """{item key: confidence} of one article's scored annotations: by rank, else by confidence, then by identifier.

    An item that occurs twice counts once, at its best position.
    """
    in_order = sorted(
        keep_scored_annotations(annotations_of_article, gold_databases),
        key=lambda annotation: (
            *sort_key_by_rank_else_confidence(annotation),
            annotation.database,
            annotation.identifier,
            annotation.partner,
        ),
    )
    listed: dict[tuple[object, ...], float | None] = {}
    for annotation in in_order:
        listed.setdefault(annotation.key, annotation.confidence)
    return listed
