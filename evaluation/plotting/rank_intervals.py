"""The interval of ranks of each run that the paired tests allow."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Axis, PlotFrame, render_x_grid_lines_and_values
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import NARROW, PlotDrawing, PlotPanel
from bcms.lib.svg.series_styles import get_series_colour_and_dash_classes, render_series_mark
from bcms.lib.svg.text_layout import escape_svg_text, truncate_text_to_width
from evaluation.analyses.significance.shared_ranks import SharedRank
from evaluation.plotting.plot_parts import format_figure_or_dash

RANK_ROW_HEIGHT, RUN_NAMES_WIDTH = 19.0, 150.0


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run, its score and its interval of ranks."""

    name: str
    score: float
    rank: SharedRank


def build_rank_panel(figure_label: str, significance_level: float, runs_best_first: Sequence[RankedRun]) -> PlotPanel:
    """A line from the best to the worst rank of each run, best score first, with a mark at its rank by score."""
    frame = PlotFrame(
        Axis("Rank", 1, len(runs_best_first)),
        Axis("", 0, len(runs_best_first)),
        RUN_NAMES_WIDTH + 14,
        14,
        NARROW - RUN_NAMES_WIDTH - 28,
        RANK_ROW_HEIGHT * len(runs_best_first),
    )
    lines = [_render_rank_line(index, run, figure_label, frame) for index, run in enumerate(runs_best_first)]
    return PlotPanel(
        f"Ranks by {figure_label}",
        f"Each line spans the ranks that a run may have: runs with a p above {significance_level:g} share a rank. "
        "The mark is the rank by score alone.",
        PlotDrawing("".join([*render_x_grid_lines_and_values(frame), *lines]), frame.bottom + 26),
        FigureTable(
            ["run", "rank", figure_label],
            [FigureRow([run.name, str(run.rank), format_figure_or_dash(run.score, 5)]) for run in runs_best_first],
        ),
    )


def _render_rank_line(position: int, run: RankedRun, figure_label: str, frame: PlotFrame) -> str:
    """The name of a run, the line of its ranks and its mark; position: its rank by score, from 0."""
    down = frame.top + RANK_ROW_HEIGHT * (position + 0.5)
    best, worst, across = (frame.get_drawing_position((rank, 0))[0] for rank in (*run.rank, position + 1))
    name = escape_svg_text(truncate_text_to_width(run.name, RUN_NAMES_WIDTH, 11))
    tooltip = f"{run.name}\nRank: {run.rank}\n{figure_label}: {format_figure_or_dash(run.score, 5)}"
    return (
        f'<g class="series"><title>{escape_svg_text(tooltip)}</title>'
        f'<text class="ink cells" x="{RUN_NAMES_WIDTH:g}" y="{down + 4:g}" text-anchor="end">{name}</text>'
        f'<path class="line {get_series_colour_and_dash_classes(0)}" d="M{best} {down:g}H{worst}"/>'
        f"{render_series_mark(0, across, down)}</g>"
    )
