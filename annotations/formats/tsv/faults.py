"""Collects faults of tab-separated values by line and field; their columns are found after reading."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from annotations.formats.errors import MAX_FAULTS_PER_RULE, FormatError, quote_file_text
from annotations.formats.tsv.lines import TAB_LAYOUT, LineLayout, read_raw_lines, split_fields_with_start_offsets

LineNumbers = Sequence[int] | npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One fault. line: from 1, or 0 for the whole file; field: the position of the column, from 0.

    message says what is wrong and, after a dash, how to fix it; in it, {} stands for the value of the field.
    """

    line: int
    field: int
    rule: str
    message: str


class FieldFaults:
    """The faults of one file: the first MAX_FAULTS_PER_RULE of each rule, and the number of all."""

    def __init__(self) -> None:
        self.kept: list[FieldFault] = []
        self.counts: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return self.counts.total() > 0

    def add(self, rule: str, line: int, field: int, message: str) -> None:
        """Note one fault."""
        self.add_lines(rule, [line], field, [message])

    def add_lines(self, rule: str, lines: LineNumbers, field: int, messages: Iterable[str]) -> None:
        """Note a fault for each of these lines; only as many messages are taken as are kept."""
        room = max(MAX_FAULTS_PER_RULE - self.counts[rule], 0)
        pairs = zip(lines[:room], messages, strict=False)
        self.kept += [FieldFault(int(line), field, rule, message) for line, message in pairs]
        self.counts[rule] += len(lines)

    def list_faults(self, stream: BinaryIO, source: str, layout: LineLayout = TAB_LAYOUT) -> list[FormatError]:
        """The faults in the order of the lines, then the number of unlisted faults of each rule; rereads the stream."""
        lines = read_raw_lines(stream, {fault.line for fault in self.kept if fault.line})
        faults = [_make_field_format_error(fault, lines.get(fault.line, ""), source, layout) for fault in self.kept]
        faults.sort(key=lambda error: (error.line, error.column, error.rule))
        return faults + [
            FormatError(
                source, 0, 0, rule, f"and {count - MAX_FAULTS_PER_RULE:,} more of this rule - fix those above first"
            )
            for rule, count in sorted(self.counts.items())
            if count > MAX_FAULTS_PER_RULE
        ]


def _make_field_format_error(fault: FieldFault, line: str, source: str, layout: LineLayout) -> FormatError:
    """The fault with the column at which its field begins, in characters from 1."""
    fields = split_fields_with_start_offsets(line, layout)
    if not fault.line or fault.field >= len(fields):
        return FormatError(source, fault.line, min(fault.line, 1), fault.rule, fault.message)
    start, value = fields[fault.field]
    return FormatError(source, fault.line, start + 1, fault.rule, fault.message.replace("{}", quote_file_text(value)))
