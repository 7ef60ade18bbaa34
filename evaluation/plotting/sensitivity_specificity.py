"""Sensitivity against specificity of classifications."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import PlotFrame, build_tight_axis_for_shares
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

CHANCE_LABEL = "chance"


@dataclass(frozen=True, slots=True)
class ClassificationPoint:
    """The figures of a run's calls; mcc in [-1, 1], the others in [0, 1]."""

    name: str
    sensitivity: float
    specificity: float
    accuracy: float
    mcc: float


def build_sensitivity_against_specificity_panel(runs_best_first: Sequence[ClassificationPoint]) -> PlotPanel:
    """The runs as points, best first, with the line of chance."""
    frame = PlotFrame(
        build_tight_axis_for_shares("Specificity", [run.specificity for run in runs_best_first]),
        build_tight_axis_for_shares("Sensitivity", [run.sensitivity for run in runs_best_first]),
    )
    chance = [(specificity, 1 - specificity) for specificity in evenly_spaced_values(frame.x.low, frame.x.high)]
    label_boxes = [box] if (box := find_guide_label_box(chance, frame, CHANCE_LABEL)) else []
    labelled_points = [
        LabelledPoint(run.name, (run.specificity, run.sensitivity), find_style_number_of_drawn_run(index))
        for index, run in enumerate(runs_best_first)
    ]
    rows = [
        FigureRow(
            [
                run.name,
                *(
                    format_figure_or_dash(value, 4)
                    for value in (run.sensitivity, run.specificity, run.accuracy, run.mcc)
                ),
            ],
            find_style_number_of_drawn_run(index),
        )
        for index, run in enumerate(runs_best_first)
    ]
    return PlotPanel(
        "Sensitivity against specificity",
        f"The dotted line shows random calls.{describe_grey_points_of_unnamed_runs(len(runs_best_first))}",
        build_drawing_over_axes_grid(
            frame,
            render_guide_line_inside_frame(chance, frame, CHANCE_LABEL),
            *render_points_with_fitting_labels(labelled_points, frame, label_boxes),
        ),
        FigureTable(["run", "sensitivity", "specificity", "accuracy", "MCC"], rows),
    )
