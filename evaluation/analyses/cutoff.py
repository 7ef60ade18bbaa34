"""The FAP cut-off: where to end a run's lists, found on training data and applied unchanged to test data.

As in the evaluation of BioCreative II.5: confidences are tried in steps of 0.01; a run whose
confidences say nothing is cut by rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from evaluation.analyses.list_tables import f_of_arrays
from evaluation.measures.columns import Booleans, Floats, GoldColumns, RunColumns
from evaluation.measures.lists import before_first
from evaluation.measures.ranking import (
    Averages,
    RankedHits,
    divide,
    macro,
    macro_curve,
    micro,
    micro_curve,
    precisions,
    with_right_items,
)
from evaluation.measures.scenarios import PLAIN, Scenario, evaluated

Average = Literal["macro", "micro"]
CutBy = Literal["confidence", "rank"]
CONFIDENCES = tuple(step / 100 for step in range(101))
# FAPs closer than this are equal: the same figure summed in another way.
EQUAL = 1e-12


class Tried(NamedTuple):
    """The figures of the lists cut at a value: F, average precision and FAP, of one average and beta."""

    value: float
    f: float
    ap: float
    fap: float


@dataclass(frozen=True, slots=True)
class Cutoff:
    """value: the smallest confidence (0 cuts nothing) or rank with the best FAP; tried: all values, rising."""

    by: CutBy
    value: float
    fap: float
    tried: Sequence[Tried]

    def applied(self, scenario: Scenario = PLAIN) -> Scenario:
        """The scenario with this cut-off."""
        if self.by == "rank":
            return replace(scenario, cutoff_rank=int(self.value))
        return replace(scenario, min_confidence=self.value)


def cutoff_by_confidence(
    gold: GoldColumns, run: RunColumns, scenario: Scenario = PLAIN, average: Average = "macro"
) -> Cutoff:
    """The smallest confidence, of 0, 0.01, ..., 1, that gives the best FAP (IMT takes the micro average).

    ValueError when the run has no confidences, or as scenarios.evaluated. Mentions are matched before they are cut,
    which is the same: the surest have the first claim.
    """
    table = evaluated(gold, run, uncut(scenario))
    if table.lists.confidence is None:
        raise ValueError("The run has no confidences to cut by; look for the best rank.")
    confidence, document = table.lists.confidence, table.lists.document
    tried = []
    for value in CONFIDENCES:
        kept = before_first(confidence < value, document)
        own = averages(shortened(table.ranked, kept), average, scenario.beta)
        tried.append(Tried(value, own.f1, own.ap, own.fap))
    return best("confidence", tried)


def cutoff_by_rank(
    gold: GoldColumns, run: RunColumns, scenario: Scenario = PLAIN, average: Average = "macro"
) -> Cutoff:
    """The smallest rank that gives the best FAP, over all ranks of the run. Cost: linear in results.

    ValueError when the run has no results for the gold standard, or as scenarios.evaluated.
    """
    ranked = evaluated(gold, run, uncut(scenario)).ranked
    tried = at_ranks(ranked if average == "micro" else with_right_items(ranked), average, scenario.beta)
    if not tried:
        raise ValueError("The run has no results for documents of the gold standard; there is nothing to cut.")
    return best("rank", tried)


def uncut(scenario: Scenario) -> Scenario:
    return replace(scenario, cutoff_rank=None, min_confidence=None)


def shortened(ranked: RankedHits, kept: Booleans) -> RankedHits:
    """The table of the rows that are kept."""
    lengths = np.bincount(ranked.article[kept], minlength=ranked.articles)
    return RankedHits(ranked.hits[kept], lengths, ranked.gold)


def averages(ranked: RankedHits, average: Average, beta: float) -> Averages:
    return micro(ranked, beta) if average == "micro" else macro(with_right_items(ranked), beta)


def at_ranks(ranked: RankedHits, average: Average, beta: float = 1.0) -> list[Tried]:
    """The figures of the lists cut after each rank. A cut curve is the head of the whole one."""
    curve = micro_curve(ranked) if average == "micro" else macro_curve(ranked)
    ap = np.cumsum(curve.precision * np.diff(curve.recall, prepend=0.0))
    f = f_of_arrays(curve.precision, curve.recall, beta) if average == "micro" else macro_f_at_ranks(ranked, beta)
    columns = (array.tolist() for array in (f, ap, f_of_arrays(f, ap, beta)))
    return [Tried(float(rank), *figures) for rank, figures in enumerate(zip(*columns, strict=True), 1)]


def macro_f_at_ranks(ranked: RankedHits, beta: float) -> Floats:
    """float [ranks]: the mean of the articles' own F_b after each rank, as the sum of what each row changes in it."""
    square, position = beta * beta, ranked.position
    found = np.rint(precisions(ranked) * position)
    own = divide((1 + square) * found, position + square * ranked.gold[ranked.article])
    change = own - np.where(position > 1, np.concatenate([[0.0], own])[: len(own)], 0.0)
    return np.cumsum(np.bincount(position, weights=change)[1:]) / max(ranked.articles, 1)


def best(by: CutBy, tried: Sequence[Tried]) -> Cutoff:
    """The first of the values, in the order tried, that is as good as any."""
    highest = max(own.fap for own in tried)
    first = next(own for own in tried if own.fap >= highest - EQUAL)
    return Cutoff(by, first.value, first.fap, tried)
