"""Score of runs against their time per article."""

from collections.abc import Sequence

from bcms.lib.svg.axes import Axis, PlotFrame, make_share_axis
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.labelled_points import LabelledPoint, render_labelled_points
from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.analyses.time_and_score import TimeAndScore
from evaluation.plotting.plot_parts import MAX_DRAWN_RUNS, build_drawing, format_figure, render_guide_line


def build_time_and_score_panel(figure: str, rows: Sequence[TimeAndScore]) -> PlotPanel:
    """The runs with times, fastest first; those with the highest scores are named."""
    means = [run.mean for run in rows]
    x = Axis("Mean seconds per article", min(means) / 2, max(means) * 2, logarithmic=True)
    frame = PlotFrame(x, make_share_axis(figure, [run.score for run in rows]))
    by_score = sorted(rows, key=lambda run: (-run.score, run.producer))
    looks = {run.producer: index for index, run in enumerate(by_score[:MAX_DRAWN_RUNS])}
    labelled_points = [LabelledPoint(run.producer, (run.mean, run.score), looks.get(run.producer)) for run in by_score]
    return PlotPanel(
        f"{figure} against time",
        "No run is both faster and better than one on the dotted line; the table marks these with a star.",
        build_drawing(
            frame,
            render_guide_line(pareto_front_steps(rows, x.high), frame),
            *render_labelled_points(labelled_points, frame),
        ),
        FigureTable(
            ["run", figure, "mean s", "median s", "slowest s", ""],
            [
                FigureRow([*format_time_cells(run), "*" if run.best else ""], looks.get(run.producer))
                for run in by_score
            ],
        ),
    )


def format_time_cells(run: TimeAndScore) -> list[str]:
    return [
        run.producer,
        format_figure(run.score, 4),
        *(f"{value:.4g}" for value in (run.mean, run.median, run.slowest)),
    ]


def pareto_front_steps(rows: Sequence[TimeAndScore], last: float) -> list[tuple[float, float]]:
    """The steps through the runs on the Pareto front; rows: fastest first; last: the right end."""
    front = [run for run in rows if run.best]
    ends = [*(run.mean for run in front[1:]), last]
    return [point for run, end in zip(front, ends, strict=True) for point in ((run.mean, run.score), (end, run.score))]
