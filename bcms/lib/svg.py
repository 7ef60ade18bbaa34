"""Charts as SVG text, drawn by the server and read without a script.

Each series has a colour and a dash pattern of its own, so that nothing is said by colour alone; both themes are in the
drawing itself, so that it looks the same inside a page and as a file. Everything that comes from outside is escaped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

Point = tuple[float, float]

WIDTH, PLOT_HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 14, 26, 44
LEGEND_LINE = 20
STEPS = 5
LONGEST_NAME = 52
# Eight colours that differ for colour-blind eyes too, at least 3:1 on the paper of their theme, by four dash patterns.
LIGHT = ("#0068a8", "#c24e00", "#00795a", "#a2477f", "#8c6d00", "#2f85b8", "#7a3b1e", "#3b4249")
DARK = ("#6cb8f0", "#ff9a56", "#3fc9a0", "#e79ac6", "#e2c044", "#a5d8f7", "#d69a7c", "#d7dade")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its name in the legend, its points (x, y) in the order they are joined, and a note shown on hover."""

    name: str
    points: Sequence[Point]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis says and the values at its two ends; low < high."""

    label: str
    low: float = 0.0
    high: float = 1.0

    def share(self, value: float) -> float:
        """Where a value lies between the ends: 0 at low, 1 at high; a value outside stands at the nearer end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def ticks(self) -> list[float]:
        return [self.low + (self.high - self.low) * step / STEPS for step in range(STEPS + 1)]


def line_chart(series: Sequence[Series], *, name: str, title: str, description: str, x: Axis, y: Axis) -> str:
    """A chart of lines with a legend, as one <svg> element.

    name is a word for ids inside the page that is unique there; title says what is seen, description what a reader who
    cannot see it should know (the figures themselves belong in a table beside it).
    """
    height = TOP + PLOT_HEIGHT + BOTTOM + LEGEND_LINE * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height}" role="img"',
        f' width="{WIDTH}" height="{height}" aria-labelledby="{text(name)}-title {text(name)}-desc">',
        f'<title id="{text(name)}-title">{text(title)}</title><desc id="{text(name)}-desc">{text(description)}</desc>',
        f"<style>{style()}</style>",
        *grid(x, y),
        *(line(one, index, x, y) for index, one in enumerate(series)),
        *(legend(one, index) for index, one in enumerate(series)),
        "</svg>",
    ]
    return "".join(parts)


def text(value: str) -> str:
    """Foreign text made safe inside an element or a quoted attribute, without the characters that XML forbids."""
    return escape(NOT_XML.sub("\ufffd", value))


def style() -> str:
    """Colours and dashes as classes c0..c7 and d0..d3, for the light and the dark theme."""
    base = (
        ".chart text{font:12px Inter,system-ui,sans-serif;fill:#5b6570}.chart .grid{stroke:#dfddd6;fill:none}"
        ".chart .axis{stroke:#868c94;fill:none}.chart .line{fill:none;stroke-width:2.2;stroke-linejoin:round}"
        ".chart .series:hover .line{stroke-width:4}"
    )
    dashes = "".join(f".chart .d{n}{{stroke-dasharray:{dash}}}" for n, dash in enumerate(DASHES))
    dark = f".chart text{{fill:#9aa4ae}}.chart .grid{{stroke:#303840}}.chart .axis{{stroke:#66707a}}{colours(DARK)}"
    return f"{base}{dashes}{colours(LIGHT)}@media(prefers-color-scheme:dark){{{dark}}}"


def colours(palette: Sequence[str]) -> str:
    return "".join(
        f".chart .c{n}{{stroke:{colour}}}.chart .dot.c{n}{{fill:{colour}}}" for n, colour in enumerate(palette)
    )


def look(index: int) -> str:
    """The classes of a series: 32 of them in a row differ from each other."""
    return f"c{index % len(LIGHT)} d{(index + index // len(LIGHT)) % len(DASHES)}"


def place(point: Point, x: Axis, y: Axis) -> tuple[float, float]:
    """A point of the data in units of the drawing."""
    across = LEFT + x.share(point[0]) * (WIDTH - LEFT - RIGHT)
    down = TOP + (1 - y.share(point[1])) * PLOT_HEIGHT
    return round(across, 1), round(down, 1)


def grid(x: Axis, y: Axis) -> Iterator[str]:
    """Grid lines, axes, the figures at the ticks and the labels of the axes."""
    left, bottom = place((x.low, y.low), x, y)
    right, top = place((x.high, y.high), x, y)
    for tick in x.ticks():
        across, _ = place((tick, y.low), x, y)
        yield f'<path class="grid" d="M{across} {top}V{bottom}"/>'
        yield f'<text x="{across}" y="{bottom + 17}" text-anchor="middle">{tick:.4g}</text>'
    for tick in y.ticks():
        _, down = place((x.low, tick), x, y)
        yield f'<path class="grid" d="M{left} {down}H{right}"/>'
        yield f'<text x="{left - 7}" y="{down + 4}" text-anchor="end">{tick:.4g}</text>'
    yield f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>'
    yield f'<text x="{(left + right) / 2}" y="{bottom + 36}" text-anchor="middle">{text(x.label)}</text>'
    yield f'<text x="6" y="14">{text(y.label)}</text>'


def line(series: Series, index: int, x: Axis, y: Axis) -> str:
    """One series: its name on hover, its line, and a dot where the line ends."""
    if not series.points:
        return ""
    places = [place(point, x, y) for point in series.points]
    path = "M" + "L".join(f"{across} {down}" for across, down in places)
    across, down = places[-1]
    hover = text(f"{series.name}: {series.note}" if series.note else series.name)
    return (
        f'<g class="series"><title>{hover}</title><path class="line {look(index)}" d="{path}"/>'
        f'<circle class="dot {look(index)}" cx="{across}" cy="{down}" r="3"/></g>'
    )


def legend(series: Series, index: int) -> str:
    """The line's look and name beneath the plot; a long name is cut, and whole on hover."""
    down = TOP + PLOT_HEIGHT + BOTTOM + LEGEND_LINE * index + 6
    shown = series.name if len(series.name) <= LONGEST_NAME else series.name[: LONGEST_NAME - 1] + "…"
    return (
        f'<g class="series"><title>{text(series.name)}</title>'
        f'<path class="line {look(index)}" d="M{LEFT} {down}h30"/>'
        f'<text x="{LEFT + 38}" y="{down + 4}">{text(shown)}</text></g>'
    )
