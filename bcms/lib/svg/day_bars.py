"""A bar chart of days: one narrow column per day, whose height also shows how good the day was, without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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

    id_prefix is the prefix of ids, unique in the page; title describes the chart.
    """
    width = STEP * len(days)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="days" viewBox="0 0 {width} {HEIGHT}" role="img"',
            f' width="{width}" height="{HEIGHT}" aria-labelledby="{escape_svg_text(id_prefix)}-title">',
            f'<title id="{escape_svg_text(id_prefix)}-title">{escape_svg_text(title)}</title>',
            *_render_day_columns(days),
            "</svg>",
        ]
    )


def _render_day_columns(days: Sequence[DayShare]) -> Iterator[str]:
    for number, day in enumerate(days):
        day_class = classify_day_share(day.share)
        height = round(HEIGHT * DAY_HEIGHTS[day_class])
        yield (
            f'<g><title>{escape_svg_text(day.tooltip)}</title><path class="day-{day_class}"'
            f' d="M{number * STEP + 1} {HEIGHT - height}h{WIDE}v{height}h-{WIDE}z"/></g>'
        )
