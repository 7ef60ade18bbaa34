"""What each article adds to the figures of an article classification, for resampling and paired tests."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.measures.classification.article_calls import (
    UnreportedPolicy,
    order_known_rows_most_likely_relevant_first,
)
from evaluation.measures.columns import Booleans, CallColumns, Floats, Integers
from evaluation.measures.list_order import ListOrder
from evaluation.measures.lists.ranking import divide_arrays

CALL_COUNT_FIGURES = ("tp", "fp", "fn", "tn", "sensitivity", "specificity", "accuracy", "mcc")
CALL_FIGURES = (*CALL_COUNT_FIGURES, "auc_pr", "auc_ipr", "precision_at_full_recall")


@dataclass(frozen=True, slots=True)
class CallTable:
    """counts: float [articles, 4], tp fp fn tn of each article of the gold standard, all 0 for one that does not count.

    order: int [articles], the articles in the run's list, best first, then the others; listed: how many are in the
    list; relevant: bool [articles].
    """

    counts: Floats
    order: Integers
    listed: int
    relevant: Booleans

    @property
    def articles(self) -> int:
        return len(self.relevant)


def build_call_table(
    gold: Mapping[str, bool],
    calls: CallColumns,
    *,
    order: ListOrder | None = None,
    unreported: UnreportedPolicy = "ignore",
) -> CallTable:
    """The table of one run over {article: relevant}; arguments and errors as in run_figures.compute_act_figures."""
    indexes = {article: index for index, article in enumerate(gold)}
    rows = order_known_rows_most_likely_relevant_first(gold, calls, order)
    listed_indexes = np.array([indexes[calls.article[row]] for row in rows.tolist()], dtype=np.int64)
    relevant = np.array(list(gold.values()), dtype=np.bool_)
    reported, positive = np.zeros(len(gold), dtype=np.bool_), np.zeros(len(gold), dtype=np.bool_)
    reported[listed_indexes], positive[listed_indexes] = True, calls.relevant[rows]
    counted = reported | (unreported == "negative")
    cells = [positive & relevant, positive & ~relevant, ~positive & relevant, ~positive & ~relevant]
    counts = np.column_stack([cell & counted for cell in cells]).astype(np.float64)
    return CallTable(counts, np.concatenate([listed_indexes, np.flatnonzero(~reported)]), len(listed_indexes), relevant)


def compute_call_figures_per_sample(table: CallTable, article_copies_by_sample: Floats) -> Floats:
    """float [CALL_FIGURES, samples]: every figure when each article counts `article_copies_by_sample` [samples,
    articles] times.

    A row of article_copies_by_sample sums to the number of articles. Copies of an article are adjacent in the list.
    precision_at_full_recall is nan when full recall is not reached.
    """
    sums = article_copies_by_sample @ table.counts
    return np.stack(
        [
            *(compute_call_count_figure_per_sample(name, sums) for name in CALL_COUNT_FIGURES),
            *_resample_call_list_areas(table, article_copies_by_sample),
        ]
    )


def compute_call_count_figure_per_sample(figure_name: str, confusion_sums: Floats) -> Floats:
    """One of CALL_COUNT_FIGURES, float [samples], from confusion_sums [samples, 4] of tp fp fn tn; 0/0 is 0."""
    tp, fp, fn, tn = confusion_sums.T
    match figure_name:
        case "sensitivity":
            return divide_arrays(tp, tp + fn)
        case "specificity":
            return divide_arrays(tn, tn + fp)
        case "accuracy":
            return divide_arrays(tp + tn, tp + fp + fn + tn)
        case "mcc":
            return divide_arrays(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    return confusion_sums[:, CALL_COUNT_FIGURES.index(figure_name)]


def _resample_call_list_areas(table: CallTable, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """AUC PR, AUC iP/R and precision at full recall of each sample's list: float [samples] each."""
    hits = _draw_call_lists(table, weights)
    positives = weights @ table.relevant
    precision = np.cumsum(hits, axis=1) / np.arange(1, table.articles + 1)
    previous_precision = np.concatenate([np.ones((len(hits), 1)), precision[:, :-1]], axis=1)
    best_precision = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    last_hit_rank = table.articles - np.argmax(hits[:, ::-1], axis=1)
    is_full_recall = (hits.sum(axis=1) == positives) & (positives > 0)
    return (
        divide_arrays(np.sum(hits * (precision + previous_precision), axis=1) / 2, positives),
        divide_arrays(np.sum(hits * best_precision, axis=1), positives),
        np.where(is_full_recall, positives / last_hit_rank, np.nan),
    )


def _draw_call_lists(table: CallTable, weights: Floats) -> Booleans:
    """bool [samples, articles]: the hits of each sample's list; articles outside the list come last and are no hits."""
    hits = table.relevant[table.order]
    hits[table.listed :] = False
    copies = weights[:, table.order].astype(np.int64)
    return np.repeat(np.tile(hits, len(weights)), copies.ravel()).reshape(weights.shape)
