"""What is wrong in a file of tab-separated values: noted by line and field while reading, told with its place after."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from annotations.formats.errors import FormatError
from annotations.formats.tsv_lines import TABS, Layout, fields_of, raw_lines

# A file with more faults of one rule than this has one cause for all of them; the rest would only hide others.
MOST_OF_A_RULE = 1000
LONGEST_QUOTE = 60
Lines = Sequence[int] | npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Note:
    """One fault: line from 1, 0 is the whole file; field: the column between tabs, from 0; in message, {} is the value.

    message says what is wrong and, after a dash, how to mend it.
    """

    line: int
    field: int
    rule: str
    message: str


class Notes:
    """The faults of one file: of each rule the first thousand, and how many there are."""

    def __init__(self) -> None:
        self.kept: list[Note] = []
        self.numbers: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return self.numbers.total() > 0

    def add(self, rule: str, line: int, field: int, message: str) -> None:
        """Note one fault."""
        self.add_lines(rule, [line], field, [message])

    def add_lines(self, rule: str, lines: Lines, field: int, messages: Iterable[str]) -> None:
        """Note a fault in each of these lines; messages are in their order, and only those that are kept are made."""
        room = max(MOST_OF_A_RULE - self.numbers[rule], 0)
        pairs = zip(lines[:room], messages, strict=False)
        self.kept += [Note(int(line), field, rule, message) for line, message in pairs]
        self.numbers[rule] += len(lines)

    def told(self, stream: BinaryIO, source: str, layout: Layout = TABS) -> list[FormatError]:
        """The faults in the order of the lines, then how many of each rule are not listed; the stream is read anew."""
        lines = raw_lines(stream, {note.line for note in self.kept if note.line})
        faults = [told(note, lines.get(note.line, ""), source, layout) for note in self.kept]
        faults.sort(key=lambda fault: (fault.line, fault.column, fault.rule))
        return faults + [
            FormatError(
                source, 0, 0, rule, f"and {number - MOST_OF_A_RULE:,} more of this rule - mend those above first"
            )
            for rule, number in sorted(self.numbers.items())
            if number > MOST_OF_A_RULE
        ]


def told(note: Note, line: str, source: str, layout: Layout) -> FormatError:
    """The fault with the column, in characters from 1, at which its field begins."""
    fields = fields_of(line, layout)
    if not note.line or note.field >= len(fields):
        return FormatError(source, note.line, min(note.line, 1), note.rule, note.message)
    start, value = fields[note.field]
    return FormatError(source, note.line, start + 1, note.rule, note.message.replace("{}", quoted(value)))


def quoted(value: str) -> str:
    """Foreign text fit for one line of a message."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in value)
    return f"“{shown if len(shown) <= LONGEST_QUOTE else shown[:LONGEST_QUOTE] + '…'}”"
