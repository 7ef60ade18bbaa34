"""A line without axes, as small as a word, that shows how a figure has changed."""

from collections.abc import Iterator, Sequence

from bcms.lib.svg.text_layout import escape_svg_text

WIDTH, HEIGHT = 120, 28
# Room for the line and the last point at the edges.
MARGIN = 3


def render_sparkline(values: Sequence[float | None], *, id_prefix: str, title: str) -> str:
    """The values, not negative, from left to right as one <svg> element, from zero up to the highest; "" for none.

    None leaves a gap; a value between two gaps is a dot, and so is the last one. id_prefix is the prefix of ids, unique
    in the page; title describes the line. The page colours the classes spark-line and spark-point.
    """
    points = list(_iter_points(values))
    known = [point for point in points if point is not None]
    if not known:
        return ""
    title_id, (last_x, last_y) = f"{escape_svg_text(id_prefix)}-title", known[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="spark" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' width="{WIDTH}" height="{HEIGHT}" aria-labelledby="{title_id}">'
        f'<title id="{title_id}">{escape_svg_text(title)}</title><path class="spark-line" d="{_render_path(points)}"/>'
        f'<circle class="spark-point" cx="{last_x:g}" cy="{last_y:g}" r="2.5"/></svg>'
    )


def _iter_points(values: Sequence[float | None]) -> Iterator[tuple[float, float] | None]:
    highest = max((value for value in values if value is not None), default=0.0) or 1.0
    step = (WIDTH - 2 * MARGIN) / max(len(values) - 1, 1)
    for number, value in enumerate(values):
        height = None if value is None else (HEIGHT - 2 * MARGIN) * value / highest
        yield None if height is None else (round(MARGIN + step * number, 1), round(HEIGHT - MARGIN - height, 1))


def _render_path(points: Sequence[tuple[float, float] | None]) -> str:
    """A line through points in a row; alone, a line of no length, whose round ends are a dot."""
    path, before = "", None
    for number, point in enumerate(points):
        if point is not None:
            after = points[number + 1] if number + 1 < len(points) else None
            path += f"{'M' if before is None else 'L'}{point[0]:g} {point[1]:g}"
            path += "h0" if before is None and after is None else ""
        before = point
    return path
