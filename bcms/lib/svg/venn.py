"""Venn diagrams: two or three sets as overlapping circles of equal size, with the sizes of the regions as numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bcms.lib.svg.set_regions import Members, SetRegion, render_centred_text
from bcms.lib.svg.text_layout import escape_svg_text, truncate_text_to_width


@dataclass(frozen=True, slots=True)
class VennCircle:
    """A circle of a Venn diagram: its centre, and the position of its name."""

    x: float
    y: float
    label_position: tuple[float, float]


VENN_HEIGHT = {2: 280.0, 3: 400.0}
RADIUS = {2: 105.0, 3: 108.0}
CIRCLES = {
    2: (VennCircle(170, 160, (120, 40)), VennCircle(300, 160, (350, 40))),
    3: (
        VennCircle(172, 150, (110, 24)),
        VennCircle(298, 150, (360, 24)),
        VennCircle(235, 259, (235, 388)),
    ),
}
# The middle of each region, by the indexes of its sets.
MIDDLES: Mapping[int, Mapping[Members, tuple[float, float]]] = {
    2: {(0,): (120, 160), (1,): (350, 160), (0, 1): (235, 160)},
    3: {
        **{(0,): (128, 122), (1,): (342, 122), (2,): (235, 320), (0, 1): (235, 106)},
        **{(0, 2): (166, 232), (1, 2): (304, 232), (0, 1, 2): (235, 186)},
    },
}


def render_venn_of_two_or_three_sets(
    set_names: Sequence[str], set_sizes: Sequence[int], regions: Sequence[SetRegion]
) -> Iterator[str]:
    """Two or three circles with the size of each region, even if empty, and how many of its elements are correct."""
    count = len(set_names)
    by_members = {region.members: region for region in regions}
    for index, circle in enumerate(CIRCLES[count]):
        yield (
            f'<circle class="set c{index} d{index}" cx="{circle.x:g}" cy="{circle.y:g}" r="{RADIUS[count]:g}">'
            f"<title>{escape_svg_text(set_names[index])}\n{set_sizes[index]:,}</title></circle>"
        )
    for index, circle in enumerate(CIRCLES[count]):
        text = f"{truncate_text_to_width(set_names[index], 150, 12)} ({set_sizes[index]:,})"
        yield render_centred_text(text, circle.label_position[0], circle.label_position[1], "ink")
    for members, (x, y) in MIDDLES[count].items():
        region = by_members.get(members, SetRegion(members, 0))
        yield render_centred_text(f"{region.size:,}", x, y, "ink strong")
        if region.correct is not None:
            yield render_centred_text(f"{region.correct:,} correct", x, y + 15, "small")
