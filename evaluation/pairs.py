"""Every two runs of a board beside each other: how far they are apart, and whether by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.board_rows import DECIMALS, Row, p_text
from evaluation.leaderboard import Board
from evaluation.ranked_rows import LEVEL, ahead_of, corrected, p_between


@dataclass(frozen=True, slots=True)
class Pair:
    """One run against another: the difference in the figure, its p, and that corrected for the number of pairs."""

    difference: float
    p: float
    corrected: float

    @property
    def sign(self) -> str:
        """Whether the run of the row is better (>), worse (<) or not to be told apart (=)."""
        if self.corrected > LEVEL or not self.difference:
            return "="
        return ">" if self.difference > 0 else "<"

    @property
    def words(self) -> str:
        return {"=": "not told apart from", ">": "better than", "<": "worse than"}[self.sign]

    @property
    def shown(self) -> str:
        return f"{self.difference:+.{DECIMALS}f}"

    @property
    def shown_p(self) -> str:
        return p_text(self.p)

    @property
    def shown_corrected(self) -> str:
        return p_text(self.corrected)


@dataclass(frozen=True, slots=True)
class PairsOf:
    """A run and its pairs with all others in the order of the board; None with itself."""

    row: Row
    pairs: Sequence[Pair | None]


@dataclass(frozen=True, slots=True)
class Matrix:
    rows: Sequence[PairsOf]
    apart: int
    total: int


def matrix_of(board: Board) -> Matrix | None:
    """All pairs of the runs of a board; None while they are not tested."""
    rows = [row for row in board.rows if row.competes]
    p = p_between(rows, board.ranking) if len(rows) > 1 else None
    if p is None:
        return None
    together, ahead = corrected(p), ahead_of(rows)
    lines = [
        PairsOf(
            row,
            [
                None if a == b else Pair(float(ahead[a, b]), float(p[a, b]), float(together[a, b]))
                for b in range(len(rows))
            ],
        )
        for a, row in enumerate(rows)
    ]
    apart = sum(pair is not None and pair.sign != "=" for line in lines for pair in line.pairs) // 2
    return Matrix(lines, apart, len(rows) * (len(rows) - 1) // 2)
