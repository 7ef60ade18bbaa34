"""Sensitivity against specificity of classifications."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import PlotFrame, make_share_axis
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

CHANCE_LABEL = "chance"


@dataclass(frozen=True, slots=True)
class ClassificationPoint:
    """The figures of a run's calls; mcc in [-1, 1], the others in [0, 1]."""

    name: str
    sensitivity: float
    specificity: float
    accuracy: float
    mcc: float


def build_sensitivity_panel(runs: Sequence[ClassificationPoint]) -> PlotPanel:
    """The runs as points, best first, with the line of chance."""
    frame = PlotFrame(
        make_share_axis("Specificity", [run.specificity for run in runs]),
        make_share_axis("Sensitivity", [run.sensitivity for run in runs]),
    )
    chance = [(specificity, 1 - specificity) for specificity in evenly_spaced_values(frame.x.low, frame.x.high)]
    label_boxes = [box] if (box := find_guide_label_box(chance, frame, CHANCE_LABEL)) else []
    labelled_points = [
        LabelledPoint(run.name, (run.specificity, run.sensitivity), find_look_index(index))
        for index, run in enumerate(runs)
    ]
    rows = [
        FigureRow(
            [
                run.name,
                *(format_figure(value, 4) for value in (run.sensitivity, run.specificity, run.accuracy, run.mcc)),
            ],
            find_look_index(index),
        )
        for index, run in enumerate(runs)
    ]
    return PlotPanel(
        "Sensitivity against specificity",
        f"The dotted line shows random calls.{describe_undrawn_runs(len(runs))}",
        build_drawing(
            frame,
            render_guide_line(chance, frame, CHANCE_LABEL),
            *render_labelled_points(labelled_points, frame, label_boxes),
        ),
        FigureTable(["run", "sensitivity", "specificity", "accuracy", "MCC"], rows),
    )
