"""Bars of a figure of each run for each organism."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Axis, PlotFrame
from bcms.lib.svg.bars import BarGroup, render_bar_groups
from bcms.lib.svg.figure_tables import SIZE, FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import WIDE, PlotDrawing, PlotPanel
from bcms.lib.svg.text_layout import truncate_text_to_width
from evaluation.plotting.plot_parts import MAX_DRAWN_RUNS, find_style_number_of_drawn_run, format_figure_or_dash

MAX_DRAWN_ORGANISMS = 10
# Maximum width of a column head, so that ten columns leave room for names.
MAX_HEAD_WIDTH = 70.0


@dataclass(frozen=True, slots=True)
class OrganismBars:
    """organism: a taxon, or two joined by a plus; items: its gold items; values: the figure of each run."""

    organism: str
    items: int
    values: Sequence[float]


def build_panel_of_first_organisms_and_runs(
    figure_label: str, run_names: Sequence[str], organism_bars: Sequence[OrganismBars]
) -> PlotPanel:
    """Bars in groups by organism, and in each group by run, best first; organism_bars: most items first."""
    drawn, more = organism_bars[:MAX_DRAWN_ORGANISMS], len(organism_bars) - MAX_DRAWN_ORGANISMS
    frame = PlotFrame(Axis(""), Axis(figure_label), width=WIDE - 60, height=260)
    names = list(run_names[:MAX_DRAWN_RUNS])
    groups = [
        BarGroup(organism.organism, f"{organism.items:,} items", organism.values[:MAX_DRAWN_RUNS]) for organism in drawn
    ]
    rows = [
        FigureRow(
            [name, *(format_figure_or_dash(organism.values[index]) for organism in drawn)],
            find_style_number_of_drawn_run(index),
        )
        for index, name in enumerate(run_names)
    ]
    return PlotPanel(
        f"{figure_label} by organism",
        "For each organism, only its items count, in the articles that have a gold item of it."
        + (f" Only organisms with the most items are shown; {more} more are in the figures." if more > 0 else ""),
        PlotDrawing("".join(render_bar_groups(groups, names, frame)), frame.bottom + 38, WIDE),
        FigureTable(
            ["run", *(truncate_text_to_width(organism.organism, MAX_HEAD_WIDTH, SIZE) for organism in drawn)], rows
        ),
    )
