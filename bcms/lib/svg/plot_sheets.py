"""A sheet of plots as one self-contained SVG file: each plot with its figures as a table below it.

All text is escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from bcms.lib.svg.figure_tables import SIZE, FigureTable, compute_table_height, render_figure_table
from bcms.lib.svg.series_styles import render_chart_css
from bcms.lib.svg.text_layout import escape_svg_text, wrap_text_to_width

NARROW, WIDE = 500, 1040
MARGIN, BETWEEN = 24, 40
NOTE_LINE = 15


@dataclass(frozen=True, slots=True)
class PlotDrawing:
    """The SVG content of a plot, already escaped, with a width of NARROW or WIDE."""

    svg: str
    height: float
    width: int = NARROW


@dataclass(frozen=True, slots=True)
class PlotPanel:
    """One plot: its title, a note for readers, the drawing, and its figures."""

    title: str
    note: str
    drawing: PlotDrawing
    table: FigureTable


@dataclass(frozen=True, slots=True)
class PlotSheet:
    """Plots in rows of one WIDE or at most two NARROW ones; about is text above them, and notes are below."""

    title: str
    rows: Sequence[Sequence[PlotPanel]]
    notes: Sequence[str] = ()
    about: str = ""


@dataclass(slots=True)
class SheetCursor:
    """The position up to which the sheet is written."""

    width: float
    y: float = MARGIN
    numbers: Iterator[int] = field(default_factory=count)


def render_sheet_file(sheet: PlotSheet) -> str:
    """The sheet as an SVG file. Raises ValueError for a sheet without plots."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{render_sheet_element(sheet)}\n'


def render_sheet_element(sheet: PlotSheet) -> str:
    """The sheet as one <svg> element, for a page with no other sheet. Raises ValueError for a sheet without plots."""
    if not sheet.rows:
        raise ValueError("A sheet needs at least one plot.")
    cursor = SheetCursor(max(map(_compute_row_width, sheet.rows)))
    content = [
        *_render_sheet_heading(sheet, cursor),
        *_render_panel_rows(sheet.rows, cursor),
        *_render_sheet_notes(sheet.notes, cursor),
    ]
    width, height = cursor.width + 2 * MARGIN, cursor.y + MARGIN
    paper = f'<rect class="paper" width="{width:g}" height="{height:g}"/>{HATCH}'
    return _render_svg_element(sheet.title, width, height, [paper, *content])


def render_drawing_element(panel: PlotPanel) -> str:
    """The drawing of a plot as one <svg> element, for a page that shows its note and figures beside it."""
    title, drawing = f"{panel.title}; the figures are in the table beside it", panel.drawing
    content = f'<g role="img" aria-label="{escape_svg_text(title)}">{drawing.svg}</g>'
    return _render_svg_element(title, drawing.width, drawing.height, [content])


def _render_svg_element(title: str, width: float, height: float, content: Sequence[str]) -> str:
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width:g}" height="{height:g}"',
            f' viewBox="0 0 {width:g} {height:g}"><title>{escape_svg_text(title)}</title>',
            f"<style>{render_chart_css()}</style>",
            *content,
            "</svg>",
        ]
    )


HATCH = (
    '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path class="hatch" d="M0 0V5" stroke-width="2"/></pattern></defs>'
)


def _compute_row_width(row: Sequence[PlotPanel]) -> float:
    return sum(panel.drawing.width for panel in row) + BETWEEN * (len(row) - 1)


def _render_sheet_heading(sheet: PlotSheet, cursor: SheetCursor) -> Iterator[str]:
    for line in wrap_text_to_width(sheet.title, cursor.width, 19):
        cursor.y += 20
        yield f'<text class="name ink" x="{MARGIN}" y="{cursor.y}">{escape_svg_text(line)}</text>'
        cursor.y += 4
    yield from _render_text_lines(sheet.about, MARGIN, cursor.width, cursor)
    cursor.y += 14


def _render_text_lines(text: str, left: float, width: float, cursor: SheetCursor) -> Iterator[str]:
    """The text in lines of small type."""
    for line in wrap_text_to_width(text, width, SIZE):
        cursor.y += NOTE_LINE
        yield f'<text class="cells" x="{left:g}" y="{cursor.y:g}">{escape_svg_text(line)}</text>'


def _render_panel_rows(rows: Sequence[Sequence[PlotPanel]], cursor: SheetCursor) -> Iterator[str]:
    """The plots of each row side by side with their tables; the next row starts below the longest of them."""
    for row in rows:
        left, top, lowest = float(MARGIN), cursor.y, cursor.y
        for panel in row:
            cursor.y = top
            yield from _render_panel(panel, left, cursor)
            left += panel.drawing.width + BETWEEN
            lowest = max(lowest, cursor.y)
        cursor.y = lowest + 26


def _render_panel(panel: PlotPanel, left: float, cursor: SheetCursor) -> Iterator[str]:
    number, drawing = next(cursor.numbers), panel.drawing
    cursor.y += 16
    yield f'<text class="title ink" x="{left:g}" y="{cursor.y:g}">{escape_svg_text(panel.title)}</text>'
    cursor.y += 8
    yield (
        f'<g role="img" aria-labelledby="panel-{number}" transform="translate({left:g} {cursor.y:g})">'
        f'<title id="panel-{number}">{escape_svg_text(panel.title)}; the figures are in the table below</title>'
        f"{drawing.svg}</g>"
    )
    cursor.y += drawing.height
    yield from _render_text_lines(panel.note, left, drawing.width, cursor)
    cursor.y += 6
    yield f'<g role="table" aria-label="{escape_svg_text(panel.title)}">'
    yield from render_figure_table(panel.table, left, cursor.y, drawing.width)
    yield "</g>"
    cursor.y += compute_table_height(panel.table)


def _render_sheet_notes(notes: Sequence[str], cursor: SheetCursor) -> Iterator[str]:
    """The notes at the end of the sheet."""
    for note in notes:
        yield from _render_text_lines(note, MARGIN, cursor.width, cursor)
        cursor.y += 3
