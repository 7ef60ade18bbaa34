"""Points in a plane with their names beside them where there is room."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import PlotFrame, Point, format_value
from bcms.lib.svg.series_styles import render_series_mark
from bcms.lib.svg.text_layout import escape_svg_text, estimate_text_width, truncate_text_to_width

SIZE = 11.0
WIDEST = 150.0
MARK = 6.0
# Positions of a name, best first: right, left, above and below, then farther away; (side, shift, lift) in its own size.
OFFSETS = (
    *((1, 0.0, 0.0), (-1, 0.0, 0.0), (0, 0.0, -1.0), (0, 0.0, 1.0), (1, 0.0, -0.8), (1, 0.0, 0.8), (-1, 0.0, -0.8)),
    *((-1, 0.0, 0.8), (0, 0.4, -1.9), (0, -0.4, 1.9), (0, -0.4, -1.9), (0, 0.4, 1.9)),
)


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """A point and its name; index selects its style, None draws a small grey point without a name."""

    name: str
    point: Point
    index: int | None = None


@dataclass(frozen=True, slots=True)
class DrawingBox:
    """An occupied rectangle of the drawing."""

    left: float
    top: float
    width: float
    height: float

    def overlaps_box(self, other: "DrawingBox") -> bool:
        overlaps_in_x = self.left < other.left + other.width and other.left < self.left + self.width
        return overlaps_in_x and self.top < other.top + other.height and other.top < self.top + self.height

    def fits_frame(self, frame: PlotFrame) -> bool:
        fits_in_x = frame.left <= self.left and self.left + self.width <= frame.right_edge
        return fits_in_x and frame.top <= self.top and self.top + self.height <= frame.bottom


def render_points_with_fitting_labels(
    points: Sequence[LabelledPoint], frame: PlotFrame, boxes_to_avoid: Sequence[DrawingBox] = ()
) -> Iterator[str]:
    """The minor points, then the marks, then the names, which keep clear of boxes_to_avoid.

    A name that does not fit anywhere is omitted.
    """
    for point in points:
        if point.index is None:
            yield _render_minor_point(point, frame)
    major = [point for point in points if point.index is not None]
    for point in reversed(major):
        mark = render_series_mark(point.index or 0, *frame.get_drawing_position(point.point))
        yield f'<g class="series"><title>{_render_point_tooltip(point, frame)}</title>{mark}</g>'
    yield from _render_point_labels(major, frame, boxes_to_avoid)


def _render_minor_point(point: LabelledPoint, frame: PlotFrame) -> str:
    x, y = frame.get_drawing_position(point.point)
    tooltip = _render_point_tooltip(point, frame)
    return f'<circle class="other" cx="{x}" cy="{y}" r="2.2"><title>{tooltip}</title></circle>'


def _render_point_tooltip(point: LabelledPoint, frame: PlotFrame) -> str:
    """The name of the point, and below it its values with the labels of their axes."""
    values = zip((frame.x, frame.y), point.point, strict=True)
    lines = [point.name, *(f"{axis.label}: {format_value(value)}" for axis, value in values)]
    return escape_svg_text("\n".join(lines))


def _render_point_labels(
    points: Sequence[LabelledPoint], frame: PlotFrame, reserved: Sequence[DrawingBox]
) -> Iterator[str]:
    """The names, each at its first position that overlaps no mark and no earlier name."""
    occupied = [*reserved, *(_make_mark_box(frame.get_drawing_position(point.point)) for point in points)]
    for point in points:
        text = truncate_text_to_width(point.name, WIDEST, SIZE)
        free_boxes = (
            box
            for box in _iter_label_boxes(frame.get_drawing_position(point.point), text)
            if box.fits_frame(frame) and not any(map(box.overlaps_box, occupied))
        )
        box = next(free_boxes, None)
        if box is not None:
            occupied.append(box)
            label = escape_svg_text(text)
            yield f'<text class="label ink cells" x="{box.left:.1f}" y="{box.top + 10:.1f}">{label}</text>'


def _make_mark_box(position: Point) -> DrawingBox:
    return DrawingBox(position[0] - MARK, position[1] - MARK, 2 * MARK, 2 * MARK)


def _iter_label_boxes(position: Point, text: str) -> Iterator[DrawingBox]:
    """The possible boxes for the name of a point, best first."""
    x, y = position
    width, height = estimate_text_width(text, SIZE), SIZE + 2
    for side, shift, lift in OFFSETS:
        left = {1: x + MARK + 1, -1: x - MARK - 1 - width, 0: x - width / 2 + shift * width}[side]
        yield DrawingBox(left, y - height / 2 + lift * (height + 2), width, height)
