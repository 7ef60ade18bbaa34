"""Splits lines into columns at tabs or other white space, block by block, so large files need little memory.

White space (space, tab, CR, VT, FF) at both ends of a line is not part of it, so lines may end in CR LF and empty
columns at the end are dropped; every tab inside the line separates columns. The last line may lack a line feed, and CR
alone does not end a line. Bytes that are not UTF-8 are kept as surrogates. Source: BioCreative evaluation library.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

# Fits into the cache of a processor; larger blocks are slower.
LINE_BLOCK_BYTES = 1 << 16
WHITE_SPACE = " \t\r\v\f"
# A character that no line contains.
LINE_MARK = "\n"
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


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Consecutive lines of a file.

    columns: [columns][rows], the lines with the expected number of columns; odd_lines: (line number from 1, number of
    columns) for the others; a blank line has 0 columns. cut_lines: the numbers of the lines whose last columns were cut
    off. single_names: the lines with one column.
    """

    columns: list[list[str]]
    odd_lines: list[tuple[int, int]]
    cut_lines: list[int] = field(default_factory=list)
    single_names: list[str] = field(default_factory=list)


def iter_blocks_of_stripped_lines(stream: BinaryIO, layout: LineLayout = TAB_LAYOUT) -> Iterator[list[str]]:
    """Yield blocks of lines from a stream that is at its start, without white space at the ends of the lines.

    A byte order mark is skipped. In a loose layout, white space between columns is replaced by one tab.
    """
    start = stream.read(len(BYTE_ORDER_MARK))
    prefix = b"" if start == BYTE_ORDER_MARK else start
    while block := prefix + stream.read(LINE_BLOCK_BYTES) + stream.readline():
        prefix = b""
        if layout.loose:
            block = REPEATED_TABS.sub(b"\t", block.translate(TO_TABS))
        text = block.decode("utf-8", "surrogateescape")
        yield [line.strip(WHITE_SPACE) for line in text.removesuffix("\n").split("\n")]


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


def iter_column_blocks(
    stream: BinaryIO, expected_column_count: int, layout: LineLayout = TAB_LAYOUT, *, cut_further_columns: bool = False
) -> Iterator[ColumnBlock]:
    """All lines of a stream that is at its start, split into columns; expected_column_count: the expected number, at
    least 2; cut_further_columns: whether lines with more columns are cut instead of being odd.
    """
    lines_before = 0
    for lines in iter_blocks_of_stripped_lines(stream, layout):
        yield _split_even_lines(lines, expected_column_count) or _split_uneven_lines(
            lines, expected_column_count, lines_before, cut_further_columns=cut_further_columns
        )
        lines_before += len(lines)


def _split_even_lines(lines: list[str], width: int) -> ColumnBlock | None:
    """The block of lines that all have `width` columns, None if any line has not.

    Splits all lines at once: a mark between the lines must be found at the same distance after each.
    """
    fields = f"\t{LINE_MARK}\t".join(lines).split("\t")
    step = width + 1
    if len(fields) != len(lines) * step - 1 or fields[width::step].count(LINE_MARK) != len(lines) - 1:
        return None
    return ColumnBlock([fields[column::step] for column in range(width)], [])


def _split_uneven_lines(lines: list[str], width: int, lines_before: int, *, cut_further_columns: bool) -> ColumnBlock:
    """The block of lines with any number of columns; lines_before: the number of earlier lines in the file."""
    cut_lines: list[int] = []
    if cut_further_columns:
        cut_lines = [number for number, line in enumerate(lines, lines_before + 1) if line.count("\t") >= width]
        lines = ["\t".join(line.split("\t", width)[:width]) for line in lines]
    widths = [line.count("\t") + 1 if line else 0 for line in lines]
    odd_lines = [
        (number, line_width) for number, line_width in enumerate(widths, lines_before + 1) if line_width != width
    ]
    even = _split_even_lines(
        [line for line, line_width in zip(lines, widths, strict=True) if line_width == width], width
    )
    single_names = [line for line, line_width in zip(lines, widths, strict=True) if line_width == 1]
    return ColumnBlock(even.columns if even else [[] for _ in range(width)], odd_lines, cut_lines, single_names)


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
