"""Receiver operating characteristic of classifications: recall over fall-out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, PlotFrame
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import PlotPanel
from bcms.lib.svg.series_lines import LineSeries, render_series_line_with_few_marks
from evaluation.measures.classification.article_calls import order_known_rows_most_likely_relevant_first
from evaluation.measures.columns import CallColumns
from evaluation.measures.curves.roc import RocCurve, compute_roc_curve, roc_area
from evaluation.measures.list_order import (
    ListOrder,
    choose_rank_else_confidence_else_line,
    get_order_values_smallest_surest,
)
from evaluation.plotting.plot_parts import (
    MAX_DRAWN_RUNS,
    build_drawing_over_axes_grid,
    find_style_number_of_drawn_run,
    format_figure_or_dash,
    render_guide_line_inside_frame,
)

FALL_OUT_LEVELS = (0.05, 0.1, 0.2, 0.4, 0.6)
ROC_FRAME = PlotFrame(Axis("Fall-out (1 - specificity)"), Axis("Recall (sensitivity)"))


@dataclass(frozen=True, slots=True)
class RunRoc:
    """A run's curve and the area under it."""

    name: str
    roc: RocCurve
    area: float


def compute_run_roc(
    run_name: str, is_relevant_by_article: Mapping[str, bool], calls: CallColumns, order: ListOrder | None = None
) -> RunRoc:
    """The curve of a classification's list, relevant calls first; equally sure calls are one step.

    is_relevant_by_article: {article: relevant}. Articles without a call have no order. ValueError when the order needs
    a column that the calls do not have.
    """
    rows = order_known_rows_most_likely_relevant_first(is_relevant_by_article, calls, order)
    hits = np.array([is_relevant_by_article[calls.article[row]] for row in rows.tolist()], dtype=np.bool_)
    order_values = get_order_values_smallest_surest(calls, order or choose_rank_else_confidence_else_line(calls))[rows]
    is_new_step = np.diff(order_values, prepend=np.nan) != 0
    is_new_step[1:] |= np.diff(calls.relevant[rows]) != 0
    scores = -np.cumsum(is_new_step).astype(np.float64)
    positives = sum(is_relevant_by_article.values())
    sizes = (positives, len(is_relevant_by_article) - positives)
    return RunRoc(run_name, compute_roc_curve(hits, scores, *sizes), roc_area(hits, scores, *sizes))


def interpolated_recall_at_fall_out(roc: RocCurve, fall_out: float) -> float:
    """The recall of the curve at this fall-out, the highest where it rises vertically."""
    index = int(np.searchsorted(roc.fall_out, fall_out, side="right"))
    if roc.fall_out[index - 1] == fall_out or index == len(roc.fall_out):
        return float(roc.recall[index - 1])
    ends = slice(index - 1, index + 1)
    return float(np.interp(fall_out, roc.fall_out[ends], roc.recall[ends]))


def build_roc_panel_of_first_runs(runs_best_first: Sequence[RunRoc]) -> PlotPanel:
    """The curves of the first MAX_DRAWN_RUNS; the table has the areas and the recall at FALL_OUT_LEVELS of all runs."""
    rows = [
        FigureRow(
            [
                run.name,
                format_figure_or_dash(run.area),
                *(format_figure_or_dash(interpolated_recall_at_fall_out(run.roc, level)) for level in FALL_OUT_LEVELS),
            ],
            find_style_number_of_drawn_run(index),
        )
        for index, run in enumerate(runs_best_first)
    ]
    lines = [
        render_series_line_with_few_marks(_build_roc_series(run), index, ROC_FRAME)
        for index, run in enumerate(runs_best_first[:MAX_DRAWN_RUNS])
    ]
    return PlotPanel(
        "ROC",
        "Recall at each fall-out. The area is how often a relevant article is ranked above another one. "
        "The dotted line is chance.",
        build_drawing_over_axes_grid(
            ROC_FRAME, render_guide_line_inside_frame([(0.0, 0.0), (1.0, 1.0)], ROC_FRAME), *lines
        ),
        FigureTable(["run", "area", *(f"{level:g}" for level in FALL_OUT_LEVELS)], rows),
    )


def _build_roc_series(run: RunRoc) -> LineSeries:
    points = list(zip(run.roc.fall_out.tolist(), run.roc.recall.tolist(), strict=True))
    return LineSeries(run.name, points, f"area {run.area:.4f}")
