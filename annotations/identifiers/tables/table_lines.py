"""The lines of a published table, plain or gzipped, and the faults in them.

Tables of millions of lines are read in bounded memory. Reading continues after a fault, so that all are reported.
"""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NoReturn

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.identifiers.namespaces import NAMESPACES

BROKEN_ARCHIVE = "R431"
NOT_TEXT = "R432"
COLUMN_MISSING = "R433"
WRONG_COLUMNS = "R434"
NOT_IDENTIFIER = "R435"
INCOMPLETE = "R436"
NOT_WELL_FORMED = "R437"
DAMAGED = "the archive is truncated or damaged here"
GZIP = b"\x1f\x8b"
LONGEST_LINE = 1 << 20
# So many faults have a common cause: reading stops.
MOST_FAULTS = 1000


class FaultNotingTableLines:
    """Iterates over the lines of a table as text without line ends, and collects faults in their order.

    number: the number of the last line, from 1. position: how many of the `size` bytes of the file have been read.
    complete: the databases of which the table has all identifiers that there ever were, each with how these begin.
    """

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self.stream = stream
        self.source = source
        self.number = 0
        self.faults: list[FormatError] = []
        self.complete: dict[str, str] = {}
        gzipped = stream.read(2) == GZIP
        self.size = stream.seek(0, 2)
        stream.seek(0)
        self.content: BinaryIO = gzip.GzipFile(fileobj=stream) if gzipped else stream  # type: ignore[assignment]

    @property
    def position(self) -> int:
        return self.stream.tell()

    def __iter__(self) -> Iterator[str]:
        while line := self._read_line():
            self.number += 1
            text = self._decode_line(line)
            if text is not None:
                yield text

    def read(self, size: int = -1) -> bytes:
        """The next bytes of a table that is not read by lines; b"" at its end.

        Raises RefusedFileError (R431) if the archive is damaged.
        """
        try:
            return self.content.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self.refuse(1, BROKEN_ARCHIVE, f"{DAMAGED} - download it again and check its size")

    def note_complete_database(self, database: str, start: str = "") -> None:
        """Note that the table has all identifiers of a database, or all that begin with `start`.

        The databases that we ask for each identifier know more than any table.
        """
        if database not in NAMESPACES:
            self.complete[database] = start

    def _read_line(self) -> bytes:
        try:
            return self.content.readline(LONGEST_LINE)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self.number += 1
            self.add_fault(1, BROKEN_ARCHIVE, f"{DAMAGED} - download it again and check its size")
            return b""

    def _decode_line(self, line: bytes) -> str | None:
        if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            self.refuse(1, NOT_TEXT, f"the line has more than {LONGEST_LINE:,} bytes - use the table as published")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode("utf-8")) + 1
            self.add_fault(
                column, NOT_TEXT, f"the byte 0x{line[error.start]:02X} is not valid UTF-8 - save the file as UTF-8"
            )
            return None
        if "\0" in text:
            self.add_fault(
                text.index("\0") + 1,
                NOT_TEXT,
                "there is a NUL character, which is not allowed - download the file again",
            )
            return None
        text = text.rstrip("\r\n")
        return text.removeprefix("\ufeff") if self.number == 1 else text

    def add_fault(self, column: int, rule: str, message: str, line: int | None = None) -> None:
        """Record a fault in the current line, or in another one. Raises RefusedFileError if there are too many."""
        self.faults.append(FormatError(self.source, self.number if line is None else line, column, rule, message))
        if len(self.faults) >= MOST_FAULTS:
            message = f"reading stopped after {MOST_FAULTS:,} faults - fix their common cause first"
            raise RefusedFileError([*self.faults, FormatError(self.source, self.number, 0, rule, message)])

    def refuse(self, column: int, rule: str, message: str) -> NoReturn:
        """Raise RefusedFileError with all faults so far and this one, after which nothing can be read."""
        self.faults.append(FormatError(self.source, self.number, column, rule, message))
        raise RefusedFileError(self.faults)


def iter_cells_of_named_columns(
    lines: FaultNotingTableLines, required_columns: Sequence[str], optional_columns: Sequence[str] = ()
) -> Iterator[tuple[str, ...]]:
    """The cells of the named columns of each line of a tab-separated table with a header; missing optional ones are "".

    A line with too few or too many cells is a fault and skipped. Raises RefusedFileError if the header lacks a column.
    """
    texts = iter(lines)
    header = next(texts, "").removeprefix("#").split("\t")
    if missing := [name for name in required_columns if name not in header]:
        lines.refuse(1, COLUMN_MISSING, f"the column “{missing[0]}” is missing - use the table with its header line")
    indexes = [header.index(name) if name in header else -1 for name in (*required_columns, *optional_columns)]
    for text in texts:
        cells = text.split("\t")
        if len(cells) == len(header):
            yield tuple(cells[index] if index >= 0 else "" for index in indexes)
        elif text:
            message = f"the line has {len(cells)} cells, but the header has {len(header)} - download the table again"
            lines.add_fault(1, WRONG_COLUMNS, message)
