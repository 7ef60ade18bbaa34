"""The figures of a plot as a table of SVG text; rows begin with the key of their series, so it is also the legend."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bcms.lib.svg.series_lines import render_legend_line_with_mark
from bcms.lib.svg.text_layout import escape_svg_text, estimate_text_width, truncate_text_to_width

HEAD, ROW, SIZE = 22, 17, 11.0
KEY, GAP = 40, 11
# The least width of the column of names, and its usual maximum, which keeps figures close to short names.
LEAST_NAME, USUAL_NAME = 60, 300
BOLD = 1.1


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One row: cells are a name, then figures as text; index selects the style of its series, None if not drawn."""

    cells: Sequence[str]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class FigureTable:
    """The figures of a plot; head has as many cells as each row."""

    head: Sequence[str]
    rows: Sequence[FigureRow]


def compute_table_height(table: FigureTable) -> float:
    """The height of the table in units of the drawing."""
    return HEAD + ROW * len(table.rows)


def render_figure_table(table: FigureTable, left: float, top: float, width: float) -> Iterator[str]:
    """The head and the rows; figures are right-aligned in their columns.

    Raises ValueError when the columns of figures leave no room for names.
    """
    key_width = KEY if any(row.index is not None for row in table.rows) else 0
    ends, room = _compute_column_ends(table, left, width, key_width)
    rule = ends[-1] - left if ends else width
    yield _render_figure_row(table.head, left + key_width, ends, room, top + HEAD - 6, "columnheader")
    yield f'<path class="axis" d="M{left:g} {top + HEAD - 1:g}h{rule:g}"/>'
    for number, row in enumerate(table.rows, 1):
        y = top + HEAD + ROW * number - 4
        if row.index is not None:
            yield render_legend_line_with_mark(row.index, left, y - 4)
        yield _render_figure_row(row.cells, left + key_width, ends, room, y, "cell")


def _compute_column_ends(table: FigureTable, left: float, width: float, key_width: float) -> tuple[list[float], float]:
    """The right ends of the columns of figures, and the width of the column of names."""
    figures = list(zip(*(row.cells for row in [FigureRow(table.head), *table.rows]), strict=True))[1:]
    widths = [
        max(BOLD * estimate_text_width(head, SIZE), *(estimate_text_width(cell, SIZE) for cell in cells)) + GAP
        for head, *cells in figures
    ]
    needed = max(estimate_text_width(row.cells[0], SIZE) for row in [FigureRow(table.head), *table.rows]) + GAP
    room = min(width - key_width - sum(widths), max(needed, USUAL_NAME))
    if room < LEAST_NAME:
        raise ValueError(
            f"{len(widths)} columns of figures leave no room for names in a width of {width:g}; remove some."
        )
    return list(accumulate(widths, initial=left + key_width + room))[1:], room


def _render_figure_row(
    cells: Sequence[str], left: float, ends: Sequence[float], room: float, y: float, role: str
) -> str:
    """One row, with spaces between cells for copying. A long name is truncated, and complete on hover."""
    css_class = "head cells" if role == "columnheader" else "ink cells"
    name = truncate_text_to_width(cells[0], room, SIZE)
    tooltip = f"<title>{escape_svg_text(cells[0])}</title>" if name != cells[0] else ""
    figures = "".join(
        f'<tspan role="{role}" x="{end:.1f}" text-anchor="end"> {escape_svg_text(cell)}</tspan>'
        for cell, end in zip(cells[1:], ends, strict=True)
    )
    return (
        f'<text class="{css_class}" role="row" y="{y:g}">{tooltip}'
        f'<tspan role="{role}" x="{left:g}">{escape_svg_text(name)}</tspan>{figures}</text>'
    )
