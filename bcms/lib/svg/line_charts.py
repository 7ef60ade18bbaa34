"""Charts of lines with a legend, drawn by the server and read without a script, for a page.

Everything that comes from outside is escaped.
"""

from collections.abc import Sequence

from bcms.lib.svg.axes import Axis, Frame, grid
from bcms.lib.svg.lettering import fitted, text
from bcms.lib.svg.lines import Series, key, line
from bcms.lib.svg.looks import style

WIDTH, BOTTOM = 460, 44
LEGEND_LINE = 20
LEGEND_WIDTH = 350


def line_chart(series: Sequence[Series], *, name: str, title: str, description: str, x: Axis, y: Axis) -> str:
    """A chart of lines with a legend, as one <svg> element.

    name is a word for ids inside the page that is unique there; title says what is seen, description what a reader who
    cannot see it should know (the figures themselves belong in a table beside it).
    """
    frame = Frame(x, y)
    height = frame.bottom + BOTTOM + LEGEND_LINE * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height}" role="img"',
        f' width="{WIDTH}" height="{height}" aria-labelledby="{text(name)}-title {text(name)}-desc">',
        f'<title id="{text(name)}-title">{text(title)}</title><desc id="{text(name)}-desc">{text(description)}</desc>',
        f"<style>{style()}</style>",
        *grid(frame),
        *(line(one, index, frame) for index, one in enumerate(series)),
        *(legend(one, index, frame) for index, one in enumerate(series)),
        "</svg>",
    ]
    return "".join(parts)


def legend(series: Series, index: int, frame: Frame) -> str:
    """The line's look and name beneath the plot; a long name is cut, and whole on hover."""
    down = frame.bottom + BOTTOM + LEGEND_LINE * index + 6
    return (
        f'<g class="series"><title>{text(series.name)}</title>{key(index, frame.left, down)}'
        f'<text x="{frame.left + 38}" y="{down + 4}">{text(fitted(series.name, LEGEND_WIDTH, 12))}</text></g>'
    )
