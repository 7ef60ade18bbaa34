"""Two figures of runs plotted against each other, with lines of equal harmonic mean.

FAP is the harmonic mean of F and average precision, F that of precision and recall, both with the same beta.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import PlotFrame, Point, build_tight_axis_for_shares
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.labelled_points import LabelledPoint, render_points_with_fitting_labels
from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.plotting.plot_parts import (
    build_drawing_over_axes_grid,
    describe_grey_points_of_unnamed_runs,
    evenly_spaced_values,
    find_guide_label_box,
    find_style_number_of_drawn_run,
    format_figure_or_dash,
    render_guide_line_inside_frame,
)

GUIDE_LINE_STEPS = 400


@dataclass(frozen=True, slots=True)
class HarmonicPoint:
    """The figures of a run, all in [0, 1]: across (AP or recall), up (F or precision), and their harmonic mean."""

    name: str
    across: float
    up: float
    mean: float


def build_f_against_ap_panel(
    average_name: str, points_best_first: Sequence[HarmonicPoint], beta: float = 1.0
) -> PlotPanel:
    """F against average precision with the lines of equal FAP. points_best_first: best first."""
    f, fap = f"F{beta:g}", "FAP" if beta == 1 else f"FAP{beta:g}"
    return _build_harmonic_panel(
        f"{f} against average precision, {average_name}", ("AP", f, fap), points_best_first, beta
    )


def build_precision_against_recall_panel(
    average_name: str, points_best_first: Sequence[HarmonicPoint], beta: float = 1.0
) -> PlotPanel:
    """Precision against recall with the lines of equal F, for annotations without an order. points_best_first: best
    first.
    """
    return _build_harmonic_panel(
        f"Precision against recall, {average_name}", ("Recall", "Precision", f"F{beta:g}"), points_best_first, beta
    )


def _build_harmonic_panel(
    title: str, names: tuple[str, str, str], runs: Sequence[HarmonicPoint], beta: float
) -> PlotPanel:
    """Points of the runs, best first, over guide lines; names: those of the axes across and up, and of the mean."""
    across, up, mean = names
    frame = PlotFrame(
        build_tight_axis_for_shares(across, [run.across for run in runs]),
        build_tight_axis_for_shares(up, [run.up for run in runs]),
    )
    labelled_points = [
        LabelledPoint(run.name, (run.across, run.up), find_style_number_of_drawn_run(index))
        for index, run in enumerate(runs)
    ]
    lines = _build_equal_mean_lines(frame, beta, mean)
    label_boxes = [box for label, points in lines if (box := find_guide_label_box(points, frame, label))]
    rows = [
        FigureRow(
            [run.name, *(format_figure_or_dash(value, 4) for value in (run.up, run.across, run.mean))],
            find_style_number_of_drawn_run(index),
        )
        for index, run in enumerate(runs)
    ]
    return PlotPanel(
        title,
        f"Each dotted line is a line of equal {mean}.{describe_grey_points_of_unnamed_runs(len(runs))}",
        build_drawing_over_axes_grid(
            frame,
            *(render_guide_line_inside_frame(points, frame, label) for label, points in lines),
            *render_points_with_fitting_labels(labelled_points, frame, label_boxes),
        ),
        FigureTable(["run", up, across, mean], rows),
    )


def _build_equal_mean_lines(frame: PlotFrame, beta: float, mean: str) -> list[tuple[str, list[Point]]]:
    """(label, points) of the lines of equal mean through the frame, at round values."""
    extent = frame.x.high - frame.x.low + frame.y.high - frame.y.low
    step = 0.1 if extent > 0.8 else 0.05 if extent > 0.4 else 0.02
    values = [number * step for number in range(1, round(1 / step))]
    return [(f"{mean} {value:.2g}", compute_equal_harmonic_mean_points(value, frame, beta)) for value in values]


def compute_equal_harmonic_mean_points(harmonic_mean: float, frame: PlotFrame, beta: float = 1.0) -> list[Point]:
    """Points with mean M, from the top or left of the frame: up = M across / ((1 + b^2) across - b^2 M)."""
    square, top = beta * beta, frame.y.high
    steep = (1 + square) * top - harmonic_mean
    start = max(square * harmonic_mean * top / steep, frame.x.low) if steep > 0 else frame.x.high
    if start >= frame.x.high:
        return []
    across_values = evenly_spaced_values(start, frame.x.high, GUIDE_LINE_STEPS)
    return [
        (across, min(harmonic_mean * across / ((1 + square) * across - square * harmonic_mean), top))
        for across in across_values
    ]
