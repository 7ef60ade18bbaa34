"""Score of runs against their time per article."""

from collections.abc import Sequence

from bcms.lib.svg.axes import Axis, PlotFrame, build_tight_axis_for_shares
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.labelled_points import LabelledPoint, render_points_with_fitting_labels
from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.analyses.time_and_score import TimeAndScore
from evaluation.plotting.plot_parts import (
    MAX_DRAWN_RUNS,
    build_drawing_over_axes_grid,
    format_figure_or_dash,
    render_guide_line_inside_frame,
)


def build_time_and_score_panel(figure_label: str, timed_runs_fastest_first: Sequence[TimeAndScore]) -> PlotPanel:
    """The runs with times, fastest first; those with the highest scores are named."""
    means = [run.mean for run in timed_runs_fastest_first]
    x = Axis("Mean seconds per article", min(means) / 2, max(means) * 2, logarithmic=True)
    frame = PlotFrame(x, build_tight_axis_for_shares(figure_label, [run.score for run in timed_runs_fastest_first]))
    by_score = sorted(timed_runs_fastest_first, key=lambda run: (-run.score, run.producer))
    looks = {run.producer: index for index, run in enumerate(by_score[:MAX_DRAWN_RUNS])}
    labelled_points = [LabelledPoint(run.producer, (run.mean, run.score), looks.get(run.producer)) for run in by_score]
    return PlotPanel(
        f"{figure_label} against time",
        "No run is both faster and better than one on the dotted line; the table marks these with a star.",
        build_drawing_over_axes_grid(
            frame,
            render_guide_line_inside_frame(pareto_front_steps(timed_runs_fastest_first, x.high), frame),
            *render_points_with_fitting_labels(labelled_points, frame),
        ),
        FigureTable(
            ["run", figure_label, "mean s", "median s", "slowest s", ""],
            [
                FigureRow([*_format_time_cells(run), "*" if run.best else ""], looks.get(run.producer))
                for run in by_score
            ],
        ),
    )


def _format_time_cells(run: TimeAndScore) -> list[str]:
    return [
        run.producer,
        format_figure_or_dash(run.score, 4),
        *(f"{value:.3g}" for value in (run.mean, run.median, run.slowest)),
    ]


def pareto_front_steps(timed_runs_fastest_first: Sequence[TimeAndScore], right_end: float) -> list[tuple[float, float]]:
    """The steps through the runs on the Pareto front; timed_runs_fastest_first: fastest first; right_end: the right
    end.
    """
    front = [run for run in timed_runs_fastest_first if run.best]
    ends = [*(run.mean for run in front[1:]), right_end]
    return [point for run, end in zip(front, ends, strict=True) for point in ((run.mean, run.score), (end, run.score))]
