"""Grouped bars; each bar has the mark of its series, so that they can be told apart without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bcms.lib.svg.axes import PlotFrame, render_y_grid_lines_and_values, render_y_label
from bcms.lib.svg.series_styles import render_series_mark
from bcms.lib.svg.text_layout import escape_svg_text, truncate_text_to_width

WIDEST = 34.0
BETWEEN = 0.2
# Half the width of the ends of an interval.
INTERVAL_END = 2.5
# The low and the high end.
BarInterval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BarGroup:
    """A group of bars: its name, a note below it, and the value of each series, None for no bar.

    intervals: of each series, None for no line; empty for a group without intervals.
    """

    name: str
    note: str
    values: Sequence[float | None]
    intervals: Sequence[BarInterval | None] = field(default=())


def render_bar_groups(
    groups: Sequence[BarGroup], series_names: Sequence[str], frame: PlotFrame, *, decimals: int = 4
) -> Iterator[str]:
    """The groups from left to right; only the y axis of the frame has ticks. decimals: of the values in tooltips."""
    yield from render_y_grid_lines_and_values(frame)
    yield render_y_label(frame)
    room = frame.width / len(groups)
    bar_width = min(room * (1 - BETWEEN) / max(len(series_names), 1), WIDEST)
    for number, group in enumerate(groups):
        middle = frame.left + room * (number + 0.5)
        for index, value in enumerate(group.values):
            if value is not None:
                left = middle + (index - len(series_names) / 2) * bar_width
                interval = group.intervals[index] if index < len(group.intervals) else None
                tooltip = f"{series_names[index]}\n{group.name}: {_format_bar_value(value, interval, decimals)}"
                yield _render_group_bar(index, left, bar_width, tooltip, value, frame)
                if interval is not None:
                    yield _render_interval(left + bar_width / 2, interval, frame)
        yield _render_group_caption(group.name, middle, frame.bottom + 16, room, "ink")
        yield _render_group_caption(group.note, middle, frame.bottom + 31, room, "small")
    yield f'<path class="axis" d="M{frame.left} {frame.top}V{frame.bottom}H{frame.right_edge}"/>'


def _format_bar_value(value: float, interval: BarInterval | None, decimals: int) -> str:
    if interval is None:
        return f"{value:.{decimals}f}"
    return f"{value:.{decimals}f}\nInterval: {interval[0]:.{decimals}f} to {interval[1]:.{decimals}f}"


def _render_group_bar(index: int, left: float, width: float, tooltip: str, value: float, frame: PlotFrame) -> str:
    _, top = frame.get_drawing_position((frame.x.low, value))
    inner_width = max(width - 2, 1)
    return (
        f'<g class="series"><title>{escape_svg_text(tooltip)}</title>'
        f'<rect class="column c{index % 8}" x="{left + 1:.1f}" '
        f'y="{top}" width="{inner_width:.1f}" height="{frame.bottom - top:.1f}" fill-opacity=".35"/>'
        f"{render_series_mark(index, round(left + width / 2, 1), top)}</g>"
    )


def _render_interval(across: float, interval: BarInterval, frame: PlotFrame) -> str:
    """A vertical line from the low to the high end, with a short line across each."""
    low, high = (frame.get_drawing_position((frame.x.low, value))[1] for value in interval)
    ends = "".join(f"M{across - INTERVAL_END:.1f} {y}H{across + INTERVAL_END:.1f}" for y in (low, high))
    return f'<path class="interval" d="M{across:.1f} {low}V{high}{ends}"/>'


def _render_group_caption(text: str, middle: float, y: float, room: float, css_class: str) -> str:
    caption = escape_svg_text(truncate_text_to_width(text, room, 12))
    return f'<text class="{css_class}" x="{middle:.1f}" y="{y:g}" text-anchor="middle">{caption}</text>'
