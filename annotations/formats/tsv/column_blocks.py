"""Splits the lines of a file into columns, block by block, so large files need little memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from annotations.formats.tsv.clean_lines import CodedValues, split_clean_lines
from annotations.formats.tsv.lines import (
    LINE_BLOCK_BYTES,
    TAB_LAYOUT,
    LineLayout,
    iter_blocks_of_whole_lines,
    split_and_strip_lines,
)

# Blocks in which each distinct value of a column is decoded once; larger ones take more memory and are as fast.
CODED_BLOCK_BYTES = 1 << 24
# A character that no line contains.
LINE_MARK = "\n"


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """Consecutive lines of a file.

    columns: [columns][rows], the lines with the expected number of columns, or their CodedValues [columns]; odd_lines:
    (line number from 1, number of columns) for the others; a blank line has 0 columns. cut_lines: the numbers of the
    lines whose last columns were cut off. single_names: the lines with one column.
    """

    columns: Sequence[list[str] | CodedValues]
    odd_lines: list[tuple[int, int]]
    cut_lines: list[int] = field(default_factory=list)
    single_names: list[str] = field(default_factory=list)


def iter_column_blocks(
    stream: BinaryIO, expected_column_count: int, layout: LineLayout = TAB_LAYOUT, *, cut_further_columns: bool = False
) -> Iterator[ColumnBlock]:
    """All lines of a stream that is at its start, split into columns; expected_column_count: the expected number, at
    least 2; cut_further_columns: whether lines with more columns are cut instead of being odd.
    """
    lines_before = 0
    for large_block in iter_blocks_of_whole_lines(stream, CODED_BLOCK_BYTES):
        coded = None if layout.loose else split_clean_lines(large_block, expected_column_count)
        if coded is not None:
            yield ColumnBlock(coded, [])
            lines_before += len(coded[0].codes)
            continue
        for block in _split_block_at_lines(large_block, LINE_BLOCK_BYTES):
            lines = split_and_strip_lines(block, layout)
            yield _split_even_lines(lines, expected_column_count) or _split_uneven_lines(
                lines, expected_column_count, lines_before, cut_further_columns=cut_further_columns
            )
            lines_before += len(lines)


def _split_block_at_lines(block: bytes, size: int) -> Iterator[bytes]:
    """Yield the bytes of a block of whole lines in blocks of this size and the rest of the line there."""
    start = 0
    while start < len(block):
        stop = block.find(b"\n", start + size) + 1 or len(block)
        yield block[start:stop]
        start = stop


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
