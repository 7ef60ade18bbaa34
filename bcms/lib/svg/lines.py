"""Lines of a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import dist

from bcms.lib.svg.axes import Frame, Point
from bcms.lib.svg.lettering import text
from bcms.lib.svg.looks import look, mark

# Places nearer to the last one than this cannot be told from it.
NEAREST = 0.5
MARKS_WITHIN = 3


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its name in the legend, its points (x, y) in the order they are joined, and a note shown on hover."""

    name: str
    points: Sequence[Point]
    note: str = ""


def line(series: Series, index: int, frame: Frame) -> str:
    """One series: its name on hover, its line, and its mark where the line ends and a few times on the way."""
    if not series.points:
        return ""
    places = [frame.place(point) for point in series.points]
    path = "M" + "L".join(f"{across} {down}" for across, down in told_apart(places))
    marks = "".join(mark(index, *place) for place in [*on_the_way(places, index), places[-1]])
    return (
        f'<g class="series"><title>{text(hover(series))}</title>'
        f'<path class="line {look(index)}" d="{path}"/>{marks}</g>'
    )


def hover(series: Series) -> str:
    return f"{series.name}: {series.note}" if series.note else series.name


def told_apart(places: Sequence[Point]) -> Iterator[Point]:
    """The places that differ to the eye, the first and the last always."""
    yield places[0]
    kept = places[0]
    for place in places[1:-1]:
        if dist(place, kept) >= NEAREST:
            kept = place
            yield place
    if len(places) > 1:
        yield places[-1]


def on_the_way(places: Sequence[Point], index: int) -> Iterator[Point]:
    """Places of the line at even steps of its length, shifted from series to series so that marks keep apart."""
    lengths = list(accumulate((dist(one, other) for one, other in pairwise(places)), initial=0.0))
    step = lengths[-1] / MARKS_WITHIN
    if len(places) < 2 * MARKS_WITHIN or not step:
        return
    shift = step * ((index * 5) % 8 + 1) / 10
    for number in range(MARKS_WITHIN):
        yield next(place for place, far in zip(places, lengths, strict=True) if far >= number * step + shift)


def key(index: int, across: float, down: float) -> str:
    """The look of a series beside its name: 30 units of its line with its mark."""
    return f'<path class="line {look(index)}" d="M{across:g} {down:g}h30"/>{mark(index, across + 15, down)}'
