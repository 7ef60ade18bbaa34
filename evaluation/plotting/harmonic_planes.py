"""Two figures of runs against each other, with the lines on which their harmonic mean is the same.

FAP is the harmonic mean of F and average precision, F that of precision and recall; both are weighted by beta alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Frame, Point, share_axis
from bcms.lib.svg.points import Named, points
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.plotting.drawn import between, drawing, guide, index_of, label_box, note_on_others, shown

STEPS = 400


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
    lines = lines_through(frame, beta, mean)
    taken = [box for label, own in lines if (box := label_box(own, frame, label))]
    rows = [
        Row([own.name, *(shown(value, 4) for value in (own.up, own.across, own.mean))], index_of(place))
        for place, own in enumerate(runs)
    ]
    return Panel(
        title,
        f"On a dotted line {mean} is everywhere the same.{note_on_others(len(runs))}",
        drawing(frame, *(guide(own, frame, label) for label, own in lines), *points(named, frame, taken)),
        Table(["run", up, across, mean], rows),
    )


def lines_through(frame: Frame, beta: float, mean: str) -> list[tuple[str, list[Point]]]:
    """The lines of an equal mean through the frame, at round values, and their labels."""
    wide = frame.x.high - frame.x.low + frame.y.high - frame.y.low
    step = 0.1 if wide > 0.8 else 0.05 if wide > 0.4 else 0.02
    values = [number * step for number in range(1, round(1 / step))]
    return [(f"{mean} {value:.2g}", equal_mean(value, frame, beta)) for value in values]


def equal_mean(value: float, frame: Frame, beta: float = 1.0) -> list[Point]:
    """Points with this mean M, from the top of the frame or its left on: up = M across / ((1 + b^2) across - b^2 M)."""
    square, top = beta * beta, frame.y.high
    steep = (1 + square) * top - value
    start = max(square * value * top / steep, frame.x.low) if steep > 0 else frame.x.high
    if start >= frame.x.high:
        return []
    reach = between(start, frame.x.high, STEPS)
    return [(own, min(value * own / ((1 + square) * own - square * value), top)) for own in reach]
