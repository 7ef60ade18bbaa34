"""Axes and plot frames: convert data values to positions in the drawing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from bcms.lib.svg.text_layout import escape_svg_text

Point = tuple[float, float]

STEPS = 5


@dataclass(frozen=True, slots=True)
class Axis:
    """The label of an axis and the values at its ends, low < high; both above 0 if it is logarithmic."""

    label: str
    low: float = 0.0
    high: float = 1.0
    logarithmic: bool = False

    def get_relative_position(self, value: float) -> float:
        """The position of a value between the ends: 0 at low, 1 at high; values outside are clamped."""
        clamped = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log10(clamped / self.low) / log10(self.high / self.low)
        return (clamped - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """The round values from low to high that get a tick."""
        if self.logarithmic:
            exponents = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
            ticks = (tick for exponent in exponents for tick in _list_decade_ticks(exponent))
            return [tick for tick in ticks if self.low <= tick <= self.high]
        step = _compute_tick_step((self.high - self.low) / STEPS)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(number * step, 12) for number in range(first, last + 1)]


def _list_decade_ticks(exponent: int) -> list[float]:
    return [round(digit * 10.0**exponent, 12) for digit in (1, 2, 5)]


def _compute_tick_step(minimum: float) -> float:
    """The smallest step of at least the minimum that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(minimum))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= minimum * (1 - 1e-9))


def build_tight_axis_for_shares(label: str, shares: Sequence[float]) -> Axis:
    """An axis for values in [0, 1], whose round ends are close to the values to spread them out."""
    low, high = min(shares), max(shares)
    step = 0.05 if high - low < 0.2 else 0.1
    ends = max(floor(low / step - 0.2), 0) * step, min(ceil(high / step + 0.2) * step, 1.0)
    return Axis(label, round(ends[0], 12), round(ends[1], 12))


def format_value(value: float) -> str:
    """A value as readers see it: whole numbers with all digits, others with four."""
    if value == int(value) or abs(value) >= 10_000:
        return f"{value:.0f}"
    return f"{value:.4g}"


@dataclass(frozen=True, slots=True)
class PlotFrame:
    """The plot area between the axes; left, top, width and height are in units of the drawing."""

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
    def right_edge(self) -> float:
        return self.left + self.width

    def get_drawing_position(self, point: Point) -> Point:
        """The position (x, y) of a data point in units of the drawing."""
        x = self.left + self.x.get_relative_position(point[0]) * self.width
        return round(x, 1), round(self.top + (1 - self.y.get_relative_position(point[1])) * self.height, 1)


def render_axes_with_grid_and_labels(frame: PlotFrame) -> Iterator[str]:
    """Grid lines, axes, tick values and axis labels."""
    yield from render_x_grid_lines_and_values(frame)
    yield from render_y_grid_lines_and_values(frame)
    left, bottom = frame.get_drawing_position((frame.x.low, frame.y.low))
    yield f'<path class="axis" d="M{left} {frame.top}V{bottom}H{frame.right_edge}"/>'
    middle = frame.left + frame.width / 2
    yield f'<text x="{middle:g}" y="{bottom + 36}" text-anchor="middle">{escape_svg_text(frame.x.label)}</text>'
    yield render_y_label(frame)


def render_x_grid_lines_and_values(frame: PlotFrame) -> Iterator[str]:
    for tick in frame.x.ticks():
        x, bottom = frame.get_drawing_position((tick, frame.y.low))
        yield f'<path class="grid" d="M{x} {frame.top}V{bottom}"/>'
        yield f'<text x="{x}" y="{bottom + 17}" text-anchor="middle">{tick:.4g}</text>'


def render_y_grid_lines_and_values(frame: PlotFrame) -> Iterator[str]:
    for tick in frame.y.ticks():
        left, y = frame.get_drawing_position((frame.x.low, tick))
        yield f'<path class="grid" d="M{left} {y}H{frame.right_edge}"/>'
        yield f'<text x="{left - 7}" y="{y + 4}" text-anchor="end">{tick:.4g}</text>'


def render_y_label(frame: PlotFrame) -> str:
    return f'<text x="{frame.left - 40:g}" y="{frame.top - 12:g}">{escape_svg_text(frame.y.label)}</text>'
