"""Precision over recall, measured after each rank or article, and interpolated.

The area under the steps through the measured points, each as high as the point at its end, is average precision; that
under the interpolated steps is AUC iP/R.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, PlotFrame, Point
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import PlotPanel
from bcms.lib.svg.series_lines import LineSeries, render_series_line_with_few_marks
from evaluation.measures.columns import Floats
from evaluation.measures.curves.precision_recall import PrecisionRecallCurve, list_recall_precision_corners
from evaluation.measures.lists.ranking import RankedHits, highest_value_from_here_per_article, precision_at_each_hit
from evaluation.plotting.plot_parts import (
    MAX_DRAWN_RUNS,
    NO_FIGURE,
    build_drawing_over_axes_grid,
    find_style_number_of_drawn_run,
    format_figure_or_dash,
)

RECALL_TABLE_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
PRECISION_RECALL_FRAME = PlotFrame(Axis("Recall"), Axis("Precision"))


@dataclass(frozen=True, slots=True)
class MeasuredCurve:
    """A run's curve and the area under it; start: where its line starts, None for its first point."""

    name: str
    curve: PrecisionRecallCurve
    area: float
    start: Point | None = None


@dataclass(frozen=True, slots=True)
class PrecisionSteps:
    """Steps from recall 0: the rising recall at which each ends, and its precision; arrays [steps] in [0, 1]."""

    ends: Floats
    heights: Floats

    @property
    def area(self) -> float:
        return float(np.sum(self.heights * np.diff(self.ends, prepend=0.0)))

    def find_precision(self, recall: float) -> float | None:
        """The precision at this recall, None beyond the last step."""
        step = int(np.searchsorted(self.ends, recall))
        return float(self.heights[step]) if step < len(self.ends) else None

    def corner_points(self) -> list[Point]:
        """The corners of the line, from recall 0 to precision 0 at the end of the last step."""
        if not len(self.ends):
            return []
        ends, heights = self.ends.tolist(), self.heights.tolist()
        starts = [0.0, *ends[:-1]]
        pairs = zip(starts, ends, heights, strict=True)
        return [*(point for start, end, high in pairs for point in ((start, high), (end, high))), (ends[-1], 0.0)]


@dataclass(frozen=True, slots=True)
class InterpolatedCurve:
    """A run's steps, and the area under them."""

    name: str
    steps: PrecisionSteps
    area: float


def compute_interpolated_steps(curve: PrecisionRecallCurve) -> PrecisionSteps:
    """The highest precision at or beyond each recall of one curve; their area is interpolated_area of the curve."""
    best = np.maximum.accumulate(curve.precision[::-1])[::-1]
    rises = np.diff(curve.recall, prepend=0.0) > 0
    return PrecisionSteps(curve.recall[rises], best[rises])


def compute_macro_interpolated_steps(ranked: RankedHits) -> PrecisionSteps:
    """The mean over articles of their own steps, 0 beyond the last recall of each; the area is macro AUC iP/R."""
    article = ranked.hit_article
    best = highest_value_from_here_per_article(precision_at_each_hit(ranked), article)
    before = np.concatenate([[0], np.cumsum(ranked.hit_counts)])[article]
    number, gold_items = np.arange(len(article)) - before, ranked.gold[article]
    starts, ends = number / gold_items, (number + 1) / gold_items
    levels = np.unique(np.concatenate([starts, ends]))
    rise, fall = (np.bincount(np.searchsorted(levels, recalls), best, len(levels)) for recalls in (starts, ends))
    heights = np.cumsum(rise - fall)[:-1] / max(ranked.articles, 1)
    return PrecisionSteps(levels[1:], np.maximum(heights, 0.0))


def build_measured_curve_panel_of_first_runs(
    title: str,
    note: str,
    area_name: str,
    curves_best_first: Sequence[MeasuredCurve],
    tabulated_ranks: Sequence[int],
    decimals: int = 3,
) -> PlotPanel:
    """Lines through the measured points; the table has the area, named `area_name`, and P and R at tabulated_ranks and
    at the end.

    curves_best_first: best first; tabulated_ranks: from 1, of ranks or articles.
    """
    head = ["run", area_name, *(f"{name}@{position}" for position in tabulated_ranks for name in "PR"), "P", "R"]
    rows = [
        FigureRow(
            [
                run.name,
                format_figure_or_dash(run.area, decimals),
                *_format_curve_figures(run.curve, tabulated_ranks, decimals),
            ],
            find_style_number_of_drawn_run(index),
        )
        for index, run in enumerate(curves_best_first)
    ]
    lines = [
        render_series_line_with_few_marks(
            LineSeries(run.name, _list_measured_points(run), f"{area_name} {run.area:.4f}"),
            index,
            PRECISION_RECALL_FRAME,
        )
        for index, run in enumerate(curves_best_first[:MAX_DRAWN_RUNS])
    ]
    return PlotPanel(title, note, build_drawing_over_axes_grid(PRECISION_RECALL_FRAME, *lines), FigureTable(head, rows))


def _list_measured_points(run: MeasuredCurve) -> list[Point]:
    points = list_recall_precision_corners(run.curve)
    return points if run.start is None or not points else [run.start, *points]


def _format_curve_figures(curve: PrecisionRecallCurve, positions: Sequence[int], decimals: int) -> list[str]:
    """Precision and recall after each of these positions and the last one; "-" beyond the end of the curve."""
    cells: list[str] = []
    for position in [*positions, max(len(curve), 1)]:
        inside = position <= len(curve)
        pair = (float(curve.precision[position - 1]), float(curve.recall[position - 1])) if inside else None
        cells += [format_figure_or_dash(value, decimals) for value in pair] if pair else [NO_FIGURE, NO_FIGURE]
    return cells


def build_interpolated_curve_panel_of_first_runs(
    title: str, note: str, curves_best_first: Sequence[InterpolatedCurve]
) -> PlotPanel:
    """Interpolated steps; the table has AUC iP/R and the precision at RECALL_TABLE_LEVELS. curves_best_first: best
    first.
    """
    rows = [
        FigureRow(
            [
                run.name,
                format_figure_or_dash(run.area),
                *(format_figure_or_dash(run.steps.find_precision(level)) for level in RECALL_TABLE_LEVELS),
            ],
            find_style_number_of_drawn_run(index),
        )
        for index, run in enumerate(curves_best_first)
    ]
    lines = [
        render_series_line_with_few_marks(
            LineSeries(run.name, run.steps.corner_points(), f"AUC iP/R {run.area:.4f}"), index, PRECISION_RECALL_FRAME
        )
        for index, run in enumerate(curves_best_first[:MAX_DRAWN_RUNS])
    ]
    head = ["run", "AUC iP/R", *(f"{level:.1f}" for level in RECALL_TABLE_LEVELS)]
    return PlotPanel(title, note, build_drawing_over_axes_grid(PRECISION_RECALL_FRAME, *lines), FigureTable(head, rows))
