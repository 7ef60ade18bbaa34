"""Bar charts of days: one narrow column per day, whose height also shows how good the day was, without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Axis, PlotFrame
from bcms.lib.svg.series_lines import LineSeries, render_point_values
from bcms.lib.svg.text_layout import escape_svg_text

HEIGHT, STEP, WIDE = 34, 8, 6
# The lowest shares of a whole and of a fair day.
WHOLE, FAIR = 0.999, 0.95
DAY_HEIGHTS = {"whole": 1.0, "fair": 0.7, "poor": 0.4, "none": 0.12}


@dataclass(frozen=True, slots=True)
class DayShare:
    """One day: share is the good part of it in [0, 1], None if unknown; tooltip is shown on hover."""

    share: float | None
    tooltip: str


def classify_day_share(good_share: float | None) -> str:
    """The class of a day: whole, fair, poor or none (unknown)."""
    if good_share is None:
        return "none"
    return "whole" if good_share >= WHOLE else "fair" if good_share >= FAIR else "poor"


def render_day_bars(days: Sequence[DayShare], *, id_prefix: str, title: str) -> str:
    """The days from left to right as one <svg> element; the page colours the classes day-whole, day-fair, ...

    The page may stretch it: columns get wider or narrower without getting higher or lower.
    id_prefix is the prefix of ids, unique in the page; title describes the chart.
    """
    columns = (
        f'<g><title>{escape_svg_text(day.tooltip)}</title><path class="day-{day_class}" d="{path}"/></g>'
        for day, (day_class, path) in zip(days, _iter_columns([day.share for day in days]), strict=True)
    )
    return _render_svg(len(days), "".join(columns), id_prefix, title, ' preserveAspectRatio="none"', scale=2)


def render_day_strip(
    shares: Sequence[float | None], *, id_prefix: str, title: str, figure: str, labels: Sequence[str]
) -> str:
    """As render_day_bars, without an element for each day: four paths however many days, for lists of many strips.

    figure names the shares, which are shown in percent, and labels name the days.
    """
    paths: dict[str, str] = {}
    for day_class, path in _iter_columns(shares):
        paths[day_class] = paths.get(day_class, "") + path
    columns = "".join(f'<path class="day-{day_class}" d="{path}"/>' for day_class, path in paths.items())
    values = _render_share_values(shares, f"{figure} in %", labels)
    return _render_svg(len(shares), f"<g{values}>{columns}</g>", id_prefix, title)


def _render_share_values(shares: Sequence[float | None], figure: str, labels: Sequence[str]) -> str:
    """The attributes with the values of the days that are known, each in the middle of its column."""
    days, width = len(shares), float(STEP * len(shares))
    frame = PlotFrame(Axis("", 0.0, float(days)), Axis(figure, 0.0, 100.0), 0, 0, width, HEIGHT)
    points = {(day + 0.5, 100 * share): labels[day] for day, share in enumerate(shares) if share is not None}
    series = LineSeries("", list(points), labels=list(points.values()))
    return render_point_values(series, [frame.get_drawing_position(point) for point in points], frame)


def _render_svg(days: int, columns: str, id_prefix: str, title: str, more: str = "", scale: int = 1) -> str:
    width, title_id = STEP * days, f"{escape_svg_text(id_prefix)}-title"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="days" viewBox="0 0 {width} {HEIGHT}" role="img"'
        f' width="{width * scale}" height="{HEIGHT * scale}"{more} aria-labelledby="{title_id}">'
        f'<title id="{title_id}">{escape_svg_text(title)}</title>{columns}</svg>'
    )


def _iter_columns(shares: Sequence[float | None]) -> Iterator[tuple[str, str]]:
    """The class of each day and the path of its column."""
    for number, share in enumerate(shares):
        day_class = classify_day_share(share)
        height = round(HEIGHT * DAY_HEIGHTS[day_class])
        yield day_class, f"M{number * STEP + 1} {HEIGHT - height}h{WIDE}v{height}h-{WIDE}z"
