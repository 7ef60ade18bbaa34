"""UpSet plots: any number of sets as a matrix with bars.

Source: Lex et al. (2014), UpSet: visualization of intersecting sets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.set_regions import Members, SetRegion, render_centred_text
from bcms.lib.svg.text_layout import escape_svg_text, estimate_text_width, truncate_text_to_width

BARS_TOP, BARS, ROW, NAMES, TOTALS, GAP = 48.0, 190.0, 20.0, 170.0, 120.0, 14.0
NARROWEST, WIDEST = 16.0, 34.0


@dataclass(frozen=True, slots=True)
class UpsetLayout:
    """The layout of an UpSet plot: the first column starts at left; largest_region and largest_set scale the bars."""

    left: float
    column_width: float
    largest_region: int
    largest_set: int

    def get_column_middle(self, column: int) -> float:
        return round(self.left + self.column_width * (column + 0.5), 1)


def compute_upset_height(set_count: int) -> float:
    """The height of an UpSet plot, in units of the drawing."""
    return BARS_TOP + BARS + GAP + ROW * set_count + 8


def count_narrow_upset_columns(width: float) -> int:
    """The largest number of regions that fit into a width, each with room for its size."""
    return int((width - NAMES - TOTALS - 2 * GAP) / NARROWEST)


def render_upset_plot(
    set_names: Sequence[str], set_totals: Sequence[SetRegion], regions: Sequence[SetRegion], width: float
) -> Iterator[str]:
    """A bar for each region above dots for its sets, and a bar for the total of each set.

    Solid: correct elements, or all if that is unknown; hatched: wrong ones. Raises ValueError without regions.
    """
    if not regions:
        raise ValueError("All sets are empty; there is nothing to draw.")
    left = NAMES + TOTALS + 2 * GAP
    column_width = min((width - left) / len(regions), WIDEST)
    largest_set = max(total.size for total in set_totals) or 1
    layout = UpsetLayout(left, column_width, max(region.size for region in regions), largest_set)
    yield from _render_set_rows(set_names, set_totals, layout, left + column_width * len(regions))
    for column, region in enumerate(regions):
        yield from _render_region_column(column, region, set_names, layout)


def _render_set_rows(
    names: Sequence[str], totals: Sequence[SetRegion], layout: UpsetLayout, end: float
) -> Iterator[str]:
    """The row of each set: its name, its bar, and a background band in every other row."""
    for index, (name, total) in enumerate(zip(names, totals, strict=True)):
        middle = _get_set_row_middle(index)
        if index % 2 == 0:
            yield f'<rect class="band" x="0" y="{middle - ROW / 2:g}" width="{end:g}" height="{ROW:g}"/>'
        text = escape_svg_text(truncate_text_to_width(name, NAMES, 11))
        yield f'<text class="ink cells" x="0" y="{middle + 4:g}">{text}</text>'
        yield from _render_set_total_bar(total, middle, layout)


def _render_set_total_bar(total: SetRegion, middle: float, layout: UpsetLayout) -> Iterator[str]:
    """The bar of a set, from right to left, with its size."""
    scale = (TOTALS - estimate_text_width(f"{layout.largest_set:,}", 10.5) - 6) / layout.largest_set
    end, correct = NAMES + GAP + TOTALS, total.size if total.correct is None else total.correct
    whole, solid = total.size * scale, correct * scale
    yield _render_solid_or_hatched_bar("solid", end - solid, middle - 6, solid, 12)
    yield _render_solid_or_hatched_bar("open", end - whole, middle - 6, whole - solid, 12)
    yield f'<text class="small" x="{end - whole - 4:.1f}" y="{middle + 4:g}" text-anchor="end">{total.size:,}</text>'


def _render_region_column(column: int, region: SetRegion, names: Sequence[str], layout: UpsetLayout) -> Iterator[str]:
    """The bar of a region with its size, and the dots below it."""
    x, floor = layout.get_column_middle(column), BARS_TOP + BARS
    correct = region.size if region.correct is None else region.correct
    whole, solid = region.size / layout.largest_region * BARS, correct / layout.largest_region * BARS
    width = layout.column_width * 0.66
    yield f"<g><title>{escape_svg_text(_format_region_tooltip(region, names))}</title>"
    yield _render_solid_or_hatched_bar("solid", x - width / 2, floor - solid, width, solid)
    yield _render_solid_or_hatched_bar("open", x - width / 2, floor - whole, width, whole - solid)
    yield _render_bar_count(f"{region.size:,}", x, round(floor - whole - 4, 1), layout.column_width)
    yield from _render_membership_dots(region.members, len(names), x)
    yield "</g>"


def _format_region_tooltip(region: SetRegion, names: Sequence[str]) -> str:
    correct = "" if region.correct is None else f", {region.correct:,} correct"
    return f"{' & '.join(names[index] for index in region.members)}\n{region.size:,}{correct}"


def _render_bar_count(count: str, x: float, y: float, room: float) -> str:
    """The count above a bar, rotated where the column is too narrow."""
    if estimate_text_width(count, 10.5) <= room:
        return render_centred_text(count, x, y, "small")
    transform = f"translate({x + 4:g} {y:g}) rotate(-90)"
    return f'<text class="small" transform="{transform}">{escape_svg_text(count)}</text>'


def _render_solid_or_hatched_bar(css_class: str, left: float, top: float, width: float, height: float) -> str:
    """A rectangle of the class solid or open (hatched); empty text for an empty one."""
    if width <= 0 or height <= 0:
        return ""
    fill = ' fill="url(#hatch)"' if css_class == "open" else ""
    return f'<rect class="{css_class}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"{fill}/>'


def _render_membership_dots(members: Members, set_count: int, x: float) -> Iterator[str]:
    """A large dot for each set of a region, joined by a line, and a small dot for each other set."""
    if len(members) > 1:
        first, last = _get_set_row_middle(members[0]), _get_set_row_middle(members[-1])
        yield f'<path class="open" stroke-width="2" d="M{x:g} {first:g}V{last:g}"/>'
    for index in range(set_count):
        css_class, radius = ("solid", 5) if index in members else ("other", 1.5)
        yield f'<circle class="{css_class}" cx="{x:g}" cy="{_get_set_row_middle(index):g}" r="{radius:g}"/>'


def _get_set_row_middle(index: int) -> float:
    return BARS_TOP + BARS + GAP + ROW * (index + 0.5)
