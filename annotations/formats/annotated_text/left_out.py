"""What a file of annotated text says and is not kept, counted by what it is and why."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from annotations.formats.annotated_text.mentions import LeftOut
from annotations.formats.errors import FormatError, quote_file_text

LEFT_OUT = "R660"


@dataclass(slots=True)
class LeftOutCounts:
    """counts: how often, by part and reason; first: the first item of each."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    first: dict[tuple[str, str], LeftOut] = field(default_factory=dict)

    def add(self, items: Iterable[LeftOut]) -> None:
        for item in items:
            key = (item.part, item.reason)
            self.counts[key] += item.number
            self.first.setdefault(key, item)

    def iter_lines(self) -> Iterator[tuple[LeftOut, str]]:
        """The first item of each part and reason, and a text such as `relations 3 (no identifier; first in line 9)`."""
        for (part, reason), number in self.counts.items():
            first = self.first[part, reason]
            yield first, f"{part} {number:,} ({reason}; first in {format_file_place(first.line, first.document)})"


def list_left_out_warnings(items: Iterable[LeftOut], source: str) -> list[FormatError]:
    """A warning (R660) for each part and reason; source: the name of the file."""
    left_out = LeftOutCounts()
    left_out.add(items)
    return [
        FormatError(source, first.line, min(first.line, 1), LEFT_OUT, f"left out: {text} - correct it if it is needed")
        for first, text in left_out.iter_lines()
    ]


def format_file_place(line: int, document: str) -> str:
    """A line, 0 if unknown, and its document: an archive has a file for each, so the line alone is not enough."""
    shown = f"document {quote_file_text(document)}"
    return f"line {line:,}, {shown}" if line else shown
