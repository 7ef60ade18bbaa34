"""Bars of precision, recall and F1 of authors, curators and systems, with intervals: figures 4.14 and 4.15.

Source of the form: Leitner (2011), Mining the biomedical literature for protein interactions, figures 4.14 and 4.15.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Axis, PlotFrame
from bcms.lib.svg.bars import BarGroup, BarInterval, render_bar_groups
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import PlotDrawing, PlotPanel
from evaluation.analyses.curators.producer_scores import ReferenceScore
from evaluation.plotting.plot_parts import MAX_DRAWN_RUNS, find_style_number_of_drawn_run, format_figure_or_dash

FIGURE_NAMES = ("Precision", "Recall", "F1")


@dataclass(frozen=True, slots=True)
class NamedScore:
    """A producer, or several together, with their score, which has figures."""

    name: str
    score: ReferenceScore


def build_producer_panel(kind_label: str, reference_name: str, scores: Sequence[NamedScore]) -> PlotPanel:
    """Three groups of bars, one for each figure, with a bar for each of the first MAX_DRAWN_RUNS producers."""
    drawn, more = scores[:MAX_DRAWN_RUNS], len(scores) - MAX_DRAWN_RUNS
    frame = PlotFrame(Axis(""), Axis("Value"), height=240)
    groups = [
        BarGroup(
            name,
            "",
            [_list_figures(each.score)[index] for each in drawn],
            [_list_intervals(each.score)[index] for each in drawn],
        )
        for index, name in enumerate(FIGURE_NAMES)
    ]
    rows = [
        FigureRow(
            [f"{each.name} ({each.score.articles:,})", *map(format_figure_or_dash, _list_figures(each.score))],
            find_style_number_of_drawn_run(index),
        )
        for index, each in enumerate(scores)
    ]
    return PlotPanel(
        kind_label,
        f"Against {reference_name}, over the articles that each has annotated; their number is in brackets. Lines are "
        f"95 % intervals.{f' {more} more are in the table only.' if more > 0 else ''}",
        PlotDrawing("".join(render_bar_groups(groups, [each.name for each in drawn], frame)), frame.bottom + 28),
        FigureTable(["annotated by", *FIGURE_NAMES], rows),
    )


def _list_figures(score: ReferenceScore) -> list[float | None]:
    return [score.precision, score.recall, score.f1]


def _list_intervals(score: ReferenceScore) -> list[BarInterval | None]:
    return [score.precision_interval, score.recall_interval, score.f1_interval]
