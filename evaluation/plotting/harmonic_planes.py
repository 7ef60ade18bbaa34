"""Two figures of runs against each other, with the lines on which their harmonic mean is the same.

FAP is the harmonic mean of F and average precision, F that of precision and recall; both are weighted by beta alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Frame, share_axis
from bcms.lib.svg.points import Named, points
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.plotting.drawn import between, drawing, guide, index_of, shown


@dataclass(frozen=True, slots=True)
class Placed:
    """The figures of a run, all in [0, 1]: across (AP or recall), up (F or precision), and their harmonic mean."""

    name: str
    across: float
    up: float
    mean: float


def fap_panel(average: str, runs: Sequence[Placed], beta: float = 1.0) -> Panel:
    """F against average precision with the lines of equal FAP. runs: best first."""
    f, fap = f"F{beta:g}", "FAP" if beta == 1 else f"FAP{beta:g}"
    return plane(f"{f} against average precision, {average}", ("AP", f, fap), runs, beta)


def f_panel(average: str, runs: Sequence[Placed], beta: float = 1.0) -> Panel:
    """Precision against recall with the lines of equal F, of answers without an order. runs: best first."""
    return plane(f"Precision against recall, {average}", ("Recall", "Precision", f"F{beta:g}"), runs, beta)


def plane(title: str, names: tuple[str, str, str], runs: Sequence[Placed], beta: float) -> Panel:
    """names: of the axes across and up, and of the mean."""
    across, up, mean = names
    frame = Frame(share_axis(across, [own.across for own in runs]), share_axis(up, [own.up for own in runs]))
    named = [Named(own.name, (own.across, own.up), index_of(place)) for place, own in enumerate(runs)]
    rows = [
        Row([own.name, *(shown(value, 4) for value in (own.up, own.across, own.mean))], index_of(place))
        for place, own in enumerate(runs)
    ]
    return Panel(
        title,
        f"On a dotted line {mean} is everywhere the same. Grey points are runs that are in the table only.",
        drawing(frame, *lines(frame, beta, mean), *points(named, frame)),
        Table(["run", up, across, mean], rows),
    )


def lines(frame: Frame, beta: float, mean: str) -> Iterator[str]:
    """The lines of an equal mean through the frame, at round values."""
    wide = frame.x.high - frame.x.low + frame.y.high - frame.y.low
    step = 0.1 if wide > 0.8 else 0.05 if wide > 0.4 else 0.02
    for number in range(1, round(1 / step)):
        yield guide(equal_mean(number * step, frame, beta), frame, f"{mean} {number * step:.2g}")


def equal_mean(value: float, frame: Frame, beta: float = 1.0) -> list[tuple[float, float]]:
    """Points with this mean M over the range of the x axis: up = M across / ((1 + b^2) across - b^2 M)."""
    square = beta * beta
    reach = [own for own in between(frame.x.low, frame.x.high) if (1 + square) * own > square * value]
    return [(own, value * own / ((1 + square) * own - square * value)) for own in reach]
