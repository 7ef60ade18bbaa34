"""The lines of a PSI-MITAB file as rows with named fields, and the faults in them (R651, R751 to R755)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import quote_file_text
from annotations.formats.mitab.columns import MITAB_COLUMNS, MITAB_EMPTY, MITAB_WIDTHS
from annotations.formats.mitab.fields import MitabValue, parse_mitab_values
from annotations.formats.tsv.lines import BYTE_ORDER_MARK

WIDTH_RULE, CUT_OFF_RULE, FIELD_RULE, IDENTIFIER_RULE, VALUE_RULE = "R751", "R752", "R753", "R754", "R755"
NARROWEST = min(MITAB_WIDTHS)
# A line of column names: `ID interactor A` and the like, with or without `#`.
HEADER = re.compile(r"#|\s*(?:unique )?IDs?\b[^:\t]*\t", re.IGNORECASE)
KNOWN_WIDTHS = ", ".join(f"{width} (PSI-MITAB {version})" for width, version in MITAB_WIDTHS.items())


@dataclass(frozen=True, slots=True)
class MitabRow:
    """One line. number: of the line, from 1; cells: its fields; faults: where faults of the file are noted."""

    number: int
    cells: tuple[str, ...]
    faults: PositionedFaults

    def get_field(self, column: str) -> str:
        """The text of a field; "" if it is empty or the version does not have the column."""
        index = MITAB_COLUMNS.index(column)
        cell = self.cells[index].strip() if index < len(self.cells) else ""
        return "" if cell == MITAB_EMPTY else cell

    def list_values(self, column: str) -> list[MitabValue]:
        """The values of a field. One without a database is a fault (R753)."""
        values = parse_mitab_values(self.get_field(column))
        if None in values:
            problem = f"{quote_file_text(self.get_field(column))} in the column {column} has a value without a database"
            self.add_fault(FIELD_RULE, column, f"{problem} - write database:identifier(text), separated by bars")
        return [value for value in values if value is not None]

    def list_readable_values(self, column: str) -> list[MitabValue]:
        """The values of a field that says more about what other fields identify, without those in another form."""
        return [value for value in parse_mitab_values(self.get_field(column)) if value is not None]

    def add_fault(self, rule: str, column: str, message: str) -> None:
        """Note a fault at the first character of a field."""
        before = self.cells[: MITAB_COLUMNS.index(column)]
        self.faults.add(rule, self.number, sum(len(cell) + 1 for cell in before) + 1, message)


def iter_mitab_rows(stream: BinaryIO, faults: PositionedFaults) -> Iterator[MitabRow]:
    """The rows of a seekable stream. Lines of column names, comments and blank lines are skipped.

    A line with another number of columns than the first is a fault, and skipped.
    """
    stream.seek(0)
    width = 0
    for number, line in enumerate(stream, 1):
        text = _decode_line(line, number, faults)
        if not text.strip() or text.startswith("#") or (not width and HEADER.match(text)):
            continue
        cells = _drop_empty_end(text.split("\t"))
        if not width:
            width = _check_width(len(cells), number, faults)
        if len(cells) == width:
            yield MitabRow(number, tuple(cells), faults)
        elif width in MITAB_WIDTHS and faults.is_full(CUT_OFF_RULE):
            faults.add(CUT_OFF_RULE, number, 1, "")
        elif width in MITAB_WIDTHS:
            problem = f"the line has {len(cells)} columns, but the first has {width}"
            hint = "it is cut off or has line breaks or tabs in a field; write every field, - for none"
            faults.add(CUT_OFF_RULE, number, len(text) + 1, f"{problem} - {hint}")


def _decode_line(line: bytes, number: int, faults: PositionedFaults) -> str:
    content = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
    try:
        text = content.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        column = len(content[: error.start].decode()) + 1
        faults.add("R651", number, column, "this byte is not UTF-8 - save the file as UTF-8 text")
        return content.decode("utf-8", "replace").rstrip("\r\n")
    if "\0" in text:
        faults.add("R651", number, text.index("\0") + 1, "the line has a NUL character - save the file as UTF-8 text")
    return text


def _drop_empty_end(cells: list[str]) -> list[str]:
    """The cells without empty ones after the columns of a version: some programs end lines with a tab."""
    while len(cells) > NARROWEST and len(cells) not in MITAB_WIDTHS and not cells[-1]:
        cells.pop()
    return cells


def _check_width(width: int, number: int, faults: PositionedFaults) -> int:
    """The number of columns of the file; a fault if no version has so many."""
    if width not in MITAB_WIDTHS:
        problem = f"the line has {width} columns, and PSI-MITAB has {KNOWN_WIDTHS}"
        faults.add(WIDTH_RULE, number, 1, f"{problem} - write one of these versions, with tabs between the columns")
        return -1
    return width
