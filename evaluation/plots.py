"""The plots of a leaderboard: precision-recall curves of chosen runs, and the figure against the time of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from annotations.kinds import Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import line_chart
from bcms.lib.svg.lines import Series
from bcms.lib.svg.sheet import Panel, Sheet, as_element, as_svg
from evaluation.analyses.timing import LIMIT, TimeAndScore, beats
from evaluation.board_rows import Row
from evaluation.leaderboard import Board
from evaluation.measures.curves import interpolated
from evaluation.plotting.time_plane import time_panel

# Past so many lines nobody can follow one.
MOST_LINES = 16
# How many of the best are drawn when nobody chose.
FIRST_LINES = 8
LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A run's highest precision at each of LEVELS or more, None where it does not get so far."""

    name: str
    precision: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Plot:
    title: str
    svg: SafeString
    levels: Sequence[float]
    rows: Sequence[TableRow]


def lines_of(board: Board) -> int:
    """How many curves are drawn."""
    return MOST_LINES if board.chosen.runs else FIRST_LINES


def plot_of(board: Board) -> Plot | None:
    """The plot of the runs of a board that have a curve; None when there is none."""
    if not board.curves:
        return None
    title = title_of(board)
    drawing = line_chart(
        [Series(label(row), points(board, row), note=note(row)) for row in board.curves],
        name=f"pr-{board.task.pk}-{board.phase.pk}",
        title=title,
        description=f"One line for each of {len(board.curves)} runs; the table beneath the plot has the figures.",
        x=Axis("Recall"),
        y=Axis("Precision"),
    )
    # The chart escapes every text that it is given.
    return Plot(title, mark_safe(drawing), LEVELS, [table_row(row) for row in board.curves])


def title_of(board: Board) -> str:
    if board.task.kind == Kind.CLASSIFICATION:
        return "Precision and recall down the list of articles, best candidates first"
    return "Precision and recall at each rank, over all articles together (micro)"


def label(row: Row) -> str:
    return f"{row.name}, {row.team}" if row.team else row.name


def note(row: Row) -> str:
    return f"{row.primary.measure.label} {row.primary.shown}"


def points(board: Board, row: Row) -> Sequence[tuple[float, float]]:
    """The curve; that of a classification begins at recall 0 and precision 1, as the area under it does."""
    return [(0.0, 1.0), *row.curve] if board.task.kind == Kind.CLASSIFICATION else row.curve


def table_row(row: Row) -> TableRow:
    return TableRow(label(row), [interpolated(row.curve, level) for level in LEVELS])


def time_plot(board: Board) -> SafeString | None:
    """The plot of the runs whose answers were timed, as one element; None when there are fewer than two."""
    panel = timed(board)
    # The drawing escapes every text that it is given.
    return mark_safe(as_element(sheet_of(board, panel))) if panel else None


def time_file(board: Board) -> str | None:
    """The same as a file."""
    panel = timed(board)
    return as_svg(sheet_of(board, panel)) if panel else None


def sheet_of(board: Board, panel: Panel) -> Sheet:
    return Sheet(f"{board.task} {board.phase.sort}, online runs", [[panel]])


def timed(board: Board) -> Panel | None:
    """The figure that orders the board against the mean time of an answer."""
    rows = [row for row in board.rows if row.seconds_mean and row.primary.value is not None]
    if len(rows) < 2 or not board.columns[0].higher_is_better:
        return None
    shown = [time_of(row, rows) for row in rows]
    return time_panel(board.columns[0].label, sorted(shown, key=lambda own: (own.mean, -own.score, own.producer)))


def time_of(row: Row, rows: Sequence[Row]) -> TimeAndScore:
    """The times that the score has; best: no other run is both faster and better."""
    mean, score = row.seconds_mean or 0.0, row.primary.value or 0.0
    beaten = any(beats(other.seconds_mean or 0.0, other.primary.value or 0.0, mean, score) for other in rows)
    return TimeAndScore(row.name, score, mean, row.seconds or 0.0, row.seconds_slowest or 0.0, mean / LIMIT, not beaten)
