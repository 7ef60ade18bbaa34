"""A figure of each run for each organism by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Axis, Frame
from bcms.lib.svg.bars import Bars, bars
from bcms.lib.svg.lettering import fitted
from bcms.lib.svg.sheet import WIDE, Drawing, Panel
from bcms.lib.svg.tables import SIZE, Row, Table
from evaluation.plotting.drawn import MOST_DRAWN, index_of, shown

MOST_ORGANISMS = 10
# The widest head of a column, so that ten of them leave room for names.
HEAD = 70.0


@dataclass(frozen=True, slots=True)
class OfOrganism:
    """organism: a taxon, or two joined by a plus; items: its right items; values: the figure of each run."""

    organism: str
    items: int
    values: Sequence[float]


def organism_panel(figure: str, runs: Sequence[str], organisms: Sequence[OfOrganism]) -> Panel:
    """Bars in groups by organism, and in each group by run, best first; organisms: most items first."""
    drawn, more = organisms[:MOST_ORGANISMS], len(organisms) - MOST_ORGANISMS
    frame = Frame(Axis(""), Axis(figure), width=WIDE - 60, height=260)
    names = list(runs[:MOST_DRAWN])
    groups = [Bars(own.organism, f"{own.items:,} items", own.values[:MOST_DRAWN]) for own in drawn]
    rows = [
        Row([name, *(shown(own.values[place]) for own in drawn)], index_of(place)) for place, name in enumerate(runs)
    ]
    return Panel(
        f"{figure} by organism",
        "Of each organism only the articles count that have a right item of it, and of these only its items."
        + (f" Only those with most items are here; {more} more are among the figures." if more > 0 else ""),
        Drawing("".join(bars(groups, names, frame)), frame.bottom + 38, WIDE),
        Table(["run", *(fitted(own.organism, HEAD, SIZE) for own in drawn)], rows),
    )
