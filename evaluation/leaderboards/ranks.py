"""Rank and sort the rows of a leaderboard, by paired tests or by their figures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluation.analyses.significance.multiple_testing import correct_p_values_by_holm
from evaluation.analyses.significance.shared_ranks import (
    SharedRank,
    build_symmetric_matrix_with_unit_diagonal,
    compute_rank_intervals_from_separation,
    p_values_from_counts,
)
from evaluation.leaderboards.models import Ranking
from evaluation.leaderboards.rows import ENSEMBLE_SORT, SCORE_DECIMALS, LeaderboardRow, ScoreCell
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.registry import Measure

SIGNIFICANCE_LEVEL = 0.05


def rank_rows_if_all_competing_tested(rows: Sequence[LeaderboardRow], ranking: Ranking | None) -> list[LeaderboardRow]:
    """The rows with shared ranks from the tests; without ranks unless every competing run was tested."""
    competing = [row for row in rows if row.competes]
    if len(competing) == 1:
        return _assign_ranks(rows, competing, [SharedRank(1, 1)])
    p = find_p_matrix_if_all_tested(competing, ranking)
    if p is None or not competing:
        return list(rows)
    return _assign_ranks(
        rows,
        competing,
        compute_rank_intervals_from_separation(
            compute_primary_figure_advantage_matrix(competing), apply_holm_correction(p) <= SIGNIFICANCE_LEVEL
        ),
    )


def find_p_matrix_if_all_tested(rows: Sequence[LeaderboardRow], ranking: Ranking | None) -> Floats | None:
    """float [rows, rows]: p of every two of these rows; None unless all of them were tested."""
    if ranking is None or not ranking.counts:
        return None
    indices = {score: index for index, score in enumerate(ranking.scores)}
    tested = [indices.get(row.score, -1) for row in rows]
    if -1 in tested:
        return None
    counts: Integers = np.array(ranking.counts, dtype=np.int64)
    all_pairs = build_symmetric_matrix_with_unit_diagonal(
        p_values_from_counts(counts, ranking.samples), len(ranking.scores)
    )
    return all_pairs[np.ix_(tested, tested)]


def apply_holm_correction(p_matrix: Floats) -> Floats:
    """float [runs, runs]: p of all pairs, corrected for their number by Holm's method."""
    return build_symmetric_matrix_with_unit_diagonal(
        correct_p_values_by_holm(p_matrix[np.triu_indices(len(p_matrix), 1)]), len(p_matrix)
    )


def compute_primary_figure_advantage_matrix(rows: Sequence[LeaderboardRow]) -> Floats:
    """float [rows, rows]: how much better the run of the row is than that of the column."""
    sign = 1 if rows[0].primary.measure.higher_is_better else -1
    values = sign * np.array([row.primary.value for row in rows], dtype=np.float64)
    return values[:, None] - values


def rank_competing_rows_by_shown_figure(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """The rows ranked by their shown figures; equal figures share a rank."""
    competing = [row for row in rows if row.competes]
    keys = [_compute_figure_sort_key(row) for row in competing]
    ranks = [1 + sum(other < key for other in keys) for key in keys]
    shared = [SharedRank(rank, rank + keys.count(key) - 1) for rank, key in zip(ranks, keys, strict=True)]
    return _assign_ranks(rows, competing, shared)


def _assign_ranks(
    rows: Sequence[LeaderboardRow], competing: Sequence[LeaderboardRow], ranks: Sequence[SharedRank]
) -> list[LeaderboardRow]:
    """All rows, the competing ones with their ranks."""
    by_run = {row.run: rank for row, rank in zip(competing, ranks, strict=True)}
    firsts = [rank.best for rank in ranks]
    return [
        replace(
            row,
            first=by_run[row.run].best,
            last=by_run[row.run].worst,
            shared=firsts.count(by_run[row.run].best) > 1,
        )
        if row.run in by_run
        else row
        for row in rows
    ]


def sort_leaderboard_rows_best_first(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """The rows, best first.

    By rank, within a rank by mean confidence (highest first, as in BioCreative II.5), then by figure; without ranks by
    figure. A baseline or imported run comes after the last run that is at least as good; rows without a primary figure
    come last.
    """
    by_name = sorted(rows, key=lambda row: (row.name, row.run))
    competing = sorted((row for row in by_name if row.competes), key=_compute_row_sort_key)
    baselines = sorted(
        (row for row in by_name if row.is_outside and row.primary.value is not None), key=_compute_figure_sort_key
    )
    positions = [_find_baseline_position(baseline, competing) for baseline in baselines]
    merged = sorted([*enumerate(competing), *zip(positions, baselines, strict=True)], key=lambda pair: pair[0])
    return [*(row for _, row in merged), *(row for row in by_name if row.primary.value is None)]


def _find_baseline_position(baseline: LeaderboardRow, competing: Sequence[LeaderboardRow]) -> int:
    """The index of the last competing run that is at least as good, -1 if there is none."""
    return max(
        (
            index
            for index, row in enumerate(competing)
            if _compute_figure_sort_key(row) <= _compute_figure_sort_key(baseline)
        ),
        default=-1,
    )


def _compute_row_sort_key(row: LeaderboardRow) -> tuple[float, float, float]:
    """Rank, mean confidence and figure as a sort key, best first."""
    return (row.first or 0, -(row.confidence or 0) if row.first else 0, _compute_figure_sort_key(row))


def _compute_figure_sort_key(row: LeaderboardRow) -> float:
    """The primary figure as shown, negated if higher is better: the smallest key is the best."""
    shown = round(row.primary.value or 0.0, SCORE_DECIMALS)
    return -shown if row.primary.measure.higher_is_better else shown


def build_ensemble_row_with_gain(
    ranking: Ranking | None, measures: Sequence[Measure], rows: Sequence[LeaderboardRow]
) -> LeaderboardRow | None:
    """The row of the ensemble with its gain over the best run; None if there is none or its runs are not in rows."""
    record = ranking.ensemble if ranking is not None else None
    names = {row.run: row.name for row in rows}
    if ranking is None or record is None or not set(record["runs"]) <= names.keys():
        return None
    cells = [
        ScoreCell(measure, record["figures"].get(measure.name), *record["intervals"].get(measure.name, (None, None)))
        for measure in measures
    ]
    values = [row.primary.value for row in rows if row.competes and row.primary.value is not None]
    best = (max if measures[0].higher_is_better else min)(values, default=None)
    value = cells[0].value
    return LeaderboardRow(
        run=0,
        name=f"{', '.join(names[run] for run in record['runs'])}: annotations of at least {record['votes']} of them",
        team="",
        team_slug="",
        server_slug="",
        sort=ENSEMBLE_SORT,
        first=None,
        last=None,
        cells=cells,
        curve=(),
        answered=record["answered"],
        articles=record["articles"],
        seconds=None,
        signature="",
        computed=ranking.computed,
        gain=None if best is None or value is None else value - best,
        gain_p=record.get("p"),
    )
