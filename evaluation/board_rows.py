"""What a leaderboard shows of one run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bcms.lib.durations import in_words
from evaluation.measures.registry import Measure
from evaluation.models import Run

# Figures are shown with so many decimals, and runs whose primary figures look the same share a rank without a test.
DECIMALS = 4
ENSEMBLE = "ensemble"


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of a run and its 95 % interval; value is None when it has no score or the figure is undefined."""

    measure: Measure
    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def shown(self) -> str:
        return self.text(self.value)

    @property
    def interval(self) -> str:
        """The interval in words, empty where there is none."""
        return "" if self.low is None or self.high is None else f"{self.text(self.low)} to {self.text(self.high)}"

    def text(self, value: float | None) -> str:
        if value is None:
            return "-"
        return str(round(value)) if self.measure.counted else f"{value:.{DECIMALS}f}"


@dataclass(frozen=True, slots=True)
class Bar:
    """Where the interval of the leading figure is drawn: per cent of the width, as text."""

    left: str
    right: str
    at: str

    @property
    def width(self) -> str:
        return f"{float(self.right) - float(self.left):.1f}"


@dataclass(frozen=True, slots=True)
class Row:
    """One run. first: its rank, 1 and the number of runs that are significantly better; first to last: the ranks that
    it may have; both None for baselines, for runs without a score, and while the tests are made.

    seconds: the median time of an answer per article, None when none was timed; confidence: the mean of what it
    reports; score: the id of what the figures are from; starts: it is the first of those that share its rank; gain: of
    the ensemble over the best run, gain_p: of a paired test of the two.
    """

    run: int
    name: str
    team: str
    team_slug: str
    server_slug: str
    sort: str
    first: int | None
    last: int | None
    cells: Sequence[Cell]
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
    bar: Bar | None = None
    starts: bool = False

    @property
    def scored(self) -> bool:
        return self.computed is not None

    @property
    def is_baseline(self) -> bool:
        return self.sort == Run.Sort.BASELINE

    @property
    def competes(self) -> bool:
        return not self.is_baseline and self.primary.value is not None

    @property
    def rank(self) -> str:
        """Its rank, with a sign of equality when other runs have it too."""
        return "-" if self.first is None else f"{self.first}{'=' if self.shared else ''}"

    @property
    def ranks(self) -> str:
        """The ranks that it may have."""
        if self.first is None:
            return "-"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def primary(self) -> Cell:
        return self.cells[0]

    @property
    def shown_gain(self) -> str:
        return "" if self.gain is None else f"{self.gain:+.{DECIMALS}f}"

    @property
    def shown_gain_p(self) -> str:
        return "" if self.gain_p is None else f"p {p_text(self.gain_p)}"

    @property
    def time(self) -> str:
        return in_words(self.seconds)


def p_text(p: float) -> str:
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.0e}"


def with_bars(rows: Sequence[Row]) -> list[Row]:
    """The rows with the intervals of their leading figures, all drawn on one scale."""
    ends = [end for row in rows for end in (row.primary.low, row.primary.high, row.primary.value) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return [replace(row, bar=bar_of(row.primary, low, high - low or 1.0)) for row in rows]


def bar_of(cell: Cell, low: float, width: float) -> Bar | None:
    if cell.low is None or cell.high is None or cell.value is None:
        return None
    # Dots at the ends stay inside.
    left, right, at = (4 + 92 * (own - low) / width for own in (cell.low, cell.high, cell.value))
    return Bar(f"{left:.1f}", f"{right:.1f}", f"{at:.1f}")


def with_starts(rows: Sequence[Row]) -> list[Row]:
    """The rows with a mark at the first of each rank."""
    ranks = [None, *(row.first for row in rows)]
    return [replace(row, starts=row.first not in (None, before)) for row, before in zip(rows, ranks, strict=False)]
