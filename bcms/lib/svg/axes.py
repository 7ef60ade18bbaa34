"""Axes and the frame that they span: from values of the data to places of the drawing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from bcms.lib.svg.lettering import text

Point = tuple[float, float]

STEPS = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis says and the values at its two ends, low < high; logarithmic ones are above 0."""

    label: str
    low: float = 0.0
    high: float = 1.0
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Where a value lies between the ends: 0 at low, 1 at high; a value outside stands at the nearer end."""
        held = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log10(held / self.low) / log10(self.high / self.low)
        return (held - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """The round values between the ends."""
        if self.logarithmic:
            tens = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
            return [own for ten in tens for own in decade(ten) if self.low <= own <= self.high]
        step = round_step((self.high - self.low) / STEPS)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(number * step, 12) for number in range(first, last + 1)]


def decade(ten: int) -> list[float]:
    return [round(digit * 10.0**ten, 12) for digit in (1, 2, 5)]


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10 ... times a power of ten that is no smaller."""
    ten = 10.0 ** floor(log10(least))
    return next(digit * ten for digit in (1, 2, 5, 10) if digit * ten >= least * (1 - 1e-9))


def share_axis(label: str, values: Sequence[float]) -> Axis:
    """An axis for values in [0, 1] with the round ends that are nearest to them, so that close ones come apart."""
    low, high = min(values), max(values)
    step = 0.05 if high - low < 0.2 else 0.1
    ends = max(floor(low / step - 0.2), 0) * step, min(ceil(high / step + 0.2) * step, 1.0)
    return Axis(label, round(ends[0], 12), round(ends[1], 12))


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the axes stand: left, top, width and height in units of the drawing."""

    x: Axis
    y: Axis
    left: float = 46
    top: float = 26
    width: float = 400
    height: float = 300

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def right(self) -> float:
        return self.left + self.width

    def place(self, point: Point) -> Point:
        """A point of the data in units of the drawing."""
        across = self.left + self.x.share(point[0]) * self.width
        return round(across, 1), round(self.top + (1 - self.y.share(point[1])) * self.height, 1)


def grid(frame: Frame) -> Iterator[str]:
    """Grid lines, axes, the figures at the ticks and the labels of the axes."""
    yield from ticks_across(frame)
    yield from ticks_down(frame)
    left, bottom = frame.place((frame.x.low, frame.y.low))
    yield f'<path class="axis" d="M{left} {frame.top}V{bottom}H{frame.right}"/>'
    middle = frame.left + frame.width / 2
    yield f'<text x="{middle:g}" y="{bottom + 36}" text-anchor="middle">{text(frame.x.label)}</text>'
    yield y_label(frame)


def ticks_across(frame: Frame) -> Iterator[str]:
    for tick in frame.x.ticks():
        across, bottom = frame.place((tick, frame.y.low))
        yield f'<path class="grid" d="M{across} {frame.top}V{bottom}"/>'
        yield f'<text x="{across}" y="{bottom + 17}" text-anchor="middle">{tick:.4g}</text>'


def ticks_down(frame: Frame) -> Iterator[str]:
    for tick in frame.y.ticks():
        left, down = frame.place((frame.x.low, tick))
        yield f'<path class="grid" d="M{left} {down}H{frame.right}"/>'
        yield f'<text x="{left - 7}" y="{down + 4}" text-anchor="end">{tick:.4g}</text>'


def y_label(frame: Frame) -> str:
    return f'<text x="{frame.left - 40:g}" y="{frame.top - 12:g}">{text(frame.y.label)}</text>'
