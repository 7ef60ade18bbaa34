"""The precision-recall plot of a leaderboard, and the same figures as a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from annotations.kinds import Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import line_chart
from bcms.lib.svg.lines import Series
from evaluation.leaderboard import Board, Row
from evaluation.measures.curves import interpolated

# Past so many lines nobody can follow one; the best ones are drawn and the table has them all.
MOST_LINES = 16
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
    left_out: int


def plot_of(board: Board) -> Plot | None:
    """The plot of the runs of a board that have a curve; None when there is none."""
    if not board.curves:
        return None
    drawn = board.curves[:MOST_LINES]
    title = title_of(board)
    drawing = line_chart(
        [Series(label(row), points(board, row), note=note(row)) for row in drawn],
        name=f"pr-{board.task.pk}-{board.phase.pk}",
        title=title,
        description=f"One line for each of {len(drawn)} runs; the table beneath the plot has the figures.",
        x=Axis("Recall"),
        y=Axis("Precision"),
    )
    # The chart escapes every text that it is given.
    return Plot(
        title, mark_safe(drawing), LEVELS, [table_row(row) for row in board.curves], len(board.curves) - len(drawn)
    )


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
