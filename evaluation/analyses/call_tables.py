"""What each article adds to the figures of an article classification, to be drawn anew or swapped between runs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.measures.classification import Unreported, known_rows
from evaluation.measures.columns import Booleans, CallColumns, Floats, Integers
from evaluation.measures.order import Order
from evaluation.measures.ranking import divide

COUNT_FIGURES = ("tp", "fp", "fn", "tn", "sensitivity", "specificity", "accuracy", "mcc")
CALL_FIGURES = (*COUNT_FIGURES, "auc_pr", "auc_ipr", "precision_at_full_recall")


@dataclass(frozen=True, slots=True)
class CallTable:
    """counts: float [articles, 4], tp fp fn tn of each article of the gold standard, none of one that counts nowhere;
    order: int [articles], those of the run's list best first, then those that it lacks; listed: how many it has;
    relevant: bool [articles].
    """

    counts: Floats
    order: Integers
    listed: int
    relevant: Booleans

    @property
    def articles(self) -> int:
        return len(self.relevant)


def call_table(
    gold: Mapping[str, bool], calls: CallColumns, *, order: Order | None = None, unreported: Unreported = "ignore"
) -> CallTable:
    """The table of one run over {article: relevant}; arguments and errors as for run_figures.act_figures."""
    numbers = {article: number for number, article in enumerate(gold)}
    rows = known_rows(gold, calls, order)
    placed = np.array([numbers[calls.article[row]] for row in rows.tolist()], dtype=np.int64)
    relevant = np.array(list(gold.values()), dtype=np.bool_)
    reported, positive = np.zeros(len(gold), dtype=np.bool_), np.zeros(len(gold), dtype=np.bool_)
    reported[placed], positive[placed] = True, calls.relevant[rows]
    counted = reported | (unreported == "negative")
    cells = [positive & relevant, positive & ~relevant, ~positive & relevant, ~positive & ~relevant]
    counts = np.column_stack([cell & counted for cell in cells]).astype(np.float64)
    return CallTable(counts, np.concatenate([placed, np.flatnonzero(~reported)]), len(placed), relevant)


def call_samples(table: CallTable, weights: Floats) -> Floats:
    """float [CALL_FIGURES, samples]: every figure where each article counts `weights` [samples, articles] times.

    A row of weights sums to the number of articles. Copies of an article stand together in the list.
    precision_at_full_recall is nan where full recall is not reached.
    """
    sums = weights @ table.counts
    return np.stack([*(count_figure(name, sums) for name in COUNT_FIGURES), *list_areas(table, weights)])


def count_figure(name: str, sums: Floats) -> Floats:
    """The figure of COUNT_FIGURES of that name, float [samples], from sums [samples, 4] of tp fp fn tn; 0/0 is 0."""
    tp, fp, fn, tn = sums.T
    match name:
        case "sensitivity":
            return divide(tp, tp + fn)
        case "specificity":
            return divide(tn, tn + fp)
        case "accuracy":
            return divide(tp + tn, tp + fp + fn + tn)
        case "mcc":
            return divide(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    return sums[:, COUNT_FIGURES.index(name)]


def list_areas(table: CallTable, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """AUC PR, AUC iP/R and precision at full recall of each sample's list: float [samples] each."""
    hits = lists_drawn(table, weights)
    positives = weights @ table.relevant
    precision = np.cumsum(hits, axis=1) / np.arange(1, table.articles + 1)
    before = np.concatenate([np.ones((len(hits), 1)), precision[:, :-1]], axis=1)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    last = table.articles - np.argmax(hits[:, ::-1], axis=1)
    full = (hits.sum(axis=1) == positives) & (positives > 0)
    return (
        divide(np.sum(hits * (precision + before), axis=1) / 2, positives),
        divide(np.sum(hits * best, axis=1), positives),
        np.where(full, positives / last, np.nan),
    )


def lists_drawn(table: CallTable, weights: Floats) -> Booleans:
    """bool [samples, articles]: the relevant ones of each sample's list; what the run lacks stands last, as no hit."""
    hits = table.relevant[table.order]
    hits[table.listed :] = False
    copies = weights[:, table.order].astype(np.int64)
    return np.repeat(np.tile(hits, len(weights)), copies.ravel()).reshape(weights.shape)
