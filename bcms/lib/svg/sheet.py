"""A sheet of plots as one SVG file that says everything: each plot with its figures as a table beneath.

Everything that comes from outside is escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from bcms.lib.svg.lettering import text, wrapped
from bcms.lib.svg.looks import style
from bcms.lib.svg.tables import SIZE, Table, height_of, table_parts

NARROW, WIDE = 500, 1040
MARGIN, BETWEEN = 24, 40
NOTE_LINE = 15


@dataclass(frozen=True, slots=True)
class Drawing:
    """The inside of a plot, of escaped text only, in a width of NARROW or WIDE."""

    svg: str
    height: float
    width: int = NARROW


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: what is seen, what a reader should know of it, the drawing, and its figures."""

    title: str
    note: str
    drawing: Drawing
    table: Table


@dataclass(frozen=True, slots=True)
class Sheet:
    """Plots in rows, of each row one WIDE or at most two NARROW ones; notes: what there is to say of all."""

    title: str
    rows: Sequence[Sequence[Panel]]
    notes: Sequence[str] = ()
    about: str = ""


@dataclass(slots=True)
class Flow:
    """How far down the sheet is written."""

    width: float
    down: float = MARGIN
    numbers: Iterator[int] = field(default_factory=count)


def as_svg(sheet: Sheet) -> str:
    """The file. ValueError for a sheet without a plot."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{as_element(sheet)}\n'


def as_element(sheet: Sheet) -> str:
    """The sheet as one <svg> element, for a page that has no other; ValueError as as_svg."""
    if not sheet.rows:
        raise ValueError("A sheet needs a plot; there is nothing to draw.")
    flow = Flow(max(map(width_of_row, sheet.rows)))
    inside = [*headline(sheet, flow), *body(sheet.rows, flow), *foot(sheet.notes, flow)]
    width, height = flow.width + 2 * MARGIN, flow.down + MARGIN
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="{width:g}" height="{height:g}"',
            f' viewBox="0 0 {width:g} {height:g}"><title>{text(sheet.title)}</title><style>{style()}</style>',
            f'<rect class="paper" width="{width:g}" height="{height:g}"/>{HATCH}',
            *inside,
            "</svg>",
        ]
    )


HATCH = (
    '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path class="hatch" d="M0 0V5" stroke-width="2"/></pattern></defs>'
)


def width_of_row(row: Sequence[Panel]) -> float:
    return sum(panel.drawing.width for panel in row) + BETWEEN * (len(row) - 1)


def headline(sheet: Sheet, flow: Flow) -> Iterator[str]:
    for line in wrapped(sheet.title, flow.width, 19):
        flow.down += 20
        yield f'<text class="name ink" x="{MARGIN}" y="{flow.down}">{text(line)}</text>'
        flow.down += 4
    yield from paragraph(sheet.about, MARGIN, flow.width, flow)
    flow.down += 14


def paragraph(value: str, left: float, width: float, flow: Flow) -> Iterator[str]:
    """Lines of small text."""
    for line in wrapped(value, width, SIZE):
        flow.down += NOTE_LINE
        yield f'<text class="cells" x="{left:g}" y="{flow.down:g}">{text(line)}</text>'


def body(rows: Sequence[Sequence[Panel]], flow: Flow) -> Iterator[str]:
    """The plots of a row beside each other, each with its table, and the next row beneath the longest of them."""
    for row in rows:
        left, top, lowest = float(MARGIN), flow.down, flow.down
        for panel in row:
            flow.down = top
            yield from panel_parts(panel, left, flow)
            left += panel.drawing.width + BETWEEN
            lowest = max(lowest, flow.down)
        flow.down = lowest + 26


def panel_parts(panel: Panel, left: float, flow: Flow) -> Iterator[str]:
    number, drawing = next(flow.numbers), panel.drawing
    flow.down += 16
    yield f'<text class="title ink" x="{left:g}" y="{flow.down:g}">{text(panel.title)}</text>'
    flow.down += 8
    yield (
        f'<g role="img" aria-labelledby="panel-{number}" transform="translate({left:g} {flow.down:g})">'
        f'<title id="panel-{number}">{text(panel.title)}; the figures are in the table beneath</title>{drawing.svg}</g>'
    )
    flow.down += drawing.height
    yield from paragraph(panel.note, left, drawing.width, flow)
    flow.down += 6
    yield f'<g role="table" aria-label="{text(panel.title)}">'
    yield from table_parts(panel.table, left, flow.down, drawing.width)
    yield "</g>"
    flow.down += height_of(panel.table)


def foot(notes: Sequence[str], flow: Flow) -> Iterator[str]:
    """The notes at the end."""
    for note in notes:
        yield from paragraph(note, MARGIN, flow.width, flow)
        flow.down += 3
