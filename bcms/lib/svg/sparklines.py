"""A line without axes, as small as a word, that shows how a figure has changed."""

from collections.abc import Sequence
from itertools import pairwise

from bcms.lib.svg.axes import Axis, PlotFrame, Point
from bcms.lib.svg.series_lines import LineSeries, render_point_values
from bcms.lib.svg.text_layout import escape_svg_text

WIDTH, HEIGHT = 120, 28
# Room for the line and the last point at the edges.
MARGIN = 3


def render_sparkline(
    values: Sequence[float | None], *, id_prefix: str, title: str, figure: str, labels: Sequence[str]
) -> str:
    """The values from left to right as one <svg> element, from zero up to the highest; "" for fewer than two.

    None leaves a gap; a value between two gaps is a dot, and so is the last one. A value below zero is drawn as zero.
    id_prefix is the prefix of ids, unique in the page; title describes the line. figure names the values, and labels
    say what each of them is of, such as a day. The page colours the classes spark-line, spark-area (what is below the
    line) and spark-point.
    """
    frame = _build_frame(values, figure)
    points = [None if value is None else (float(number), value) for number, value in enumerate(values)]
    positions = [None if point is None else frame.get_drawing_position(point) for point in points]
    known = [position for position in positions if position is not None]
    if len(known) < 2:
        return ""
    series = LineSeries(
        "",
        [point for point in points if point is not None],
        labels=[label for label, point in zip(labels, points, strict=True) if point is not None],
    )
    title_id, (last_x, last_y) = f"{escape_svg_text(id_prefix)}-title", known[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spark" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' width="{WIDTH}" height="{HEIGHT}" aria-labelledby="{title_id}">'
        f'<title id="{title_id}">{escape_svg_text(title)}</title>'
        f'<g{render_point_values(series, known, frame)}><path class="spark-area" d="{_render_area(positions)}"/>'
        f'<path class="spark-line" d="{_render_path(positions)}"/>'
        f'<circle class="spark-point" cx="{last_x:g}" cy="{last_y:g}" r="2.5"/></g></svg>'
    )


def _build_frame(values: Sequence[float | None], figure: str) -> PlotFrame:
    highest = max([0.0, *(value for value in values if value is not None)]) or 1.0
    across, up = Axis("", 0.0, float(max(len(values) - 1, 1))), Axis(figure, 0.0, highest)
    return PlotFrame(across, up, MARGIN, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN)


def _render_path(positions: Sequence[Point | None]) -> str:
    """A line through points in a row; alone, a line of no length, whose round ends are a dot."""
    path = ""
    for before, position, after in zip([None, *positions], positions, [*positions[1:], None], strict=False):
        if position is not None:
            path += f"{'M' if before is None else 'L'}{position[0]:g} {position[1]:g}"
            path += "h0" if before is None and after is None else ""
    return path


def _render_area(positions: Sequence[Point | None]) -> str:
    """What is between the ground and each two points in a row."""
    pairs = [(left, right) for left, right in pairwise(positions) if left is not None and right is not None]
    ground = HEIGHT - MARGIN
    return "".join(f"M{x:g} {ground}V{y:g}L{x_after:g} {y_after:g}V{ground}z" for (x, y), (x_after, y_after) in pairs)
