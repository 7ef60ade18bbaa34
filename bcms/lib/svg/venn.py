"""Two or three sets as circles of equal size that meet; the numbers in them say how much is where."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bcms.lib.svg.lettering import fitted, text
from bcms.lib.svg.sets import Members, Part, centred


@dataclass(frozen=True, slots=True)
class Circle:
    """A set of a Venn diagram: centre, and where its name stands."""

    across: float
    down: float
    name_at: tuple[float, float]
    anchor: str


# Circles of equal size, and the middle of each of their parts.
VENN_HEIGHT = {2: 280.0, 3: 400.0}
RADIUS = {2: 105.0, 3: 108.0}
CIRCLES = {
    2: (Circle(170, 160, (120, 40), "middle"), Circle(300, 160, (350, 40), "middle")),
    3: (
        Circle(172, 150, (110, 24), "middle"),
        Circle(298, 150, (360, 24), "middle"),
        Circle(235, 259, (235, 388), "middle"),
    ),
}
MIDDLES: Mapping[int, Mapping[Members, tuple[float, float]]] = {
    2: {(0,): (120, 160), (1,): (350, 160), (0, 1): (235, 160)},
    3: {
        **{(0,): (128, 122), (1,): (342, 122), (2,): (235, 320), (0, 1): (235, 106)},
        **{(0, 2): (166, 232), (1, 2): (304, 232), (0, 1, 2): (235, 186)},
    },
}


def venn(names: Sequence[str], totals: Sequence[int], parts: Sequence[Part]) -> Iterator[str]:
    """Two or three circles with the number of each part, an empty one too, and what of it is right."""
    many = len(names)
    numbers = {part.members: part for part in parts}
    for index, own in enumerate(CIRCLES[many]):
        yield (
            f'<circle class="set c{index} d{index}" cx="{own.across:g}" cy="{own.down:g}" r="{RADIUS[many]:g}">'
            f"<title>{text(names[index])}</title></circle>"
        )
    for index, own in enumerate(CIRCLES[many]):
        shown = f"{fitted(names[index], 150, 12)} ({totals[index]:,})"
        yield centred(shown, own.name_at[0], own.name_at[1], "ink")
    for members, (across, down) in MIDDLES[many].items():
        part = numbers.get(members, Part(members, 0))
        yield centred(f"{part.number:,}", across, down, "ink strong")
        if part.right is not None:
            yield centred(f"{part.right:,} right", across, down + 15, "small")
