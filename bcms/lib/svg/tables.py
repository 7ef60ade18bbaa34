"""The figures of a plot as a table of text; a row begins with the look of its series, so it is the legend, too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bcms.lib.svg.lettering import fitted, text, width_of
from bcms.lib.svg.lines import key

HEAD, ROW, SIZE = 22, 17, 11.0
KEY, GAP, LEAST_NAME = 40, 11, 60


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
    yield table_row(table.head, left + keyed, ends, room, top + HEAD - 6, "columnheader")
    yield f'<path class="axis" d="M{left:g} {top + HEAD - 1:g}h{width:g}"/>'
    for number, row in enumerate(table.rows, 1):
        down = top + HEAD + ROW * number - 4
        if row.index is not None:
            yield key(row.index, left, down - 4)
        yield table_row(row.cells, left + keyed, ends, room, down, "cell")


def columns(table: Table, left: float, width: float, keyed: float) -> tuple[list[float], float]:
    """The right ends of the columns of figures, and the room of the names."""
    cells = [table.head, *(row.cells for row in table.rows)]
    widths = [max(width_of(cell, SIZE) for cell in column) + GAP for column in list(zip(*cells, strict=True))[1:]]
    room = width - keyed - sum(widths)
    if room < LEAST_NAME:
        raise ValueError(
            f"A table of {sum(widths):.0f} units beside its names does not fit into {width:.0f}; leave out columns."
        )
    starts = left + width - sum(widths)
    return [starts + sum(widths[: number + 1]) for number in range(len(widths))], room


def table_row(cells: Sequence[str], left: float, ends: Sequence[float], room: float, down: float, role: str) -> str:
    """One row; a space between cells, so that they stay apart when they are copied. A long name is whole on hover."""
    kind = "head cells" if role == "columnheader" else "ink cells"
    name = fitted(cells[0], room, SIZE)
    whole = f"<title>{text(cells[0])}</title>" if name != cells[0] else ""
    figures = "".join(
        f' <tspan role="{role}" x="{end:.1f}" text-anchor="end">{text(cell)}</tspan>'
        for cell, end in zip(cells[1:], ends, strict=True)
    )
    return (
        f'<text class="{kind}" role="row" y="{down:g}">{whole}<tspan role="{role}" x="{left:g}">{text(name)}</tspan>'
        f"{figures}</text>"
    )
