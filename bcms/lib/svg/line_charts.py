"""Line charts with a legend for pages, as SVG without scripts. All text is escaped."""

from collections.abc import Sequence

from bcms.lib.svg.axes import Axis, PlotFrame, render_axes_with_grid_and_labels
from bcms.lib.svg.series_lines import LineSeries, render_legend_line_with_mark, render_series_line_with_few_marks
from bcms.lib.svg.series_styles import render_chart_css
from bcms.lib.svg.text_layout import escape_svg_text, truncate_text_to_width

WIDTH, BOTTOM = 460, 44
LEGEND_LINE = 20
LEGEND_WIDTH = 350


def render_line_chart(
    series: Sequence[LineSeries], *, id_prefix: str, title: str, description: str, x_axis: Axis, y_axis: Axis
) -> str:
    """A line chart with a legend, as one <svg> element.

    id_prefix is the prefix of ids, unique in the page; title names the chart, and description is for screen readers
    (the figures themselves belong in a table beside it).
    """
    prefix = escape_svg_text(id_prefix)
    frame = PlotFrame(x_axis, y_axis)
    height = frame.bottom + BOTTOM + LEGEND_LINE * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height}" role="img"',
        f' width="{WIDTH}" height="{height}" aria-labelledby="{prefix}-title {prefix}-desc">',
        f'<title id="{prefix}-title">{escape_svg_text(title)}</title>',
        f'<desc id="{prefix}-desc">{escape_svg_text(description)}</desc>',
        f"<style>{render_chart_css()}</style>",
        *render_axes_with_grid_and_labels(frame),
        *(render_series_line_with_few_marks(line, index, frame) for index, line in enumerate(series)),
        *(_render_legend_entry(line, index, frame) for index, line in enumerate(series)),
        "</svg>",
    ]
    return "".join(parts)


def _render_legend_entry(series: LineSeries, index: int, frame: PlotFrame) -> str:
    """The key and the name of a line below the plot; a long name is truncated, and complete on hover."""
    name = escape_svg_text(truncate_text_to_width(series.name, LEGEND_WIDTH, 12))
    y = frame.bottom + BOTTOM + LEGEND_LINE * index + 6
    return (
        f"{render_legend_line_with_mark(index, frame.left, y)}"
        f'<text x="{frame.left + 38}" y="{y + 4}">{name}<title>{escape_svg_text(series.name)}</title></text>'
    )
