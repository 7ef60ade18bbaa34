"""The lines of a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, dist

from bcms.lib.svg.axes import Axis, PlotFrame, Point, format_value
from bcms.lib.svg.series_styles import get_series_colour_and_dash_classes, render_series_mark
from bcms.lib.svg.text_layout import escape_svg_text

# Positions closer to each other than this look the same.
NEAREST = 0.5
# Points closer to each other than this cannot be pointed at one by one.
NEAREST_POINTED = 3.0
# A line that goes up and down thousands of times would make a page of megabytes, whose every point is looked at when
# the pointer moves.
MOST_POINTED = 500
# A line with more positions is cut into a quarter as many steps, of which the first, last, highest and lowest position
# are drawn.
MOST_DRAWN = 2000
MARKS_WITHIN = 3


@dataclass(frozen=True, slots=True)
class LineSeries:
    """One line: its name in the legend, its points (x, y) in order, and a note shown on hover.

    labels: what readers see instead of the x of each point, such as a day; empty for the values. They contain no "|".
    """

    name: str
    points: Sequence[Point]
    note: str = ""
    labels: Sequence[str] = ()


def render_series_line_with_few_marks(series: LineSeries, style_index: int, frame: PlotFrame) -> str:
    """One series: its line, with its mark at the end and a few times along the line, and its tooltip."""
    if not series.points:
        return ""
    positions = [frame.get_drawing_position(point) for point in series.points]
    path = "M" + "L".join(f"{x} {y}" for x, y in iter_distant_points_keeping_ends(positions))
    marked = [*_iter_mark_positions(positions, style_index), positions[-1]]
    marks = "".join(render_series_mark(style_index, *position) for position in marked)
    return (
        f'<g class="series"{render_point_values(series, positions, frame)}>'
        f"<title>{_render_series_tooltip(series)}</title>"
        f'<path class="line {get_series_colour_and_dash_classes(style_index)}" d="{path}"/>{marks}</g>'
    )


def _render_series_tooltip(series: LineSeries) -> str:
    return escape_svg_text(f"{series.name}\n{series.note}" if series.note else series.name)


def render_point_values(series: LineSeries, positions: Sequence[Point], frame: PlotFrame) -> str:
    """The attributes of the group of a line by which static/charts.js shows the values of its points.

    positions: of the points in the drawing; without any, there is no attribute. data-points has the values "x,y" of
    points that can be pointed at one by one; data-x and data-y have the ends of an axis in the drawing, the values
    there, and "log" for a logarithmic one; data-labels has the labels of the points.
    """
    if not positions:
        return ""
    kept = _list_pointed_indexes(positions)
    points = " ".join(",".join(map(format_value, series.points[index])) for index in kept)
    labels = "|".join(series.labels[index] for index in kept) if series.labels else ""
    return (
        f' data-points="{points}"{_render_axis("x", frame.x, frame.left, frame.right_edge)}'
        f"{_render_axis('y', frame.y, frame.bottom, frame.top)}"
        + (f' data-labels="{escape_svg_text(labels)}"' if labels else "")
    )


def _render_axis(name: str, axis: Axis, start: float, end: float) -> str:
    logarithmic = " log" if axis.logarithmic else ""
    return (
        f' data-{name}="{start:g} {end:g} {axis.low:g} {axis.high:g}{logarithmic}"'
        f' data-{name}-label="{escape_svg_text(axis.label)}"'
    )


def _list_pointed_indexes(positions: Sequence[Point]) -> list[int]:
    """The indexes of positions that are far enough apart, MOST_POINTED or few more, and of the first and the last."""
    kept = [0]
    for index, position in enumerate(positions[1:-1], 1):
        if dist(position, positions[kept[-1]]) >= NEAREST_POINTED:
            kept.append(index)
    kept = kept[:: ceil(len(kept) / MOST_POINTED)]
    return [*kept, len(positions) - 1] if len(positions) > 1 else kept


def iter_distant_points_keeping_ends(positions: Sequence[Point]) -> Iterator[Point]:
    """The positions that are visibly different, MOST_DRAWN or few more, and always the first and the last."""
    distant = list(_iter_distant_points(positions))
    if len(distant) <= MOST_DRAWN:
        yield from distant
        return
    size = ceil(4 * len(distant) / MOST_DRAWN)
    for start in range(0, len(distant), size):
        yield from _keep_ends_and_extremes(distant[start : start + size])


def _keep_ends_and_extremes(positions: Sequence[Point]) -> list[Point]:
    """Of positions in a row, the first, the last, the highest and the lowest, in their order."""
    heights = [(position[1], index) for index, position in enumerate(positions)]
    kept = {0, min(heights)[1], max(heights)[1], len(positions) - 1}
    return [positions[index] for index in sorted(kept)]


def _iter_distant_points(positions: Sequence[Point]) -> Iterator[Point]:
    yield positions[0]
    last = positions[0]
    for position in positions[1:-1]:
        if dist(position, last) >= NEAREST:
            last = position
            yield position
    if len(positions) > 1:
        yield positions[-1]


def _iter_mark_positions(positions: Sequence[Point], index: int) -> Iterator[Point]:
    """Positions at even distances along the line, shifted by series so that marks do not overlap."""
    lengths = list(accumulate((dist(start, end) for start, end in pairwise(positions)), initial=0.0))
    step = lengths[-1] / MARKS_WITHIN
    if len(positions) < 2 * MARKS_WITHIN or not step:
        return
    shift = step * ((index * 5) % 8 + 1) / 10
    for number in range(MARKS_WITHIN):
        target = number * step + shift
        yield next(position for position, length in zip(positions, lengths, strict=True) if length >= target)


def render_legend_line_with_mark(style_index: int, x: float, y: float) -> str:
    """The legend key of a series: 30 units of its line with its mark."""
    line = f'<path class="line {get_series_colour_and_dash_classes(style_index)}" d="M{x:g} {y:g}h30"/>'
    return line + render_series_mark(style_index, x + 15, y)
