"""The plots of a leaderboard: precision-recall curves, and the primary figure against the time of an answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from annotations.schema import Kind
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.plot_sheets import (
    PlotPanel,
    PlotSheet,
    render_drawing_element,
    render_sheet_element,
    render_sheet_file,
)
from bcms.lib.svg.series_lines import LineSeries
from evaluation.analyses.time_and_score import ARTICLE_TIME_LIMIT, TimeAndScore, is_other_pareto_better
from evaluation.leaderboards.board import Board
from evaluation.leaderboards.rows import LeaderboardRow
from evaluation.measures.curves.precision_recall import find_highest_precision_from_recall
from evaluation.plotting.time_plane import build_time_and_score_panel

# With more lines a plot is no longer readable.
MAX_CURVES = 16
# How many of the best runs are drawn if the reader chose none.
DEFAULT_CURVES = 8
RECALL_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class PrecisionRow:
    """The highest precision of a run at each of RECALL_LEVELS or more; None if the run does not reach the level."""

    name: str
    precision: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """A drawing of curves and the table of their figures; levels: the recall of its columns."""

    title: str
    svg: SafeString
    levels: Sequence[float]
    rows: Sequence[PrecisionRow]


@dataclass(frozen=True, slots=True)
class TimePlot:
    """A drawing of figures against times, a note for readers, and the table of its figures, as text."""

    svg: SafeString
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def choose_max_drawn_curves(board: Board) -> int:
    """The largest number of curves to draw."""
    return MAX_CURVES if board.chosen.runs else DEFAULT_CURVES


def render_precision_recall_plot(board_with_curves: Board) -> CurvePlot | None:
    """The precision-recall curves of a board; None if no run has one."""
    if not board_with_curves.curves:
        return None
    title = _format_curve_title(board_with_curves)
    drawing = render_line_chart(
        [
            LineSeries(
                _format_run_label(row), _list_curve_points(board_with_curves, row), note=_format_primary_figure(row)
            )
            for row in board_with_curves.curves
        ],
        id_prefix=f"pr-{board_with_curves.task.pk}-{board_with_curves.phase.pk}",
        title=title,
        description=f"One line for each of {len(board_with_curves.curves)} runs. "
        "The table below the plot has the figures.",
        x_axis=Axis("Recall"),
        y_axis=Axis("Precision"),
    )
    # The chart escapes every text.
    return CurvePlot(
        title, mark_safe(drawing), RECALL_LEVELS, [_build_precision_row(row) for row in board_with_curves.curves]
    )


def _format_curve_title(board: Board) -> str:
    if board.task.kind == Kind.CLASSIFICATION:
        return "Precision and recall along the list of articles, best candidates first"
    return "Precision and recall at each rank, over all articles (micro-average)"


def _format_run_label(row: LeaderboardRow) -> str:
    return f"{row.name}, {row.team}" if row.team else row.name


def _format_primary_figure(row: LeaderboardRow) -> str:
    return f"{row.primary.measure.label} {row.primary.formatted}"


def _list_curve_points(board: Board, row: LeaderboardRow) -> Sequence[tuple[float, float]]:
    """(recall, precision) points. A classification starts at (0, 1), as does the area under its curve."""
    return [(0.0, 1.0), *row.curve] if board.task.kind == Kind.CLASSIFICATION else row.curve


def _build_precision_row(row: LeaderboardRow) -> PrecisionRow:
    return PrecisionRow(
        _format_run_label(row), [find_highest_precision_from_recall(row.curve, level) for level in RECALL_LEVELS]
    )


def render_figure_against_time_element(board: Board) -> SafeString | None:
    """The plot of figure against time as an SVG element; None if there is nothing to plot (_build_time_panel)."""
    panel = _build_time_panel(board)
    # The drawing escapes every text.
    return mark_safe(render_sheet_element(_build_time_sheet(board, panel))) if panel else None


def render_figure_against_time(board: Board) -> TimePlot | None:
    """The plot of figure against time, with its table; None if there is nothing to plot (_build_time_panel)."""
    panel = _build_time_panel(board)
    if panel is None:
        return None
    rows = [row.cells for row in panel.table.rows]
    # The drawing escapes every text.
    return TimePlot(mark_safe(render_drawing_element(panel)), panel.note, panel.table.head, rows)


def render_figure_against_time_svg_file(board: Board) -> str | None:
    """The plot of figure against time as an SVG file; None if there is nothing to plot (_build_time_panel)."""
    panel = _build_time_panel(board)
    return render_sheet_file(_build_time_sheet(board, panel)) if panel else None


def _build_time_sheet(board: Board, panel: PlotPanel) -> PlotSheet:
    return PlotSheet(f"{board.task} {board.phase.sort}, online runs", [[panel]])


def _build_time_panel(board: Board) -> PlotPanel | None:
    """The primary figure against the mean time of an answer.

    None with fewer than two timed runs, or if a lower figure is better.
    """
    rows = [row for row in board.rows if row.seconds_mean and row.primary.value is not None]
    if len(rows) < 2 or not board.columns[0].higher_is_better:
        return None
    points = [_build_time_and_score(row, rows) for row in rows]
    return build_time_and_score_panel(
        board.columns[0].label, sorted(points, key=lambda point: (point.mean, -point.score, point.producer))
    )


def _build_time_and_score(row: LeaderboardRow, rows: Sequence[LeaderboardRow]) -> TimeAndScore:
    """The point of a run; it is best if no other run is faster and at least as good."""
    mean, score = row.seconds_mean or 0.0, row.primary.value or 0.0
    beaten = any(
        is_other_pareto_better(other.seconds_mean or 0.0, other.primary.value or 0.0, mean, score) for other in rows
    )
    return TimeAndScore(
        row.name, score, mean, row.seconds or 0.0, row.seconds_slowest or 0.0, mean / ARTICLE_TIME_LIMIT, not beaten
    )
