"""Receiver operating characteristic of classifications: recall over fall-out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, PlotFrame
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import PlotPanel
from bcms.lib.svg.series_lines import LineSeries, render_series_line
from evaluation.measures.classification import sort_known_call_rows
from evaluation.measures.columns import CallColumns
from evaluation.measures.curves.roc import RocCurve, compute_roc_curve, roc_area
from evaluation.measures.list_order import ListOrder, choose_default_order, get_order_values
from evaluation.plotting.plot_parts import (
    MAX_DRAWN_RUNS,
    build_drawing,
    find_look_index,
    format_figure,
    render_guide_line,
)

FALL_OUT_LEVELS = (0.05, 0.1, 0.2, 0.4, 0.6)
ROC_FRAME = PlotFrame(Axis("Fall-out (1 - specificity)"), Axis("Recall (sensitivity)"))


@dataclass(frozen=True, slots=True)
class RunRoc:
    """A run's curve and the area under it."""

    name: str
    roc: RocCurve
    area: float


def compute_run_roc(name: str, gold: Mapping[str, bool], calls: CallColumns, order: ListOrder | None = None) -> RunRoc:
    """The curve of a classification's list, relevant calls first; equally sure calls are one step.

    gold: {article: relevant}. Articles without a call have no order. ValueError when the order needs a column that the
    calls do not have.
    """
    rows = sort_known_call_rows(gold, calls, order)
    hits = np.array([gold[calls.article[row]] for row in rows.tolist()], dtype=np.bool_)
    order_values = get_order_values(calls, order or choose_default_order(calls))[rows]
    is_new_step = np.diff(order_values, prepend=np.nan) != 0
    is_new_step[1:] |= np.diff(calls.relevant[rows]) != 0
    scores = -np.cumsum(is_new_step).astype(np.float64)
    positives = sum(gold.values())
    sizes = (positives, len(gold) - positives)
    return RunRoc(name, compute_roc_curve(hits, scores, *sizes), roc_area(hits, scores, *sizes))


def recall_at_fall_out(roc: RocCurve, fall_out: float) -> float:
    """The recall of the curve at this fall-out, the highest where it rises vertically."""
    index = int(np.searchsorted(roc.fall_out, fall_out, side="right"))
    if roc.fall_out[index - 1] == fall_out or index == len(roc.fall_out):
        return float(roc.recall[index - 1])
    ends = slice(index - 1, index + 1)
    return float(np.interp(fall_out, roc.fall_out[ends], roc.recall[ends]))


def build_roc_panel(runs: Sequence[RunRoc]) -> PlotPanel:
    """The curves; the table has the areas and the recall at FALL_OUT_LEVELS. runs: best first."""
    rows = [
        FigureRow(
            [
                run.name,
                format_figure(run.area),
                *(format_figure(recall_at_fall_out(run.roc, level)) for level in FALL_OUT_LEVELS),
            ],
            find_look_index(index),
        )
        for index, run in enumerate(runs)
    ]
    lines = [
        render_series_line(build_roc_series(run), index, ROC_FRAME) for index, run in enumerate(runs[:MAX_DRAWN_RUNS])
    ]
    return PlotPanel(
        "ROC",
        "Recall at each fall-out. The area is how often a relevant article is ranked above another one. "
        "The dotted line is chance.",
        build_drawing(ROC_FRAME, render_guide_line([(0.0, 0.0), (1.0, 1.0)], ROC_FRAME), *lines),
        FigureTable(["run", "area", *(f"{level:g}" for level in FALL_OUT_LEVELS)], rows),
    )


def build_roc_series(run: RunRoc) -> LineSeries:
    points = list(zip(run.roc.fall_out.tolist(), run.roc.recall.tolist(), strict=True))
    return LineSeries(run.name, points, f"area {run.area:.4f}")
