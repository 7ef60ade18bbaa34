"""Figures of article classifications that a task or `score --further` can choose besides the usual ones.

The list of articles is that of classification.sort_calls_most_likely_relevant_first. Articles outside the list have no
order: ROC ends with one straight line, and ROC_n pads the list with irrelevant ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evaluation.measures.classification.article_calls import (
    ArticleCall,
    order_known_rows_most_likely_relevant_first,
    sort_calls_most_likely_relevant_first,
)
from evaluation.measures.columns import Booleans, CallColumns, Floats, Integers
from evaluation.measures.curves.roc import roc_area, roc_n
from evaluation.measures.list_order import (
    ListOrder,
    choose_rank_else_confidence_else_line,
    get_order_values_smallest_surest,
    sort_key_by_rank_else_confidence,
)
from evaluation.measures.lists.further_figures import ROC_ERRORS
from evaluation.measures.lists.ranking import divide_arrays

FURTHER_CALL_FIGURES = ("negative_precision", "fall_out", "roc_area", "roc_n")


@dataclass(frozen=True, slots=True)
class RankedCalls:
    """The list of a classification over the articles of a gold standard.

    relevant: bool [articles]; counts: float [articles, 4], tp fp fn tn, all 0 for an article that does not count;
    order: int [listed], articles, best first; steps: int [listed], equal for equally sure neighbours, never falls.
    """

    relevant: Booleans
    counts: Floats
    order: Integers
    steps: Integers


def build_call_list(gold: Mapping[str, bool], calls: Sequence[ArticleCall], counts: Floats) -> RankedCalls:
    """The list of calls of which only some may have ranks or confidences; gold: {article: relevant}."""
    indexes = {article: index for index, article in enumerate(gold)}
    listed = [call for call in sort_calls_most_likely_relevant_first(calls) if call.article in indexes]
    keys = [(call.relevant, sort_key_by_rank_else_confidence(call)) for call in listed]
    return RankedCalls(
        np.array(list(gold.values()), dtype=np.bool_),
        counts,
        np.array([indexes[call.article] for call in listed], dtype=np.int64),
        np.cumsum([0, *(int(first != second) for first, second in pairwise(keys))], dtype=np.int64)[: len(listed)],
    )


def build_call_list_of_columns(
    gold: Mapping[str, bool], calls: CallColumns, counts: Floats, order: ListOrder | None = None
) -> RankedCalls:
    """The list of the calls of a run. ValueError when the order needs a column that the calls do not have."""
    indexes = {article: index for index, article in enumerate(gold)}
    rows = order_known_rows_most_likely_relevant_first(gold, calls, order)
    values = get_order_values_smallest_surest(calls, order or choose_rank_else_confidence_else_line(calls))[rows]
    is_new_step = np.diff(values, prepend=values[:1]) != 0
    is_new_step[1:] |= np.diff(calls.relevant[rows]) != 0
    return RankedCalls(
        np.array(list(gold.values()), dtype=np.bool_),
        counts,
        np.array([indexes[calls.article[row]] for row in rows.tolist()], dtype=np.int64),
        np.cumsum(is_new_step, dtype=np.int64),
    )


def compute_further_call_figures(calls: RankedCalls, names: Sequence[str]) -> dict[str, float]:
    """{name: value} of these FURTHER_CALL_FIGURES; 0/0 is 0."""
    hits, positives = calls.relevant[calls.order], int(calls.relevant.sum())
    _, fp, fn, tn = calls.counts.sum(axis=0)
    values = {
        "negative_precision": tn / (tn + fn) if tn + fn else 0.0,
        "fall_out": fp / (fp + tn) if fp + tn else 0.0,
        "roc_area": roc_area(hits, -calls.steps.astype(np.float64), positives, len(calls.relevant) - positives),
        "roc_n": roc_n(hits, ROC_ERRORS, positives),
    }
    return {name: float(values[name]) for name in names}


def compute_further_call_figures_per_sample(
    calls: RankedCalls, names: Sequence[str], copies_by_sample: Floats
) -> dict[str, Floats]:
    """{name: float [samples]}; copies_by_sample: float [samples, articles], how often each article is drawn."""
    _, fp, fn, tn = (copies_by_sample @ calls.counts).T
    values = {
        "negative_precision": divide_arrays(tn, tn + fn),
        "fall_out": divide_arrays(fp, fp + tn),
        "roc_area": _resample_roc_areas(calls, copies_by_sample),
        "roc_n": _resample_roc_n(calls, copies_by_sample),
    }
    return {name: values[name] for name in names}


def _resample_roc_areas(calls: RankedCalls, copies: Floats) -> Floats:
    """float [samples]: how often a relevant article is ahead of another, ties half."""
    positives, negatives = copies @ calls.relevant, copies @ ~calls.relevant
    area = np.zeros(len(copies))
    found, wrong = np.zeros(len(copies)), np.zeros(len(copies))
    if len(calls.order):
        starts = np.flatnonzero(np.diff(calls.steps, prepend=-1))
        drawn, hits = copies[:, calls.order], calls.relevant[calls.order]
        step_hits, step_errors = (np.add.reduceat(drawn * mask, starts, axis=1) for mask in (hits, ~hits))
        before = np.cumsum(step_hits, axis=1) - step_hits
        area = np.sum(step_errors * (before + step_hits / 2), axis=1)
        found, wrong = step_hits.sum(axis=1), step_errors.sum(axis=1)
    area = area + (negatives - wrong) * (found + positives) / 2
    return divide_arrays(area, positives * negatives)


def _resample_roc_n(calls: RankedCalls, copies: Floats) -> Floats:
    """float [samples]: ROC_n of the list, copies of an article next to each other."""
    positives = copies @ calls.relevant
    drawn, hits = copies[:, calls.order], calls.relevant[calls.order]
    ahead, errors = np.cumsum(drawn * hits, axis=1), np.cumsum(drawn * ~hits, axis=1)
    counted = np.where(hits, 0.0, np.clip(ROC_ERRORS - (errors - drawn), 0.0, drawn))
    found, wrong = (sums[:, -1] if sums.shape[1] else np.zeros(len(copies)) for sums in (ahead, errors))
    padding = (ROC_ERRORS - np.minimum(wrong, ROC_ERRORS)) * found
    return divide_arrays(np.sum(counted * ahead, axis=1) + padding, ROC_ERRORS * positives)
