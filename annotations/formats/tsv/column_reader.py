"""Reads a file of tab-separated values into columns and notes every faulty line and value."""

from array import array
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from typing import BinaryIO

import numpy as np

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tsv.clean_lines import CodedValues
from annotations.formats.tsv.column_blocks import ColumnBlock, iter_column_blocks
from annotations.formats.tsv.columns import NO_CLASS, Booleans, ColumnBuilder, Integers, NameColumn
from annotations.formats.tsv.faults import FieldFaults
from annotations.formats.tsv.lines import (
    TAB_LAYOUT,
    WHITE_SPACE,
    LineLayout,
    has_byte_order_mark,
)


class ColumnReader:
    """Reads one file.

    faults and warnings: what was noted so far; skipped: line numbers without a row; fields: names of the columns;
    single_names: the lines with the first column alone, which are faults unless they are accepted.
    """

    def __init__(
        self, stream: BinaryIO, source: str, layout: LineLayout = TAB_LAYOUT, *, accepts_single_names: bool = False
    ) -> None:
        self.stream = stream
        self.source = source
        self.layout = layout
        self.faults = FieldFaults()
        self.warnings = FieldFaults()
        self.skipped = array("q")
        self.fields: Sequence[str] = ()
        self.accepts_single_names = accepts_single_names
        self.single_names: list[str] = []

    def read_columns(self, columns: Mapping[str, ColumnBuilder], *, cut_further_columns: bool = False) -> None:
        """Fill the columns, at least two, given by name in the order of the file.

        cut_further_columns: whether columns after these are ignored, with a warning, instead of being a fault.
        """
        self.fields = tuple(columns)
        if has_byte_order_mark(self.stream):
            self.faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
        self.stream.seek(0)
        cut_lines: list[int] = []
        for block in iter_column_blocks(
            self.stream, len(columns), self.layout, cut_further_columns=cut_further_columns
        ):
            for column, values in zip(columns.values(), block.columns, strict=True):
                if isinstance(values, CodedValues):
                    column.add_coded(values)
                else:
                    column.add(values)
            self.note_odd_lines(block)
            cut_lines += block.cut_lines
        if cut_lines:
            message = f"lines with columns after the {self.fields[-1]}, which are ignored: {len(cut_lines):,}"
            self.warnings.add("R630", cut_lines[0], 0, message)

    def note_odd_lines(self, block: ColumnBlock) -> None:
        self.skipped.extend(line for line, _ in block.odd_lines)
        fix = f"write {len(self.fields)}: {', '.join(self.fields)}, {self.layout.separator_label}"
        blank = [line for line, number in block.odd_lines if not number]
        self.faults.add_lines("R602", blank, 0, repeat("the line is blank - remove it"))
        nonblank = [(line, number) for line, number in block.odd_lines if number]
        if self.accepts_single_names:
            self.single_names += block.single_names
            nonblank = [(line, number) for line, number in nonblank if number > 1]
        messages = (f"columns: {number} - {fix}" for _, number in nonblank)
        self.faults.add_lines(self.layout.rule, [line for line, _ in nonblank], 0, messages)

    def line_numbers(self, rows: Integers) -> Integers:
        """int [rows]: the line number of each of these rows."""
        skipped = np.array(self.skipped, dtype=np.int64)
        skipped_before = np.searchsorted(skipped - 1 - np.arange(len(skipped)), rows, side="right")
        return rows + 1 + skipped_before

    def note_rows(self, rule: str, is_faulty: Booleans, field: int, message: str) -> None:
        """Note one fault for every faulty row; is_faulty: bool [rows]."""
        self.faults.add_lines(rule, self.line_numbers(np.flatnonzero(is_faulty)), field, repeat(message))

    def note_repeats(
        self, rule: str, keys: Integers, rows: Integers, field: int, message: str, faults: FieldFaults | None = None
    ) -> Integers:
        """Note the rows whose key occurred in an earlier row, and return them: int [repeats].

        keys: int [rows], the keys of these rows. In the message, {line} is the earlier line. faults: where to note the
        repeats, by default self.faults.
        """
        ordered = np.sort(keys)
        if not (ordered[1:] == ordered[:-1]).any():
            return rows[:0]
        order = np.argsort(keys, kind="stable")
        repeats = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
        repeats = repeats[np.argsort(order[repeats])]
        first_lines = self.line_numbers(rows[order[repeats - 1]])
        messages = (message.replace("{line}", str(line)) for line in first_lines)
        (self.faults if faults is None else faults).add_lines(
            rule, self.line_numbers(rows[order[repeats]]), field, messages
        )
        return rows[order[repeats]]

    def note_name_faults(self, column: NameColumn, field: int, label: str) -> None:
        """Note empty names, and warn of white space at the ends of names. label: the name of the column in messages."""
        lengths = np.fromiter(map(len, column.names), dtype=np.int32)
        trimmed_lengths = np.fromiter(map(len, map(str.strip, column.names, repeat(WHITE_SPACE))), dtype=np.int32)
        is_empty, is_padded = trimmed_lengths == 0, (trimmed_lengths > 0) & (trimmed_lengths < lengths)
        if not (is_empty.any() or is_padded.any()):
            return
        self.note_rows("R604", is_empty[column.codes], field, f"the {label} is empty - add it")
        message = "{} begins or ends with white space, which counts - remove it if it is not intended"
        self.warnings.add_lines(
            "R614", self.line_numbers(np.flatnonzero(is_padded[column.codes])), field, repeat(message)
        )

    def note_class_faults(self, column: Integers, field: int) -> None:
        fix = "write 0 or 1, true or false, t or f, y or n, + or -"
        self.note_rows("R605", column == NO_CLASS, field, f"{{}} is not a class - {fix}")

    def finish(self) -> list[FormatError]:
        """The warnings. RefusedFileError with all faults if there are any."""
        if self.faults:
            raise RefusedFileError(self.faults.list_faults(self.stream, self.source, self.layout))
        return self.warnings.list_faults(self.stream, self.source, self.layout)


def mark_known_article_rows(article_by_row: NameColumn, known_articles: Collection[str] | None) -> Booleans:
    """bool [rows]: whether the article of each row is among the known articles; all are if these are None."""
    if known_articles is None:
        return np.ones(len(article_by_row), dtype=np.bool_)
    return np.fromiter((name in known_articles for name in article_by_row.names), dtype=np.bool_)[article_by_row.codes]
