"""Bars of what curators decided about the annotations of a server, by kind."""

from collections.abc import Mapping, Sequence
from math import ceil

from bcms.lib.svg.axes import Axis, PlotFrame
from bcms.lib.svg.bars import BarGroup, render_bar_groups
from bcms.lib.svg.figure_tables import FigureRow, FigureTable
from bcms.lib.svg.plot_sheets import NARROW, PlotDrawing, PlotPanel

# With fewer, the ticks of the axis would be fractions.
LOWEST_TOP = 5


def build_verdict_panel(verdicts: Sequence[str], by_kind: Mapping[str, Sequence[int]]) -> PlotPanel:
    """Bars in groups by kind, one for each verdict; by_kind: {name of the kind: numbers in the order of verdicts}."""
    highest = max(max(numbers) for numbers in by_kind.values())
    frame = PlotFrame(Axis(""), Axis("annotations", 0, max(ceil(highest), LOWEST_TOP)), width=NARROW - 60, height=200)
    groups = [
        BarGroup(kind, f"{sum(numbers):,}", [number or None for number in numbers]) for kind, numbers in by_kind.items()
    ]
    rows = [
        FigureRow([verdict, *(f"{numbers[index]:,}" for numbers in by_kind.values())], index)
        for index, verdict in enumerate(verdicts)
    ]
    return PlotPanel(
        "Decisions of curators by kind",
        "Below each kind is the number of its annotations on which curators decided.",
        PlotDrawing("".join(render_bar_groups(groups, verdicts, frame, decimals=0)), frame.bottom + 38, NARROW),
        FigureTable(["decision", *by_kind], rows),
    )
