"""Reads lines of columns at tabs or other white space, block by block, so large files need little memory.

White space (space, tab, CR, VT, FF) at both ends of a line is not part of it, so lines may end in CR LF and empty
columns at the end are dropped; every tab inside the line separates columns. The last line may lack a line feed, and CR
alone does not end a line. Bytes that are not UTF-8 are kept as surrogates. Source: BioCreative evaluation library.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import BinaryIO

# Fits into the cache of a processor; larger blocks are slower.
LINE_BLOCK_BYTES = 1 << 16
WHITE_SPACE = " \t\r\v\f"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TO_TABS = bytes.maketrans(b" \r\v\f", b"\t\t\t\t")
REPEATED_TABS = re.compile(rb"\t\t+")
NONSPACE_FIELD = re.compile(r"[^ \t\r\v\f]+")


@dataclass(frozen=True, slots=True)
class LineLayout:
    """How the columns of a line are separated.

    loose: by any white space instead of the separator; rule: the code of the fault for a wrong number of columns;
    separator_label: how its message describes the separator.
    """

    loose: bool
    rule: str
    separator_label: str
    separator: str = "\t"


TAB_LAYOUT = LineLayout(loose=False, rule="R603", separator_label="separated by one tab")


def iter_blocks_of_stripped_lines(stream: BinaryIO, layout: LineLayout = TAB_LAYOUT) -> Iterator[list[str]]:
    """Yield blocks of lines from a stream that is at its start, without white space at the ends of the lines.

    A byte order mark is skipped. In a loose layout, white space between columns is replaced by one tab.
    """
    for block in iter_blocks_of_whole_lines(stream, LINE_BLOCK_BYTES):
        yield split_and_strip_lines(block, layout)


def iter_blocks_of_whole_lines(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the bytes of a stream that is at its start in blocks of this size and the rest of the line there.

    A byte order mark is skipped.
    """
    start = stream.read(len(BYTE_ORDER_MARK))
    prefix = b"" if start == BYTE_ORDER_MARK else start
    while block := prefix + stream.read(size) + stream.readline():
        prefix = b""
        yield block


def split_and_strip_lines(block: bytes, layout: LineLayout) -> list[str]:
    """The lines of a block without white space at their ends; a loose layout separates columns by one tab."""
    if layout.loose:
        block = REPEATED_TABS.sub(b"\t", block.translate(TO_TABS))
    text = block.decode("utf-8", "surrogateescape")
    return [line.strip(WHITE_SPACE) for line in text.removesuffix("\n").split("\n")]


def has_byte_order_mark(stream: BinaryIO) -> bool:
    """Whether the stream, which is rewound, begins with a byte order mark."""
    stream.seek(0)
    has_mark = stream.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    stream.seek(0)
    return has_mark


def detect_column_count_of_first_lines(stream: BinaryIO, least: int = 1) -> int:
    """The most frequent number of columns in the first lines that have at least so many, 0 without such lines.

    The stream is rewound.
    """
    stream.seek(0)
    lines = next(iter_blocks_of_stripped_lines(stream), [])
    widths = Counter(width for line in lines if line and (width := line.count("\t") + 1) >= least)
    stream.seek(0)
    return widths.most_common(1)[0][0] if widths else 0


def split_fields_with_start_offsets(raw_line: str, layout: LineLayout = TAB_LAYOUT) -> list[tuple[int, str]]:
    """(start, text) of each column of a raw line; start in characters from 0."""
    if layout.loose:
        return [(match.start(), match[0]) for match in NONSPACE_FIELD.finditer(raw_line)]
    stripped = raw_line.strip(WHITE_SPACE)
    start = len(raw_line) - len(raw_line.lstrip(WHITE_SPACE)) if stripped else 0
    fields = []
    for text in stripped.split(layout.separator):
        fields.append((start, text))
        start += len(text) + 1
    return fields


def read_raw_lines(stream: BinaryIO, line_numbers: Collection[int]) -> dict[int, str]:
    """{line number: raw line without its line feed} for these line numbers, from 1; rereads the stream."""
    last = max(line_numbers, default=0)
    stream.seek(0)
    lines = {}
    for number, line in enumerate(stream, 1):
        if number in line_numbers:
            lines[number] = line.decode("utf-8", "replace").removesuffix("\n")
        if number >= last:
            break
    return lines
