"""Parts shared by all plots: which runs are drawn, guide lines, and the format of figures in tables."""

from collections.abc import Sequence

from bcms.lib.svg.axes import PlotFrame, Point, render_axes_with_grid_and_labels
from bcms.lib.svg.labelled_points import DrawingBox
from bcms.lib.svg.plot_sheets import PlotDrawing
from bcms.lib.svg.series_lines import iter_distant_points_keeping_ends
from bcms.lib.svg.text_layout import escape_svg_text, estimate_text_width

# More lines are unreadable. Runs come best first: this many are drawn; the tables have all of them.
MAX_DRAWN_RUNS = 10
SPACE_BELOW_FRAME = 44.0
GUIDE_LABEL_SIZE = 10.5
NO_FIGURE = "-"


def find_style_number_of_drawn_run(run_index: int) -> int | None:
    """The style number of the run with this index, None for a run that is in the table only."""
    return run_index if run_index < MAX_DRAWN_RUNS else None


def describe_grey_points_of_unnamed_runs(run_count: int) -> str:
    """A note on the points of runs without a name, if there are any."""
    return " Grey points are runs that only the table names." if run_count > MAX_DRAWN_RUNS else ""


def format_figure_or_dash(value: float | None, decimals: int = 3) -> str:
    """A figure as text for a table, "-" for None."""
    return NO_FIGURE if value is None else f"{value:.{decimals}f}"


def build_drawing_over_axes_grid(frame: PlotFrame, *parts: str) -> PlotDrawing:
    """A drawing of the parts over the grid of a frame."""
    return PlotDrawing("".join([*render_axes_with_grid_and_labels(frame), *parts]), frame.bottom + SPACE_BELOW_FRAME)


def render_guide_line_inside_frame(points: Sequence[Point], frame: PlotFrame, label: str = "") -> str:
    """A thin auxiliary line, clipped to the frame, with its label at its end."""
    inside = [frame.get_drawing_position(point) for point in points if _is_inside_frame(point, frame)]
    if len(inside) < 2:
        return ""
    path = "M" + "L".join(f"{across} {down}" for across, down in iter_distant_points_keeping_ends(inside))
    box = find_guide_label_box(points, frame, label)
    name = (
        f'<text class="label small" x="{box.left:.1f}" y="{box.top + 10:.1f}">{escape_svg_text(label)}</text>'
        if box
        else ""
    )
    return f'<path class="axis thin d2" d="{path}"/>{name}'


def find_guide_label_box(points: Sequence[Point], frame: PlotFrame, label: str) -> DrawingBox | None:
    """The box of a guide line's label: below the end of the line, or above it without room below."""
    inside = [frame.get_drawing_position(point) for point in points if _is_inside_frame(point, frame)]
    if len(inside) < 2 or not label:
        return None
    (across, down), width = inside[-1], estimate_text_width(label, GUIDE_LABEL_SIZE)
    if down + GUIDE_LABEL_SIZE + 4 > frame.bottom:
        across = min(across, frame.right_edge - width)
        return DrawingBox(across, down - GUIDE_LABEL_SIZE - 5, width, GUIDE_LABEL_SIZE + 2)
    return DrawingBox(across - width, down + 2, width, GUIDE_LABEL_SIZE + 2)


def _is_inside_frame(point: Point, frame: PlotFrame) -> bool:
    return frame.x.low <= point[0] <= frame.x.high and frame.y.low <= point[1] <= frame.y.high


def evenly_spaced_values(low: float, high: float, interval_count: int = 200) -> list[float]:
    """interval_count + 1 evenly spaced values from low to high."""
    return [*(low + (high - low) * step / interval_count for step in range(interval_count)), high]
