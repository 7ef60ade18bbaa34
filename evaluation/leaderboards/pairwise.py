"""Pairwise comparison of the runs of a leaderboard: differences and their significance."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.leaderboards.board import Board
from evaluation.leaderboards.ranks import (
    SIGNIFICANCE_LEVEL,
    apply_holm_correction,
    compute_primary_figure_advantage_matrix,
    find_p_matrix_if_all_tested,
)
from evaluation.leaderboards.rows import SCORE_DECIMALS, LeaderboardRow, format_p_value


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs: the difference of their figures, its p, and p corrected for the number of pairs by Holm's method."""

    difference: float
    p: float
    corrected: float

    @property
    def sign(self) -> str:
        """Whether the run of the row is better (>), worse (<) or not significantly different (=)."""
        if self.corrected > SIGNIFICANCE_LEVEL or not self.difference:
            return "="
        return ">" if self.difference > 0 else "<"

    @property
    def formatted(self) -> str:
        return f"{self.difference:+.{SCORE_DECIMALS}f}"

    @property
    def shown_p(self) -> str:
        return format_p_value(self.p)

    @property
    def shown_corrected(self) -> str:
        return format_p_value(self.corrected)


@dataclass(frozen=True, slots=True)
class PairwiseRow:
    """A run and its pairs with all runs in the order of the board; None for the run itself."""

    row: LeaderboardRow
    pairs: Sequence[RunPair | None]


@dataclass(frozen=True, slots=True)
class PairwiseMatrix:
    """All runs against all; apart: number of significantly different pairs, total: number of pairs."""

    rows: Sequence[PairwiseRow]
    apart: int
    total: int


def find_holm_matrix_of_competing_runs(board: Board) -> PairwiseMatrix | None:
    """All pairs of the runs of a board; None while there are no tests."""
    rows = [row for row in board.rows if row.competes]
    p = find_p_matrix_if_all_tested(rows, board.ranking) if len(rows) > 1 else None
    if p is None:
        return None
    corrected, differences = apply_holm_correction(p), compute_primary_figure_advantage_matrix(rows)
    lines = [
        PairwiseRow(
            row,
            [
                None if a == b else RunPair(float(differences[a, b]), float(p[a, b]), float(corrected[a, b]))
                for b in range(len(rows))
            ],
        )
        for a, row in enumerate(rows)
    ]
    apart = sum(pair is not None and pair.sign != "=" for line in lines for pair in line.pairs) // 2
    return PairwiseMatrix(lines, apart, len(rows) * (len(rows) - 1) // 2)
