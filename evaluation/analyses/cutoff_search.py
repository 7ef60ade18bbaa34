"""The FAP cut-off: where to cut a run's lists, found on training data and applied unchanged to test data.

As in the evaluation of BioCreative II.5, confidences are tried in steps of 0.01; a run whose confidences are not
informative is cut by rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from evaluation.analyses.tables.list_tables import f_score_arrays
from evaluation.measures.columns import Booleans, Floats, GoldColumns, RunColumns
from evaluation.measures.lists.matching import mask_rows_before_first_below_cut
from evaluation.measures.lists.ranking import (
    AveragedFigures,
    RankedHits,
    compute_macro_averages_with_mean_curve_ap,
    compute_macro_curve_holding_ended_lists,
    compute_micro_averages,
    compute_micro_curve,
    divide_arrays,
    precision_at_each_row,
    select_articles_with_gold_items,
)
from evaluation.measures.lists.scenarios import DEFAULT_SCENARIO, ScoringScenario, match_run_and_mark_hits

Averaging = Literal["macro", "micro"]
CutoffCriterion = Literal["confidence", "rank"]
TRIED_CONFIDENCES = tuple(step / 100 for step in range(101))
# FAPs closer than this are equal: they differ only by rounding.
FAP_TOLERANCE = 1e-12


class TriedCutoff(NamedTuple):
    """F, average precision and FAP of the lists cut at a value."""

    value: float
    f: float
    ap: float
    fap: float


@dataclass(frozen=True, slots=True)
class CutoffSearch:
    """value: the smallest confidence (0 cuts nothing) or rank with the best FAP; tried: all values in rising order."""

    criterion: CutoffCriterion
    value: float
    fap: float
    tried: Sequence[TriedCutoff]

    def limit_scenario(self, scenario: ScoringScenario = DEFAULT_SCENARIO) -> ScoringScenario:
        """The scenario with this cut-off."""
        if self.criterion == "rank":
            return replace(scenario, cutoff_rank=int(self.value))
        return replace(scenario, min_confidence=self.value)


def search_lowest_confidence_with_best_fap(
    gold: GoldColumns, run: RunColumns, scenario: ScoringScenario = DEFAULT_SCENARIO, average: Averaging = "macro"
) -> CutoffSearch:
    """The smallest confidence of 0, 0.01, ..., 1 that gives the best FAP (IMT uses the micro average).

    ValueError when the run has no confidences, or as in match_run_and_mark_hits. Matching mentions before cutting gives
    the same figures as after, because the surest mentions are paired first.
    """
    evaluated = match_run_and_mark_hits(gold, run, _remove_cutoffs(scenario))
    if evaluated.lists.confidence is None:
        raise ValueError("The run has no confidences to cut by; search for the best rank instead.")
    confidence, document = evaluated.lists.confidence, evaluated.lists.document
    tried = []
    for value in TRIED_CONFIDENCES:
        kept = mask_rows_before_first_below_cut(confidence < value, document)
        averages = compute_micro_or_gold_only_macro_averages(
            _select_hit_rows(evaluated.ranked, kept), average, scenario.beta
        )
        tried.append(TriedCutoff(value, averages.f1, averages.ap, averages.fap))
    return _choose_best_cutoff("confidence", tried)


def search_lowest_rank_with_best_fap(
    gold: GoldColumns, run: RunColumns, scenario: ScoringScenario = DEFAULT_SCENARIO, average: Averaging = "macro"
) -> CutoffSearch:
    """The smallest rank of the run that gives the best FAP. Linear in results.

    ValueError when the run has no results for documents of the gold standard, or as in match_run_and_mark_hits.
    """
    ranked = match_run_and_mark_hits(gold, run, _remove_cutoffs(scenario)).ranked
    tried = _try_each_rank(
        ranked if average == "micro" else select_articles_with_gold_items(ranked), average, scenario.beta
    )
    if not tried:
        raise ValueError("The run has no results for documents of the gold standard, so there is nothing to cut.")
    return _choose_best_cutoff("rank", tried)


def _remove_cutoffs(scenario: ScoringScenario) -> ScoringScenario:
    return replace(scenario, cutoff_rank=None, min_confidence=None)


def _select_hit_rows(ranked: RankedHits, kept: Booleans) -> RankedHits:
    """The table with only the rows that are kept: bool [rows]."""
    lengths = np.bincount(ranked.article[kept], minlength=ranked.articles)
    return RankedHits(ranked.hits[kept], lengths, ranked.gold)


def compute_micro_or_gold_only_macro_averages(ranked: RankedHits, average: Averaging, beta: float) -> AveragedFigures:
    return (
        compute_micro_averages(ranked, beta)
        if average == "micro"
        else compute_macro_averages_with_mean_curve_ap(select_articles_with_gold_items(ranked), beta)
    )


def _try_each_rank(ranked: RankedHits, average: Averaging, beta: float = 1.0) -> list[TriedCutoff]:
    """The figures of the lists cut after each rank. The curve of a cut list is the head of the full curve."""
    curve = compute_micro_curve(ranked) if average == "micro" else compute_macro_curve_holding_ended_lists(ranked)
    ap = np.cumsum(curve.precision * np.diff(curve.recall, prepend=0.0))
    f = (
        f_score_arrays(curve.precision, curve.recall, beta)
        if average == "micro"
        else _macro_f_at_each_rank(ranked, beta)
    )
    columns = (array.tolist() for array in (f, ap, f_score_arrays(f, ap, beta)))
    return [TriedCutoff(float(rank), *figures) for rank, figures in enumerate(zip(*columns, strict=True), 1)]


def _macro_f_at_each_rank(ranked: RankedHits, beta: float) -> Floats:
    """float [ranks]: the mean of the articles' F_b after each rank, as the cumulative sum of the change by each row."""
    square, position = beta * beta, ranked.position
    hits = np.rint(precision_at_each_row(ranked) * position)
    row_f = divide_arrays((1 + square) * hits, position + square * ranked.gold[ranked.article])
    change = row_f - np.where(position > 1, np.concatenate([[0.0], row_f])[: len(row_f)], 0.0)
    return np.cumsum(np.bincount(position, weights=change)[1:]) / max(ranked.articles, 1)


def _choose_best_cutoff(criterion: CutoffCriterion, tried: Sequence[TriedCutoff]) -> CutoffSearch:
    """The first of the tried values with the highest FAP, within FAP_TOLERANCE."""
    highest = max(cutoff.fap for cutoff in tried)
    first = next(cutoff for cutoff in tried if cutoff.fap >= highest - FAP_TOLERANCE)
    return CutoffSearch(criterion, first.value, first.fap, tried)
