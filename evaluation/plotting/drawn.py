"""What the plots have in common: which runs are drawn, and how figures are written beneath."""

from collections.abc import Sequence

from bcms.lib.svg.axes import Frame, Point, grid
from bcms.lib.svg.lettering import text, width_of
from bcms.lib.svg.lines import told_apart
from bcms.lib.svg.points import Box
from bcms.lib.svg.sheet import Drawing

# Past so many lines nobody can follow one. Runs come best first: these are drawn, and the tables have all.
MOST_DRAWN = 10
BENEATH = 44.0
LABEL = 10.5
NOTHING = "-"


def index_of(place: int) -> int | None:
    """The look of the run at this place, None for one that is in the table only."""
    return place if place < MOST_DRAWN else None


def note_on_others(runs: int) -> str:
    """What to say of the points of runs that are not drawn."""
    return " Grey points are runs that are in the table only." if runs > MOST_DRAWN else ""


def shown(value: float | None, decimals: int = 3) -> str:
    """A figure as the tables have it."""
    return NOTHING if value is None else f"{value:.{decimals}f}"


def drawing(frame: Frame, *parts: str) -> Drawing:
    """The parts over the grid of a frame."""
    return Drawing("".join([*grid(frame), *parts]), frame.bottom + BENEATH)


def guide(points: Sequence[Point], frame: Frame, label: str = "") -> str:
    """A thin line that is no run, as far as it is inside the frame, and its label where it leaves it."""
    inside = [frame.place(point) for point in points if within(point, frame)]
    if len(inside) < 2:
        return ""
    path = "M" + "L".join(f"{across} {down}" for across, down in told_apart(inside))
    box = label_box(points, frame, label)
    name = f'<text class="label small" x="{box.left:.1f}" y="{box.top + 10:.1f}">{text(label)}</text>' if box else ""
    return f'<path class="axis thin d2" d="{path}"/>{name}'


def label_box(points: Sequence[Point], frame: Frame, label: str) -> Box | None:
    """Where the label of such a line stands: beneath its end, or over it where there is no room."""
    inside = [frame.place(point) for point in points if within(point, frame)]
    if len(inside) < 2 or not label:
        return None
    (across, down), wide = inside[-1], width_of(label, LABEL)
    if down + LABEL + 4 > frame.bottom:
        return Box(min(across, frame.right - wide), down - LABEL - 5, wide, LABEL + 2)
    return Box(across - wide, down + 2, wide, LABEL + 2)


def within(point: Point, frame: Frame) -> bool:
    return frame.x.low <= point[0] <= frame.x.high and frame.y.low <= point[1] <= frame.y.high


def between(low: float, high: float, steps: int = 200) -> list[float]:
    """Values at even distances, both ends among them."""
    return [*(low + (high - low) * step / steps for step in range(steps)), high]
