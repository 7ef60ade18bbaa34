"""The lines of a chart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import dist

from bcms.lib.svg.axes import PlotFrame, Point
from bcms.lib.svg.series_styles import get_series_colour_and_dash_classes, render_series_mark
from bcms.lib.svg.text_layout import escape_svg_text

# Positions closer to each other than this look the same.
NEAREST = 0.5
MARKS_WITHIN = 3


@dataclass(frozen=True, slots=True)
class LineSeries:
    """One line: its name in the legend, its points (x, y) in order, and a note shown on hover."""

    name: str
    points: Sequence[Point]
    note: str = ""


def render_series_line_with_few_marks(series: LineSeries, style_index: int, frame: PlotFrame) -> str:
    """One series: its line, with its mark at the end and a few times along the line, and its tooltip."""
    if not series.points:
        return ""
    positions = [frame.get_drawing_position(point) for point in series.points]
    path = "M" + "L".join(f"{x} {y}" for x, y in iter_distant_points_keeping_ends(positions))
    marked = [*_iter_mark_positions(positions, style_index), positions[-1]]
    marks = "".join(render_series_mark(style_index, *position) for position in marked)
    return (
        f'<g class="series"><title>{escape_svg_text(_format_series_tooltip(series))}</title>'
        f'<path class="line {get_series_colour_and_dash_classes(style_index)}" d="{path}"/>{marks}</g>'
    )


def _format_series_tooltip(series: LineSeries) -> str:
    return f"{series.name}: {series.note}" if series.note else series.name


def iter_distant_points_keeping_ends(positions: Sequence[Point]) -> Iterator[Point]:
    """The positions that are visibly different, and always the first and the last."""
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
