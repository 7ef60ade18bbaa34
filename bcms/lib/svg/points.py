"""Points of a plane with their names beside them, as far as there is room."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Frame, Point
from bcms.lib.svg.lettering import fitted, text, width_of
from bcms.lib.svg.looks import mark

SIZE = 11.0
WIDEST = 150.0
MARK = 6.0
# Where a name may stand, best first: right, left, above and below, then farther off; shares of its own size.
OFFSETS = (
    *((1, 0.0, 0.0), (-1, 0.0, 0.0), (0, 0.0, -1.0), (0, 0.0, 1.0), (1, 0.0, -0.8), (1, 0.0, 0.8), (-1, 0.0, -0.8)),
    *((-1, 0.0, 0.8), (0, 0.4, -1.9), (0, -0.4, 1.9), (0, -0.4, -1.9), (0, 0.4, 1.9)),
)


@dataclass(frozen=True, slots=True)
class Named:
    """A point and its name; index: that of its look, None for one of the others, which are small, grey and unnamed."""

    name: str
    point: Point
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the drawing that is taken."""

    left: float
    top: float
    width: float
    height: float

    def meets(self, other: "Box") -> bool:
        across = self.left < other.left + other.width and other.left < self.left + self.width
        return across and self.top < other.top + other.height and other.top < self.top + self.height

    def within(self, frame: Frame) -> bool:
        across = frame.left <= self.left and self.left + self.width <= frame.right
        return across and frame.top <= self.top and self.top + self.height <= frame.bottom


def points(named: Sequence[Named], frame: Frame, reserved: Sequence[Box] = ()) -> Iterator[str]:
    """The others first, then the marks, then the names, none of which meets what is reserved.

    A name without room is left to the table.
    """
    for own in named:
        if own.index is None:
            yield other(own, frame)
    drawn = [own for own in named if own.index is not None]
    for own in reversed(drawn):
        yield f'<g class="series"><title>{text(own.name)}</title>{mark(own.index or 0, *frame.place(own.point))}</g>'
    yield from names(drawn, frame, reserved)


def other(own: Named, frame: Frame) -> str:
    across, down = frame.place(own.point)
    return f'<circle class="other" cx="{across}" cy="{down}" r="2.2"><title>{text(own.name)}</title></circle>'


def names(drawn: Sequence[Named], frame: Frame, reserved: Sequence[Box]) -> Iterator[str]:
    """Each name where it meets no mark and no name before it."""
    taken = [*reserved, *(mark_box(frame.place(own.point)) for own in drawn)]
    for own in drawn:
        shown = fitted(own.name, WIDEST, SIZE)
        place = frame.place(own.point)
        free = (box for box in boxes(place, shown) if box.within(frame) and not any(map(box.meets, taken)))
        box = next(free, None)
        if box is not None:
            taken.append(box)
            yield f'<text class="label ink cells" x="{box.left:.1f}" y="{box.top + 10:.1f}">{text(shown)}</text>'


def mark_box(place: Point) -> Box:
    return Box(place[0] - MARK, place[1] - MARK, 2 * MARK, 2 * MARK)


def boxes(place: Point, shown: str) -> Iterator[Box]:
    """Where the name may stand."""
    wide, high = width_of(shown, SIZE), SIZE + 2
    for side, shift, lift in OFFSETS:
        left = {1: place[0] + MARK + 1, -1: place[0] - MARK - 1 - wide, 0: place[0] - wide / 2 + shift * wide}[side]
        yield Box(left, place[1] - high / 2 + lift * (high + 2), wide, high)
