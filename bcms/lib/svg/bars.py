"""Bars in groups, a mark of its series on each, so that they read without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.axes import Frame, ticks_down, y_label
from bcms.lib.svg.lettering import fitted, text
from bcms.lib.svg.looks import mark

WIDEST = 34.0
BETWEEN = 0.2


@dataclass(frozen=True, slots=True)
class Bars:
    """A group: its name, a note beneath it, and the value of each series, None where it has none."""

    name: str
    note: str
    values: Sequence[float | None]


def bars(groups: Sequence[Bars], series: Sequence[str], frame: Frame) -> Iterator[str]:
    """The groups from left to right; only the y axis of the frame has values."""
    yield from ticks_down(frame)
    yield y_label(frame)
    room = frame.width / len(groups)
    wide = min(room * (1 - BETWEEN) / max(len(series), 1), WIDEST)
    for number, group in enumerate(groups):
        middle = frame.left + room * (number + 0.5)
        for place, value in enumerate(group.values):
            if value is not None:
                yield bar(
                    place,
                    middle + (place - len(series) / 2) * wide,
                    wide,
                    f"{series[place]}, {group.name}",
                    value,
                    frame,
                )
        yield below(group.name, middle, frame.bottom + 16, room, "ink")
        yield below(group.note, middle, frame.bottom + 31, room, "small")
    yield f'<path class="axis" d="M{frame.left} {frame.top}V{frame.bottom}H{frame.right}"/>'


def bar(index: int, left: float, wide: float, name: str, value: float, frame: Frame) -> str:
    _, top = frame.place((frame.x.low, value))
    inner = max(wide - 2, 1)
    return (
        f'<g class="series"><title>{text(name)}: {value:.4f}</title><rect class="bar c{index % 8}" x="{left + 1:.1f}" '
        f'y="{top}" width="{inner:.1f}" height="{frame.bottom - top:.1f}" fill-opacity=".35"/>'
        f"{mark(index, round(left + wide / 2, 1), top)}</g>"
    )


def below(value: str, middle: float, down: float, room: float, kind: str) -> str:
    shown = text(fitted(value, room, 12))
    return f'<text class="{kind}" x="{middle:.1f}" y="{down:g}" text-anchor="middle">{shown}</text>'
