"""The rows of a leaderboard: one run each, with its figures, ranks and interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bcms.lib.durations import format_duration
from evaluation.measures.registry import Measure
from evaluation.runs.descriptions.description import NO_DESCRIPTION, RunDescription
from evaluation.runs.models import Run

# Decimals of a shown figure. Runs with equal shown primary figures share a rank if there is no test.
SCORE_DECIMALS = 4
# Decimals of a figure that decides nothing, where many stand beside each other.
BRIEF_DECIMALS = 3
ENSEMBLE_SORT = "ensemble"


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One figure of a run with its 95 % confidence interval; None without a score or for an undefined figure."""

    measure: Measure
    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def formatted(self) -> str:
        """The figure as text, - if there is none."""
        return self.format_figure(self.value)

    @property
    def brief(self) -> str:
        """The figure as text with fewer digits, - if there is none."""
        return self.format_figure(self.value, BRIEF_DECIMALS)

    @property
    def interval(self) -> str:
        """The interval as text, empty if there is none."""
        return self._format_interval(SCORE_DECIMALS)

    @property
    def brief_interval(self) -> str:
        """The interval as text with fewer digits, empty if there is none."""
        return self._format_interval(BRIEF_DECIMALS)

    @property
    def details(self) -> str:
        """The figure with more digits, and its interval if there is one; empty if there is no figure."""
        if self.value is None:
            return ""
        figure = self.formatted if self.measure.is_count else f"{self.value:.{SCORE_DECIMALS + 2}f}"
        return f"{figure}, 95 % confidence interval {self.interval}" if self.interval else figure

    def _format_interval(self, decimals: int) -> str:
        if self.low is None or self.high is None:
            return ""
        return f"{self.format_figure(self.low, decimals)} to {self.format_figure(self.high, decimals)}"

    def format_figure(self, value: float | None, decimals: int = SCORE_DECIMALS) -> str:
        if value is None:
            return "-"
        return str(round(value)) if self.measure.is_count else f"{value:.{decimals}f}"


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """Where the interval and the value of the primary figure are drawn, in per cent of the width, as text."""

    left: str
    right: str
    at: str

    @property
    def width(self) -> str:
        return f"{float(self.right) - float(self.left):.1f}"


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One run of a leaderboard.

    first: its rank, which is 1 plus the number of runs that are significantly better; last: the lowest rank that it may
    have. Both are None for baselines, for imported runs, for runs without a score, and until the tests are made.
    sort: a Run.Source, which is BASELINE for marked runs too, or ENSEMBLE_SORT; seconds, seconds_mean, seconds_slowest:
    median, mean and largest time of an answer in seconds, None if none was timed; confidence: mean confidence of its
    annotations; score: id of the Score of the figures; shared: other runs have the same rank; starts: it is the first
    row of its rank.
    description: empty as long as the team is anonymous to the reader.
    gain: how much the ensemble is better than the best run; gain_p: p of the paired test of the two.
    """

    run: int
    name: str
    team: str
    team_slug: str
    server_slug: str
    sort: str
    first: int | None
    last: int | None
    cells: Sequence[ScoreCell]
    curve: Sequence[tuple[float, float]]
    answered: int
    articles: int
    seconds: float | None
    signature: str
    computed: datetime | None
    seconds_mean: float | None = None
    seconds_slowest: float | None = None
    confidence: float | None = None
    score: int | None = None
    shared: bool = False
    gain: float | None = None
    gain_p: float | None = None
    bar: IntervalBar | None = None
    starts: bool = False
    description: RunDescription = NO_DESCRIPTION

    @property
    def scored(self) -> bool:
        return self.computed is not None

    @property
    def is_baseline(self) -> bool:
        return self.sort == Run.Source.BASELINE

    @property
    def is_outside(self) -> bool:
        """Whether it never has a rank: a baseline, or a run that was imported with the challenge."""
        return self.is_baseline or self.sort == Run.Source.IMPORTED

    @property
    def competes(self) -> bool:
        """Whether the run can have a rank: it is not a baseline, not imported, and its primary figure is defined."""
        return not self.is_outside and self.primary.value is not None

    @property
    def rank(self) -> str:
        """The rank as text, with = if other runs have the same rank; - without a rank."""
        return "-" if self.first is None else f"{self.first}{'=' if self.shared else ''}"

    @property
    def ranks(self) -> str:
        """The ranks that the run may have, such as 2-4; - without a rank."""
        if self.first is None:
            return "-"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def primary(self) -> ScoreCell:
        """The figure that orders the leaderboard."""
        return self.cells[0]

    @property
    def shown_gain(self) -> str:
        return "" if self.gain is None else f"{self.gain:+.{SCORE_DECIMALS}f}"

    @property
    def shown_gain_p(self) -> str:
        return "" if self.gain_p is None else f"p {format_p_value(self.gain_p)}"

    @property
    def time(self) -> str:
        return format_duration(self.seconds)


def format_p_value(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.0e}"


def add_interval_bars_on_one_scale(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """The rows with bars for the intervals of their primary figures, all on one scale."""
    ends = [end for row in rows for end in (row.primary.low, row.primary.high, row.primary.value) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return [replace(row, bar=_build_interval_bar(row.primary, low, high - low or 1.0)) for row in rows]


def _build_interval_bar(cell: ScoreCell, low: float, width: float) -> IntervalBar | None:
    """The bar of a figure on a scale from low to low + width; None without an interval."""
    if cell.low is None or cell.high is None or cell.value is None:
        return None
    # A margin of 4 % keeps dots at the ends inside.
    left, right, at = (4 + 92 * (value - low) / width for value in (cell.low, cell.high, cell.value))
    return IntervalBar(f"{left:.1f}", f"{right:.1f}", f"{at:.1f}")


def mark_first_row_of_each_rank(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """The rows with starts set at the first row of each rank."""
    ranks = [None, *(row.first for row in rows)]
    return [replace(row, starts=row.first not in (None, before)) for row, before in zip(rows, ranks, strict=False)]
