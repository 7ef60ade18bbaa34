"""Any number of sets as a matrix with bars.

Source: Lex et al. (2014), UpSet: visualization of intersecting sets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.lettering import fitted, text, width_of
from bcms.lib.svg.sets import Members, Part, centred

BARS_TOP, BARS, ROW, NAMES, TOTALS, GAP = 48.0, 190.0, 20.0, 170.0, 120.0, 14.0
WIDEST = 34.0


@dataclass(frozen=True, slots=True)
class Matrix:
    """Where the parts of an UpSet plot stand: columns from left on, each this wide; rows from BARS_TOP + BARS on."""

    left: float
    wide: float
    highest: int
    largest: int

    def middle(self, column: int) -> float:
        return round(self.left + self.wide * (column + 0.5), 1)


def upset_height(sets: int) -> float:
    """The height of an UpSet plot of so many sets."""
    return BARS_TOP + BARS + GAP + ROW * sets + 8


def upset(names: Sequence[str], totals: Sequence[Part], parts: Sequence[Part], width: float) -> Iterator[str]:
    """A bar for each part and, beneath it, dots for the sets it is in; beside each set a bar for the whole of it.

    Solid: right, or all where that is not known; hatched: wrong. ValueError without a part.
    """
    if not parts:
        raise ValueError("There is nothing in any of the sets; there is nothing to draw.")
    left = NAMES + TOTALS + 2 * GAP
    wide = min((width - left) / len(parts), WIDEST)
    matrix = Matrix(left, wide, max(part.number for part in parts), max(own.number for own in totals) or 1)
    yield from set_rows(names, totals, matrix, left + wide * len(parts))
    for column, part in enumerate(parts):
        yield from part_column(column, part, names, matrix)


def set_rows(names: Sequence[str], totals: Sequence[Part], matrix: Matrix, end: float) -> Iterator[str]:
    """Each set with its name, its bar towards the left, and a band through the matrix for every other one."""
    for place, (name, own) in enumerate(zip(names, totals, strict=True)):
        middle = row_middle(place)
        if place % 2 == 0:
            yield f'<rect class="band" x="0" y="{middle - ROW / 2:g}" width="{end:g}" height="{ROW:g}"/>'
        yield f'<text class="ink cells" x="0" y="{middle + 4:g}">{text(fitted(name, NAMES, 11))}</text>'
        yield from total_bar(own, middle, matrix)


def total_bar(own: Part, middle: float, matrix: Matrix) -> Iterator[str]:
    scale = (TOTALS - width_of(f"{matrix.largest:,}", 10.5) - 6) / matrix.largest
    end, right = NAMES + GAP + TOTALS, own.number if own.right is None else own.right
    whole, solid = own.number * scale, right * scale
    yield bar("solid", end - solid, middle - 6, solid, 12)
    yield bar("open", end - whole, middle - 6, whole - solid, 12)
    yield f'<text class="small" x="{end - whole - 4:.1f}" y="{middle + 4:g}" text-anchor="end">{own.number:,}</text>'


def part_column(column: int, part: Part, names: Sequence[str], matrix: Matrix) -> Iterator[str]:
    """The bar of a part with its number, and the dots beneath."""
    across, floor = matrix.middle(column), BARS_TOP + BARS
    right = part.number if part.right is None else part.right
    whole, solid = part.number / matrix.highest * BARS, right / matrix.highest * BARS
    wide = matrix.wide * 0.66
    said = " & ".join(names[place] for place in part.members)
    yield f"<g><title>{text(said)}: {part.number:,}</title>"
    yield bar("solid", across - wide / 2, floor - solid, wide, solid)
    yield bar("open", across - wide / 2, floor - whole, wide, whole - solid)
    yield number(f"{part.number:,}", across, round(floor - whole - 4, 1), matrix.wide)
    yield from dots(part.members, len(names), across)
    yield "</g>"


def number(shown: str, across: float, down: float, room: float) -> str:
    """How many there are above a bar, upright where the column is too narrow for it."""
    if width_of(shown, 10.5) <= room:
        return centred(shown, across, down, "small")
    return f'<text class="small" transform="translate({across + 4:g} {down:g}) rotate(-90)">{text(shown)}</text>'


def bar(kind: str, left: float, top: float, wide: float, high: float) -> str:
    """A rectangle, hatched when open; none where there is nothing."""
    if wide <= 0 or high <= 0:
        return ""
    fill = ' fill="url(#hatch)"' if kind == "open" else ""
    return f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}"{fill}/>'


def dots(members: Members, sets: int, across: float) -> Iterator[str]:
    """A large dot for each set that the part is in, joined by a line; a small one for the others."""
    if len(members) > 1:
        first, last = row_middle(members[0]), row_middle(members[-1])
        yield f'<path class="open" stroke-width="2" d="M{across:g} {first:g}V{last:g}"/>'
    for place in range(sets):
        kind, radius = ("solid", 5) if place in members else ("other", 1.5)
        yield f'<circle class="{kind}" cx="{across:g}" cy="{row_middle(place):g}" r="{radius:g}"/>'


def row_middle(place: int) -> float:
    return BARS_TOP + BARS + GAP + ROW * (place + 0.5)
