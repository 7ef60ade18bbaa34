"""Reads a file of tab-separated values into columns, noting every line and value that is not as it should be."""

from array import array
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from typing import BinaryIO

import numpy as np

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tsv_columns import NO_CLASS, Booleans, Column, Integers, Named
from annotations.formats.tsv_faults import Notes
from annotations.formats.tsv_lines import TABS, WHITE_SPACE, Block, Layout, blocks, has_byte_order_mark


class Reading:
    """One file while it is read: its columns by name, and what is wrong with it."""

    def __init__(self, stream: BinaryIO, source: str, layout: Layout = TABS) -> None:
        self.stream = stream
        self.source = source
        self.layout = layout
        self.faults = Notes()
        self.warnings = Notes()
        self.skipped = array("q")
        self.fields: Sequence[str] = ()

    def read(self, columns: Mapping[str, Column]) -> None:
        """Fill these columns, which are those of a line in their order, at least two."""
        self.fields = tuple(columns)
        if has_byte_order_mark(self.stream):
            self.faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
        self.stream.seek(0)
        for block in blocks(self.stream, len(columns), self.layout):
            for column, values in zip(columns.values(), block.columns, strict=True):
                column.add(values)
            self.note_odd(block)

    def note_odd(self, block: Block) -> None:
        self.skipped.extend(line for line, _ in block.odd)
        wanted = f"write {len(self.fields)}: {', '.join(self.fields)}, with {self.layout.between}"
        blank = [line for line, number in block.odd if not number]
        self.faults.add_lines("R602", blank, 0, repeat("the line is blank - remove it"))
        other = [(line, number) for line, number in block.odd if number]
        told = (f"columns: {number} - {wanted}" for _, number in other)
        self.faults.add_lines(self.layout.rule, [line for line, _ in other], 0, told)

    def lines(self, rows: Integers) -> Integers:
        """int [rows]: the line of each of these rows."""
        skipped = np.array(self.skipped, dtype=np.int64)
        before = np.searchsorted(skipped - 1 - np.arange(len(skipped)), rows, side="right")
        return rows + 1 + before

    def note(self, rule: str, where: Booleans, field: int, message: str) -> None:
        """The same fault in all these rows: bool [rows]."""
        self.faults.add_lines(rule, self.lines(np.flatnonzero(where)), field, repeat(message))

    def note_repeats(
        self, rule: str, keys: Integers, rows: Integers, field: int, message: str, notes: Notes | None = None
    ) -> Integers:
        """Rows of which the key stands in a row above already: int [keys], of these rows; gives the rows that repeat.

        The message has {line} for the line above; notes: where it is noted, by default among the faults.
        """
        ordered = np.sort(keys)
        if not (ordered[1:] == ordered[:-1]).any():
            return rows[:0]
        order = np.argsort(keys, kind="stable")
        again = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
        again = again[np.argsort(order[again])]
        above = self.lines(rows[order[again - 1]])
        told = (message.replace("{line}", str(line)) for line in above)
        (self.faults if notes is None else notes).add_lines(rule, self.lines(rows[order[again]]), field, told)
        return rows[order[again]]

    def check_names(self, column: Named, field: int, what: str) -> None:
        """No name is empty; white space at its ends is part of it, which is warned of. what: to call the column by."""
        whole = np.fromiter(map(len, column.names), dtype=np.int32)
        trimmed = np.fromiter(map(len, map(str.strip, column.names, repeat(WHITE_SPACE))), dtype=np.int32)
        empty, padded = trimmed == 0, (trimmed > 0) & (trimmed < whole)
        if not (empty.any() or padded.any()):
            return
        self.note("R604", empty[column.codes], field, f"the {what} is empty - write it")
        said = "white space at an end of {} is part of it - remove it if it is not meant"
        self.warnings.add_lines("R614", self.lines(np.flatnonzero(padded[column.codes])), field, repeat(said))

    def check_classes(self, column: Integers, field: int) -> None:
        mend = "write 0 or 1, true or false, t or f, y or n, + or -"
        self.note("R605", column == NO_CLASS, field, f"{{}} is not a class - {mend}")

    def finish(self) -> list[FormatError]:
        """The warnings. RefusedFileError with all faults, if there is one."""
        if self.faults:
            raise RefusedFileError(self.faults.told(self.stream, self.source, self.layout))
        return self.warnings.told(self.stream, self.source, self.layout)


def known_rows(article: Named, known: Collection[str] | None) -> Booleans:
    """bool [rows]: whether the article of the row is known; None knows all."""
    if known is None:
        return np.ones(len(article), dtype=np.bool_)
    return np.fromiter((name in known for name in article.names), dtype=np.bool_)[article.codes]
