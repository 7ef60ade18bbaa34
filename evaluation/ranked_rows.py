"""The rows of a leaderboard in order: shared ranks from the tests of all pairs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluation.analyses.ranks import SharedRank, as_matrix, holm, p_of_counts, ranks_of
from evaluation.board_rows import DECIMALS, ENSEMBLE, Cell, Row
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.registry import Measure
from evaluation.models import Ranking

LEVEL = 0.05


def tested(rows: Sequence[Row], ranking: Ranking | None) -> list[Row]:
    """The rows with the ranks of the tests; without any when not all runs that compete are among those tested."""
    competing = [row for row in rows if row.competes]
    if len(competing) == 1:
        return with_ranks(rows, competing, [SharedRank(1, 1)])
    p = p_between(competing, ranking)
    if p is None or not competing:
        return list(rows)
    return with_ranks(rows, competing, ranks_of(ahead_of(competing), corrected(p) <= LEVEL))


def p_between(rows: Sequence[Row], ranking: Ranking | None) -> Floats | None:
    """float [rows, rows]: the p of every two of these rows, None while they are not all tested."""
    if ranking is None or not ranking.counts:
        return None
    places = {score: place for place, score in enumerate(ranking.scores)}
    own = [places.get(row.score, -1) for row in rows]
    if -1 in own:
        return None
    counts: Integers = np.array(ranking.counts, dtype=np.int64)
    every = as_matrix(p_of_counts(counts, ranking.samples), len(ranking.scores))
    return every[np.ix_(own, own)]


def corrected(p: Floats) -> Floats:
    """The p of all pairs of a matrix [runs, runs], corrected for their number."""
    return as_matrix(holm(p[np.triu_indices(len(p), 1)]), len(p))


def ahead_of(rows: Sequence[Row]) -> Floats:
    """float [rows, rows]: by how much the row is better than the column."""
    sign = 1 if rows[0].primary.measure.higher_is_better else -1
    values = sign * np.array([row.primary.value for row in rows], dtype=np.float64)
    return values[:, None] - values


def ranked_by_figure(rows: Sequence[Row]) -> list[Row]:
    """The rows ranked by their figures as they are shown: equal ones share a rank."""
    competing = [row for row in rows if row.competes]
    worths = [worth(row) for row in competing]
    ranks = [1 + sum(other < own for other in worths) for own in worths]
    shared = [SharedRank(rank, rank + worths.count(own) - 1) for rank, own in zip(ranks, worths, strict=True)]
    return with_ranks(rows, competing, shared)


def with_ranks(rows: Sequence[Row], competing: Sequence[Row], ranks: Sequence[SharedRank]) -> list[Row]:
    own = {row.run: rank for row, rank in zip(competing, ranks, strict=True)}
    firsts = [rank.best for rank in ranks]
    return [
        replace(row, first=own[row.run].best, last=own[row.run].worst, shared=firsts.count(own[row.run].best) > 1)
        if row.run in own
        else row
        for row in rows
    ]


def placed(rows: Sequence[Row]) -> list[Row]:
    """Best first: by rank, within a rank by the mean confidence, the highest first, as in BioCreative II.5, then by the
    figure; while there are no ranks by the figure. A baseline stands behind the last run that is as good or better;
    runs without the figure stand last."""
    every = sorted(rows, key=lambda row: (row.name, row.run))
    competing = sorted((row for row in every if row.competes), key=standing)
    baselines = sorted((row for row in every if row.is_baseline and row.primary.value is not None), key=worth)
    behind = [place_of(baseline, competing) for baseline in baselines]
    among = sorted([*enumerate(competing), *zip(behind, baselines, strict=True)], key=lambda own: own[0])
    return [*(row for _, row in among), *(row for row in every if row.primary.value is None)]


def place_of(baseline: Row, competing: Sequence[Row]) -> int:
    """The place of the last run that is as good or better, -1 where none is."""
    return max((place for place, row in enumerate(competing) if worth(row) <= worth(baseline)), default=-1)


def standing(row: Row) -> tuple[float, float, float]:
    """Smaller stands further up."""
    return (row.first or 0, -(row.confidence or 0) if row.first else 0, worth(row))


def worth(row: Row) -> float:
    """The primary figure as it is shown, smaller is better."""
    shown = round(row.primary.value or 0.0, DECIMALS)
    return -shown if row.primary.measure.higher_is_better else shown


def ensemble_row(ranking: Ranking | None, columns: Sequence[Measure], rows: Sequence[Row]) -> Row | None:
    """The row of the ensemble, and its gain over the best run; None where there is none, or its runs are gone."""
    own = ranking.ensemble if ranking is not None else None
    names = {row.run: row.name for row in rows}
    if ranking is None or own is None or not set(own["runs"]) <= names.keys():
        return None
    cells = [
        Cell(measure, own["figures"].get(measure.name), *own["intervals"].get(measure.name, (None, None)))
        for measure in columns
    ]
    values = [row.primary.value for row in rows if row.competes and row.primary.value is not None]
    best = (max if columns[0].higher_is_better else min)(values, default=None)
    value = cells[0].value
    return Row(
        run=0,
        name=f"{', '.join(names[run] for run in own['runs'])}: what at least {own['votes']} of them say",
        team="",
        team_slug="",
        server_slug="",
        sort=ENSEMBLE,
        first=None,
        last=None,
        cells=cells,
        curve=(),
        answered=own["answered"],
        articles=own["articles"],
        seconds=None,
        signature="",
        computed=ranking.computed,
        gain=None if best is None or value is None else value - best,
        gain_p=own.get("p"),
    )
