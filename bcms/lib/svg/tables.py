"""The figures of a plot as a table of text; a row begins with the look of its series, so it is the legend, too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bcms.lib.svg.lettering import fitted, text, width_of
from bcms.lib.svg.lines import key

HEAD, ROW, SIZE = 22, 17, 11.0
KEY, GAP = 40, 11
# The room of names: figures stand near to them even in a wide table, unless it needs more.
LEAST_NAME, USUAL_NAME = 60, 300
BOLD = 1.1


@dataclass(frozen=True, slots=True)
class Row:
    """cells: a name, then figures as text; index: that of the look of its series, None where it is not drawn."""

    cells: Sequence[str]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The figures of a plot: head has as many cells as each row."""

    head: Sequence[str]
    rows: Sequence[Row]


def height_of(table: Table) -> float:
    """How much room the table needs."""
    return HEAD + ROW * len(table.rows)


def table_parts(table: Table, left: float, top: float, width: float) -> Iterator[str]:
    """Head and rows from the top on; numbers stand at the right ends of their columns.

    ValueError when the columns of figures leave no room for names.
    """
    keyed = KEY if any(row.index is not None for row in table.rows) else 0
    ends, room = columns(table, left, width, keyed)
    rule = ends[-1] - left if ends else width
    yield table_row(table.head, left + keyed, ends, room, top + HEAD - 6, "columnheader")
    yield f'<path class="axis" d="M{left:g} {top + HEAD - 1:g}h{rule:g}"/>'
    for number, row in enumerate(table.rows, 1):
        down = top + HEAD + ROW * number - 4
        if row.index is not None:
            yield key(row.index, left, down - 4)
        yield table_row(row.cells, left + keyed, ends, room, down, "cell")


def columns(table: Table, left: float, width: float, keyed: float) -> tuple[list[float], float]:
    """The right ends of the columns of figures, and the room of the names."""
    figures = list(zip(*(row.cells for row in [Row(table.head), *table.rows]), strict=True))[1:]
    widths = [
        max(BOLD * width_of(head, SIZE), *(width_of(cell, SIZE) for cell in cells)) + GAP for head, *cells in figures
    ]
    needed = max(width_of(row.cells[0], SIZE) for row in [Row(table.head), *table.rows]) + GAP
    room = min(width - keyed - sum(widths), max(needed, USUAL_NAME))
    if room < LEAST_NAME:
        raise ValueError(f"{len(widths)} columns of figures leave no room for names in {width:g}; leave out some.")
    return list(accumulate(widths, initial=left + keyed + room))[1:], room


def table_row(cells: Sequence[str], left: float, ends: Sequence[float], room: float, down: float, role: str) -> str:
    """One row; a space between cells, so that they stay apart when they are copied. A long name is whole on hover."""
    kind = "head cells" if role == "columnheader" else "ink cells"
    name = fitted(cells[0], room, SIZE)
    whole = f"<title>{text(cells[0])}</title>" if name != cells[0] else ""
    figures = "".join(
        f'<tspan role="{role}" x="{end:.1f}" text-anchor="end"> {text(cell)}</tspan>'
        for cell, end in zip(cells[1:], ends, strict=True)
    )
    return (
        f'<text class="{kind}" role="row" y="{down:g}">{whole}<tspan role="{role}" x="{left:g}">{text(name)}</tspan>'
        f"{figures}</text>"
    )
