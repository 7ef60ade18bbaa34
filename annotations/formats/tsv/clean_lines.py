"""Splits large blocks of clean lines into columns with pyarrow; a block that is not clean is left to its caller.

Clean lines have the expected number of columns, each separated by one tab, in UTF-8, without white space at the ends of
the lines. They may end in CR LF. Of any other block, this module says nothing but that it is not clean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from annotations.formats.tsv.lines import BYTE_ORDER_MARK, WHITE_SPACE

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.csv

# Loading pyarrow takes longer than splitting smaller blocks without it.
LEAST_BYTES = 1 << 20
# A larger block ends in a line that no clean file has.
MOST_BYTES = 1 << 25


@dataclass(frozen=True, slots=True)
class CodedValues:
    """The values of some rows: that of row r is values[codes[r]].

    values: distinct, in the order of their first rows; codes: int [rows].
    """

    values: Sequence[str]
    codes: npt.NDArray[np.int32]


def split_clean_lines(lines: bytes, width: int) -> list[CodedValues] | None:
    """[columns]: the values of a block of whole lines, None if any is not clean or the block is too small or too large.

    width: the expected number of columns, at least 2.
    """
    if not LEAST_BYTES <= len(lines) <= MOST_BYTES:
        return None
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n")
    # pyarrow would take CR alone as the end of a line, and leave out a mark.
    if b"\r" in lines or lines.startswith(BYTE_ORDER_MARK):
        return None
    columns = _read_columns_or_none(lines, width)
    if columns is None or _has_white_space_at_ends(columns[0].values, columns[-1].values):
        return None
    return columns


def _read_columns_or_none(lines: bytes, width: int) -> list[CodedValues] | None:
    """[columns]: the values, None if a line has another number of columns or the text is not UTF-8."""
    # Imported here because most files are small.
    import pyarrow
    from pyarrow.csv import read_csv

    try:
        table = read_csv(pyarrow.BufferReader(lines), *_make_options(width, len(lines) + 1))
    except pyarrow.ArrowInvalid:
        return None
    return [_decode_column(column.chunk(0)) for column in table.columns]


def _make_options(
    width: int, block_size: int
) -> "tuple[pyarrow.csv.ReadOptions, pyarrow.csv.ParseOptions, pyarrow.csv.ConvertOptions]":
    """Options to read columns of text as one chunk each, in this thread. Neither quotes nor escapes have a meaning."""
    import pyarrow
    from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions

    names = [str(column) for column in range(width)]
    types = dict.fromkeys(names, pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    return (
        ReadOptions(use_threads=False, block_size=block_size, column_names=names),
        ParseOptions(delimiter="\t", quote_char=False, double_quote=False, ignore_empty_lines=False),
        ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
    )


def _decode_column(column: "pyarrow.DictionaryArray") -> CodedValues:
    # Other conversions to numpy load pandas, if it is installed.
    codes = np.from_dlpack(column.indices).astype(np.int32, copy=False)
    return CodedValues(column.dictionary.to_pylist(), codes)


def _has_white_space_at_ends(first_values: Sequence[str], last_values: Sequence[str]) -> bool:
    """Whether a value of the first or last column is empty, or has white space at the end of its line."""
    if not (all(first_values) and all(last_values)):
        return True
    starts = list(map(str.lstrip, first_values, repeat(WHITE_SPACE)))
    ends = list(map(str.rstrip, last_values, repeat(WHITE_SPACE)))
    return starts != first_values or ends != last_values
