"""Two figures of runs plotted against each other, with lines of equal harmonic mean.

FAP is the harmonic mean of F and average precision, F that of precision and recall, both with the same beta.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import PlotFrame, Point, make_share_axis
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.labelled_points import LabelledPoint, render_labelled_points
from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.plotting.plot_parts import (
    build_drawing,
    describe_undrawn_runs,
    evenly_spaced_values,
    find_guide_label_box,
    find_look_index,
    format_figure,
    render_guide_line,
)

GUIDE_LINE_STEPS = 400


@dataclass(frozen=True, slots=True)
class HarmonicPoint:
    """The figures of a run, all in [0, 1]: across (AP or recall), up (F or precision), and their harmonic mean."""

    name: str
    across: float
    up: float
    mean: float


def build_fap_panel(average: str, runs: Sequence[HarmonicPoint], beta: float = 1.0) -> PlotPanel:
    """F against average precision with the lines of equal FAP. runs: best first."""
    f, fap = f"F{beta:g}", "FAP" if beta == 1 else f"FAP{beta:g}"
    return build_harmonic_panel(f"{f} against average precision, {average}", ("AP", f, fap), runs, beta)


def build_f_panel(average: str, runs: Sequence[HarmonicPoint], beta: float = 1.0) -> PlotPanel:
    """Precision against recall with the lines of equal F, for annotations without an order. runs: best first."""
    return build_harmonic_panel(
        f"Precision against recall, {average}", ("Recall", "Precision", f"F{beta:g}"), runs, beta
    )


def build_harmonic_panel(
    title: str, names: tuple[str, str, str], runs: Sequence[HarmonicPoint], beta: float
) -> PlotPanel:
    """Points of the runs, best first, over guide lines; names: those of the axes across and up, and of the mean."""
    across, up, mean = names
    frame = PlotFrame(
        make_share_axis(across, [run.across for run in runs]), make_share_axis(up, [run.up for run in runs])
    )
    labelled_points = [
        LabelledPoint(run.name, (run.across, run.up), find_look_index(index)) for index, run in enumerate(runs)
    ]
    lines = build_equal_mean_lines(frame, beta, mean)
    label_boxes = [box for label, points in lines if (box := find_guide_label_box(points, frame, label))]
    rows = [
        FigureRow(
            [run.name, *(format_figure(value, 4) for value in (run.up, run.across, run.mean))], find_look_index(index)
        )
        for index, run in enumerate(runs)
    ]
    return PlotPanel(
        title,
        f"Each dotted line is a line of equal {mean}.{describe_undrawn_runs(len(runs))}",
        build_drawing(
            frame,
            *(render_guide_line(points, frame, label) for label, points in lines),
            *render_labelled_points(labelled_points, frame, label_boxes),
        ),
        FigureTable(["run", up, across, mean], rows),
    )


def build_equal_mean_lines(frame: PlotFrame, beta: float, mean: str) -> list[tuple[str, list[Point]]]:
    """(label, points) of the lines of equal mean through the frame, at round values."""
    extent = frame.x.high - frame.x.low + frame.y.high - frame.y.low
    step = 0.1 if extent > 0.8 else 0.05 if extent > 0.4 else 0.02
    values = [number * step for number in range(1, round(1 / step))]
    return [(f"{mean} {value:.2g}", equal_mean_points(value, frame, beta)) for value in values]


def equal_mean_points(value: float, frame: PlotFrame, beta: float = 1.0) -> list[Point]:
    """Points with mean M, from the top or left of the frame: up = M across / ((1 + b^2) across - b^2 M)."""
    square, top = beta * beta, frame.y.high
    steep = (1 + square) * top - value
    start = max(square * value * top / steep, frame.x.low) if steep > 0 else frame.x.high
    if start >= frame.x.high:
        return []
    across_values = evenly_spaced_values(start, frame.x.high, GUIDE_LINE_STEPS)
    return [(across, min(value * across / ((1 + square) * across - square * value), top)) for across in across_values]
