"""Reliability of confidences: the share of correct results at each confidence.

Source: reliability diagrams and the expected calibration error as in Guo et al. (2017), with ten equal bins.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, PlotFrame, render_axes_with_grid_and_labels
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import WIDE, PlotDrawing, PlotPanel
from bcms.lib.svg.series_lines import LineSeries, render_series_line_with_few_marks
from evaluation.measures.columns import Booleans, Floats, Integers
from evaluation.measures.lists.ranking import divide_arrays
from evaluation.plotting.plot_parts import (
    MAX_DRAWN_RUNS,
    NO_FIGURE,
    SPACE_BELOW_FRAME,
    find_style_number_of_drawn_run,
    format_figure_or_dash,
    render_guide_line_inside_frame,
)

CONFIDENCE_BIN_EDGES = np.arange(11) / 10
CONFIDENCE_BIN_MIDDLES = [
    (low + high) / 2
    for low, high in zip(CONFIDENCE_BIN_EDGES[:-1].tolist(), CONFIDENCE_BIN_EDGES[1:].tolist(), strict=True)
]


@dataclass(frozen=True, slots=True)
class Reliability:
    """Results of one run in each tenth of the confidences: their number, mean confidence and share of correct ones.

    Arrays [10]; means and shares are 0 without a result.
    """

    name: str
    result_counts: Integers
    mean_confidences: Floats
    correct_shares: Floats

    @property
    def expected_calibration_error(self) -> float:
        """The mean over results of the distance between the mean confidence and the correct share of their bin."""
        return float(
            np.sum(self.result_counts * np.abs(self.mean_confidences - self.correct_shares))
            / max(int(self.result_counts.sum()), 1)
        )


def compute_reliability_in_ten_bins(run_name: str, confidence_by_result: Floats, is_correct: Booleans) -> Reliability:
    """confidence_by_result: float [results] in (0, 1]; is_correct: bool [results]. A bin includes its upper
    end only.
    """
    bins = np.maximum(np.searchsorted(CONFIDENCE_BIN_EDGES, confidence_by_result) - 1, 0)
    result_counts = np.bincount(bins, minlength=10)
    sums = (
        np.bincount(bins, weights, minlength=10) for weights in (confidence_by_result, is_correct.astype(np.float64))
    )
    mean, share = (divide_arrays(total, result_counts) for total in sums)
    return Reliability(run_name, result_counts, mean, share)


def build_reliability_panel_of_first_runs(reliabilities_best_first: Sequence[Reliability]) -> PlotPanel:
    """The correct share over the mean confidence, and beside it the distribution of confidences;
    reliabilities_best_first: best first.
    """
    reliability_frame = PlotFrame(Axis("Mean confidence"), Axis("Share of correct results"))
    distribution_frame = PlotFrame(Axis("Confidence"), Axis("Share of the results"), left=WIDE - 454)
    parts = [
        *render_axes_with_grid_and_labels(reliability_frame),
        *render_axes_with_grid_and_labels(distribution_frame),
        render_guide_line_inside_frame([(0.0, 0.0), (1.0, 1.0)], reliability_frame),
    ]
    for index, run in enumerate(reliabilities_best_first[:MAX_DRAWN_RUNS]):
        parts.append(
            render_series_line_with_few_marks(
                LineSeries(run.name, _list_reliability_points(run), f"ECE {run.expected_calibration_error:.4f}"),
                index,
                reliability_frame,
            )
        )
        parts.append(
            render_series_line_with_few_marks(
                LineSeries(run.name, _confidence_distribution(run)), index, distribution_frame
            )
        )
    return PlotPanel(
        "Reliability of confidences",
        "Results are binned by confidence in tenths. On the dotted line, confidence equals the share of correct "
        "results; below it, confidences are too high. ECE (expected calibration error): mean distance from the line.",
        PlotDrawing("".join(parts), reliability_frame.bottom + SPACE_BELOW_FRAME, WIDE),
        FigureTable(
            ["run", "ECE", "", *(f"to {high:.1f}" for high in CONFIDENCE_BIN_EDGES[1:].tolist())],
            [row for index, run in enumerate(reliabilities_best_first) for row in _build_reliability_rows(run, index)],
        ),
    )


def _list_reliability_points(run: Reliability) -> list[tuple[float, float]]:
    """(mean confidence, share of correct results) of the tenths that have results."""
    return [
        (float(run.mean_confidences[index]), float(run.correct_shares[index]))
        for index in np.flatnonzero(run.result_counts).tolist()
    ]


def _confidence_distribution(run: Reliability) -> list[tuple[float, float]]:
    """(middle, share of the run's results) of each tenth."""
    shares = run.result_counts / max(int(run.result_counts.sum()), 1)
    return list(zip(CONFIDENCE_BIN_MIDDLES, shares.tolist(), strict=True))


def _build_reliability_rows(run: Reliability, index: int) -> list[FigureRow]:
    """Three rows: mean confidences, shares of correct results, numbers of results; index: that of the run."""
    has_results = run.result_counts > 0
    means, shares = (
        [
            format_figure_or_dash(float(value)) if shown else NO_FIGURE
            for value, shown in zip(values, has_results, strict=True)
        ]
        for values in (run.mean_confidences, run.correct_shares)
    )
    return [
        FigureRow(
            [run.name, format_figure_or_dash(run.expected_calibration_error, 4), "confidence", *means],
            find_style_number_of_drawn_run(index),
        ),
        FigureRow(["", "", "right", *shares]),
        FigureRow(["", "", "results", *(f"{number:,}" for number in run.result_counts.tolist())]),
    ]
