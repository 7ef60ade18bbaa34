"""The ranks that each run may have: from the best to the worst that tests allow."""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Axis, Frame, ticks_across
from bcms.lib.svg.lettering import fitted, text
from bcms.lib.svg.looks import look, mark
from bcms.lib.svg.sheet import NARROW, Drawing, Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.analyses.ranks import SharedRank
from evaluation.plotting.drawn import shown

ROW, NAMES = 19.0, 150.0


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run, its score and its ranks."""

    name: str
    score: float
    rank: SharedRank


def rank_panel(figure: str, level: float, runs: Sequence[RankedRun]) -> Panel:
    """A line from the best rank to the worst of each run, best score first, and its mark at its place by score."""
    frame = Frame(
        Axis("Rank", 1, len(runs)), Axis("", 0, len(runs)), NAMES + 14, 14, NARROW - NAMES - 28, ROW * len(runs)
    )
    lines = [line_of(place, own, frame) for place, own in enumerate(runs)]
    return Panel(
        f"Ranks by {figure}",
        f"A line spans the ranks that a run may have: runs with a p above {level:g} share a rank. "
        "The mark is its place by the score alone.",
        Drawing("".join([*ticks_across(frame), *lines]), frame.bottom + 26),
        Table(["run", "rank", figure], [Row([own.name, str(own.rank), shown(own.score, 5)]) for own in runs]),
    )


def line_of(place: int, own: RankedRun, frame: Frame) -> str:
    """The name of a run, the line of its ranks, and its mark."""
    down = frame.top + ROW * (place + 0.5)
    best, worst, here = (frame.place((rank, 0))[0] for rank in (*own.rank, place + 1))
    name = text(fitted(own.name, NAMES, 11))
    return (
        f'<g class="series"><title>{text(own.name)}: rank {own.rank}</title>'
        f'<text class="ink cells" x="{NAMES:g}" y="{down + 4:g}" text-anchor="end">{name}</text>'
        f'<path class="line {look(0)}" d="M{best} {down:g}H{worst}"/>{mark(0, here, down)}</g>'
    )
