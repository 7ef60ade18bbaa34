"""Figures of an article classification (ACT): is the article relevant or not.

Source: BioCreative evaluation library 3.2. The labels give the counts. The order of the whole list gives the
precision-recall curve and the area under it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.measures.columns import Booleans, CallColumns, Integers
from evaluation.measures.confusion_counts import ConfusionCounts
from evaluation.measures.curves.precision_recall import PrecisionRecallCurve, compute_precision_recall_curve
from evaluation.measures.list_order import (
    ListOrder,
    choose_rank_else_confidence_else_line,
    get_order_values_smallest_surest,
    sort_key_by_rank_else_confidence,
)

UnreportedPolicy = Literal["negative", "ignore"]


@dataclass(frozen=True, slots=True)
class ArticleCall:
    """A run's call on one article. rank is positive and counted within its class; confidence is in (0, 1]."""

    article: str
    relevant: bool
    rank: int | None = None
    confidence: float | None = None


def count_article_calls(
    calls: Iterable[ArticleCall], gold: Mapping[str, bool], unreported: UnreportedPolicy
) -> ConfusionCounts:
    """Counts of a run against gold, {article: relevant}.

    An article that the run does not report is a negative call with unreported="negative" (challenge leaderboards) and
    is in no count with "ignore" (the official library). Calls on articles outside the gold standard are ignored.
    """
    labels = {call.article: call.relevant for call in calls}
    if unreported == "negative":
        labels = {article: labels.get(article, False) for article in gold}
    pairs = [(relevant, gold[article]) for article, relevant in labels.items() if article in gold]
    return ConfusionCounts(
        tp=pairs.count((True, True)),
        fp=pairs.count((True, False)),
        fn=pairs.count((False, True)),
        tn=pairs.count((False, False)),
    )


def sort_calls_most_likely_relevant_first(calls: Iterable[ArticleCall]) -> list[ArticleCall]:
    """All positive calls, surest first, then the negative calls, surest last.

    The surest call has the smallest rank or, without ranks, the highest confidence; calls with neither come after those
    that have one. Equally sure calls of a class are sorted by article identifier, ascending in both classes.
    """
    all_calls = list(calls)
    positive = sorted(
        (call for call in all_calls if call.relevant),
        key=lambda call: (*sort_key_by_rank_else_confidence(call), call.article),
    )
    negative = sorted(
        (call for call in all_calls if not call.relevant),
        key=lambda call: (*(-part for part in sort_key_by_rank_else_confidence(call)), call.article),
    )
    return positive + negative


def compute_article_call_curve(calls: Iterable[ArticleCall], gold: Mapping[str, bool]) -> PrecisionRecallCurve:
    """Precision and recall after each article of the gold standard, in list order; recall is of all its positives."""
    hits = [gold[call.article] for call in sort_calls_most_likely_relevant_first(calls) if call.article in gold]
    return compute_precision_recall_curve(hits, sum(gold.values()))


def count_call_columns(gold: Mapping[str, bool], calls: CallColumns, unreported: UnreportedPolicy) -> ConfusionCounts:
    """Counts of calls against gold, {article: relevant}; `unreported` as in count_article_calls."""
    gold_labels = encode_gold_labels_unknown_minus_one(gold, calls)
    is_relevant, is_other = gold_labels == 1, gold_labels == 0
    confusion = ConfusionCounts(
        tp=int((calls.relevant & is_relevant).sum()),
        fp=int((calls.relevant & is_other).sum()),
        fn=int((~calls.relevant & is_relevant).sum()),
        tn=int((~calls.relevant & is_other).sum()),
    )
    if unreported == "ignore":
        return confusion
    positives = sum(gold.values())
    missed, unreported_negatives = positives - int(is_relevant.sum()), len(gold) - positives - int(is_other.sum())
    return confusion + ConfusionCounts(fn=missed, tn=unreported_negatives)


def encode_gold_labels_unknown_minus_one(gold: Mapping[str, bool], calls: CallColumns) -> Integers:
    """int [rows]: 1 for a relevant article, 0 for another, -1 for one outside the gold standard."""
    return np.array([int(gold.get(article, -1)) for article in calls.article], dtype=np.int64)


def mark_gold_relevance_of_sorted_known_calls(
    gold: Mapping[str, bool], calls: CallColumns, order: ListOrder | None = None
) -> Booleans:
    """bool [known articles]: whether each article is relevant, in the order of
    order_known_rows_most_likely_relevant_first.

    ValueError when the order needs a column that the calls do not have.
    """
    hits: Booleans = (
        encode_gold_labels_unknown_minus_one(gold, calls)[
            order_known_rows_most_likely_relevant_first(gold, calls, order)
        ]
        == 1
    )
    return hits


def order_known_rows_most_likely_relevant_first(
    gold: Mapping[str, bool], calls: CallColumns, order: ListOrder | None = None
) -> Integers:
    """int [known articles]: the rows of the articles in the gold standard, in list order.

    ValueError when the order needs a column that the calls do not have.
    """
    gold_labels, order = (
        encode_gold_labels_unknown_minus_one(gold, calls),
        order or choose_rank_else_confidence_else_line(calls),
    )
    order_values = get_order_values_smallest_surest(calls, order)
    keys = [np.where(calls.relevant, order_values, -order_values), ~calls.relevant]
    ties = [alphabetical_positions(calls.article)] if order == "confidence" else []
    sorted_rows = np.lexsort((*ties, *keys))
    return sorted_rows[gold_labels[sorted_rows] >= 0]


def alphabetical_positions(names: Sequence[str]) -> Integers:
    """int [names]: the position of each among the sorted names."""
    positions = np.zeros(len(names), dtype=np.int64)
    positions[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return positions
