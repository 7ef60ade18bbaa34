"""What the plots have in common: which runs are drawn, and how figures are written beneath."""

from collections.abc import Sequence

from bcms.lib.svg.axes import Frame, Point, grid
from bcms.lib.svg.lettering import text
from bcms.lib.svg.lines import told_apart
from bcms.lib.svg.sheet import Drawing

# Past so many lines nobody can follow one. Runs come best first: these are drawn, and the tables have all.
MOST_DRAWN = 10
BENEATH = 44.0
NOTHING = "-"


def index_of(place: int) -> int | None:
    """The look of the run at this place, None for one that is in the table only."""
    return place if place < MOST_DRAWN else None


def shown(value: float | None, decimals: int = 3) -> str:
    """A figure as the tables have it."""
    return NOTHING if value is None else f"{value:.{decimals}f}"


def drawing(frame: Frame, *parts: str) -> Drawing:
    """The parts over the grid of a frame."""
    return Drawing("".join([*grid(frame), *parts]), frame.bottom + BENEATH)


def guide(points: Sequence[Point], frame: Frame, label: str = "") -> str:
    """A thin line that is no run, as far as it is inside the frame, and its label where it leaves it."""
    inside = [point for point in points if within(point, frame)]
    if len(inside) < 2:
        return ""
    places = list(told_apart([frame.place(point) for point in inside]))
    path = "M" + "L".join(f"{across} {down}" for across, down in places)
    across, down = places[-1]
    name = f'<text class="label small" x="{across - 3:g}" y="{down + 12:g}" text-anchor="end">{text(label)}</text>'
    return f'<path class="axis thin d2" d="{path}"/>{name if label else ""}'


def within(point: Point, frame: Frame) -> bool:
    return frame.x.low <= point[0] <= frame.x.high and frame.y.low <= point[1] <= frame.y.high


def between(low: float, high: float, steps: int = 200) -> list[float]:
    """Values at even distances, both ends among them."""
    return [low + (high - low) * step / steps for step in range(steps + 1)]
