"""The lines of a table as it was published, plain or gzipped, and everything that is wrong with them.

A table of millions of lines passes through in bounded memory; a fault does not end the reading, so that all are told.
"""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NoReturn

from annotations.formats.errors import FormatError, RefusedFileError

BROKEN_ARCHIVE = "R431"
NOT_TEXT = "R432"
COLUMN_MISSING = "R433"
WRONG_COLUMNS = "R434"
NOT_IDENTIFIER = "R435"
INCOMPLETE = "R436"
GZIP = b"\x1f\x8b"
LONGEST_LINE = 1 << 20
# A table with more faults has one cause for them all.
MOST_FAULTS = 1000


class TableLines:
    """Iterates over the lines as text without their ends; faults are kept in their order.

    number is that of the line given last, from 1. position is how many bytes of the file have been read, of size.
    """

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self.stream = stream
        self.source = source
        self.number = 0
        self.faults: list[FormatError] = []
        packed = stream.read(2) == GZIP
        self.size = stream.seek(0, 2)
        stream.seek(0)
        self.content: BinaryIO = gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[assignment]

    @property
    def position(self) -> int:
        return self.stream.tell()

    def __iter__(self) -> Iterator[str]:
        while line := self._next():
            self.number += 1
            text = self._text(line)
            if text is not None:
                yield text

    def _next(self) -> bytes:
        try:
            return self.content.readline(LONGEST_LINE)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self.number += 1
            self.fault(1, BROKEN_ARCHIVE, "the archive ends or breaks here - download it again and compare its size")
            return b""

    def _text(self, line: bytes) -> str | None:
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            self.refuse(1, NOT_TEXT, f"the line has more than {LONGEST_LINE:,} bytes - take the table as published")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode("utf-8")) + 1
            self.fault(column, NOT_TEXT, f"the byte 0x{line[error.start]:02X} is not text in UTF-8 - save it as UTF-8")
            return None
        if "\0" in text:
            self.fault(text.index("\0") + 1, NOT_TEXT, "there is a NUL, which no text may hold - download it again")
            return None
        text = text.rstrip("\r\n")
        return text.removeprefix("\ufeff") if self.number == 1 else text

    def fault(self, column: int, rule: str, message: str, line: int | None = None) -> None:
        """Keep a fault of this line, or of another; RefusedFileError when there are too many."""
        self.faults.append(FormatError(self.source, self.number if line is None else line, column, rule, message))
        if len(self.faults) >= MOST_FAULTS:
            text = f"reading ends after {MOST_FAULTS:,} faults - mend what they have in common first"
            raise RefusedFileError([*self.faults, FormatError(self.source, self.number, 0, rule, text)])

    def refuse(self, column: int, rule: str, message: str) -> NoReturn:
        """For what makes the rest unreadable: RefusedFileError with all faults so far and this one."""
        self.faults.append(FormatError(self.source, self.number, column, rule, message))
        raise RefusedFileError(self.faults)


def rows(lines: TableLines, names: Sequence[str], optional: Sequence[str] = ()) -> Iterator[tuple[str, ...]]:
    """The cells of the named columns of each line, tab-separated under a header line; an absent optional one is empty.

    RefusedFileError when the header lacks a column. A line with too few or too many cells is a fault and left out.
    """
    texts = iter(lines)
    header = next(texts, "").removeprefix("#").split("\t")
    if missing := [name for name in names if name not in header]:
        lines.refuse(1, COLUMN_MISSING, f"the column “{missing[0]}” is missing - take the table with its header line")
    places = [header.index(name) if name in header else -1 for name in (*names, *optional)]
    for text in texts:
        cells = text.split("\t")
        if len(cells) == len(header):
            yield tuple(cells[place] if place >= 0 else "" for place in places)
        elif text:
            message = f"there are {len(cells)} cells under {len(header)} columns - download the table again"
            lines.fault(1, WRONG_COLUMNS, message)
