"""Columns of tab-separated values as arrays, filled block by block: names as codes, ranks, confidences, classes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from annotations.formats.tsv.clean_lines import CodedValues
from annotations.formats.tsv.names import NameNumbers, NameTuples

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Number = TypeVar("Number", bound=np.generic)

# Characters allowed in numbers; Python also accepts 1_0 and digits of other scripts.
INTEGER_BYTES = b"0123456789+- \t\r\v\f"
FLOAT_BYTES = INTEGER_BYTES + b".eE"
INTEGER_TEXT = re.compile(r"[ \r\v\f]*[+-]?[0-9]{1,4000}[ \r\v\f]*")
FLOAT_TEXT = re.compile(r"[ \r\v\f]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \r\v\f]*")
# Of larger ranks only the order is kept; sums of two such ranks still fit into 64 bits.
HUGE_RANK = 1 << 61
CLASS_VALUES = dict.fromkeys(("true", "t", "y", "+"), 1) | dict.fromkeys(("false", "f", "n", "-"), 0)
NO_CLASS = -1
# Python strings take more memory than their bytes, so only the names of this many rows are created at once.
ROWS_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class NameColumn:
    """A column of names: the name of row r is names[codes[r]].

    names: distinct strings, tuples of strings, or other hashable items; codes: int [rows].
    """

    names: Sequence[Any]
    codes: Integers

    def __len__(self) -> int:
        return len(self.codes)


class ColumnBuilder(Protocol):
    """Collects the values of a column."""

    def add(self, values: Sequence[str]) -> None:
        """Append the values of some rows."""

    def add_coded(self, coded: CodedValues) -> None:
        """Append the values of some rows, of which each distinct one is read once."""


class NameColumnBuilder:
    """Builds a column of names."""

    def __init__(self, names: NameNumbers) -> None:
        self.names = names
        self.parts: list[npt.NDArray[np.int32]] = []

    def add(self, values: Sequence[str]) -> None:
        number = self.names.numbers.__getitem__
        self.parts.append(np.fromiter(map(number, values), dtype=np.int32, count=len(values)))
        self.names.pack_if_full()

    def add_coded(self, coded: CodedValues) -> None:
        self.add(coded.values)
        self.parts[-1] = self.parts[-1][coded.codes]

    def column(self) -> NameColumn:
        names = self.names.names
        self.parts[:] = map(self.names.final_numbers, self.parts)
        return NameColumn(names, concatenate_parts_in_place(self.parts, np.int64))


class ClassColumnBuilder:
    """Builds a column of classes: 1 relevant, 0 not relevant, NO_CLASS for invalid values."""

    def __init__(self) -> None:
        self.parts: list[npt.NDArray[np.int8]] = []

    def add(self, values: Sequence[str]) -> None:
        classes = {value: _parse_class_value(value) for value in set(values)}
        self.parts.append(np.fromiter(map(classes.__getitem__, values), dtype=np.int8, count=len(values)))

    def add_coded(self, coded: CodedValues) -> None:
        self.add(coded.values)
        self.parts[-1] = self.parts[-1][coded.codes]

    def column(self) -> Integers:
        return concatenate_parts_in_place(self.parts, np.int64)


class RankColumnBuilder:
    """Builds a column of ranks; 0 for values that are not whole numbers from 1."""

    def __init__(self) -> None:
        self.parts: list[Integers] = []
        self.huge: list[int] = []
        self.all_valid = True

    def add(self, values: Sequence[str]) -> None:
        try:
            if not _has_only_bytes(values, INTEGER_BYTES):
                raise ValueError
            part = np.fromiter(map(int, values), dtype=np.int64, count=len(values))
            if part.max(initial=0) >= HUGE_RANK:
                raise OverflowError
        except (ValueError, OverflowError):
            part = np.array([self.parse_rank(value) for value in values], dtype=np.int64)
        part[part < 1] = 0
        self.all_valid &= bool(part.all())
        self.parts.append(part)

    def add_coded(self, coded: CodedValues) -> None:
        distinct = RankColumnBuilder()
        distinct.add(coded.values)
        if distinct.huge:
            self.add([coded.values[code] for code in coded.codes.tolist()])
            return
        self.all_valid &= distinct.all_valid
        self.parts.append(distinct.parts[0][coded.codes])

    def parse_rank(self, value: str) -> int:
        number = int(value) if INTEGER_TEXT.fullmatch(value) else 0
        if number < HUGE_RANK:
            return max(number, 0)
        self.huge.append(number)
        return HUGE_RANK

    def column(self) -> Integers:
        """int [rows]. Ranks from HUGE_RANK keep their order and equality, but not their size."""
        ranks = concatenate_parts_in_place(self.parts, np.int64)
        if self.huge:
            order = {number: position for position, number in enumerate(sorted(set(self.huge)))}
            ranks[ranks >= HUGE_RANK] = [HUGE_RANK + order[number] for number in self.huge]
        return ranks


class NumberColumnBuilder:
    """Builds a column of finite numbers; NaN for other values."""

    def __init__(self) -> None:
        self.parts: list[Floats] = []

    def add(self, values: Sequence[str]) -> None:
        self.parts.append(_parse_finite_numbers(values))

    def add_coded(self, coded: CodedValues) -> None:
        self.add(coded.values)
        self.parts[-1] = self.parts[-1][coded.codes]

    def column(self) -> Floats:
        return concatenate_parts_in_place(self.parts, np.float64)


class ConfidenceColumnBuilder(NumberColumnBuilder):
    """Builds a column of confidences; NaN for values that are not above 0 and at most 1."""

    def add(self, values: Sequence[str]) -> None:
        part = _parse_finite_numbers(values)
        part[~((part > 0) & (part <= 1))] = np.nan
        self.parts.append(part)


class RankOrConfidenceColumnBuilder:
    """Builds a column that holds ranks or confidences, which is decided after reading the whole file."""

    def __init__(self) -> None:
        self.ranks, self.confidences = RankColumnBuilder(), ConfidenceColumnBuilder()

    def add(self, values: Sequence[str]) -> None:
        if self.ranks.all_valid:
            self.ranks.add(values)
        self.confidences.add(values)

    def add_coded(self, coded: CodedValues) -> None:
        if self.ranks.all_valid:
            self.ranks.add_coded(coded)
        self.confidences.add_coded(coded)


def _parse_finite_numbers(values: Sequence[str]) -> Floats:
    """float [values]: NaN where the text is not a finite number."""
    try:
        if not _has_only_bytes(values, FLOAT_BYTES):
            raise ValueError
        part = np.fromiter(map(float, values), dtype=np.float64, count=len(values))
    except ValueError:
        part = np.array([float(value) if FLOAT_TEXT.fullmatch(value) else np.nan for value in values])
    part[np.isinf(part)] = np.nan
    return part


def _has_only_bytes(values: Sequence[str], allowed: bytes) -> bool:
    return not "\t".join(values).encode("utf-8", "surrogatepass").translate(None, allowed)


def _parse_class_value(value: str) -> int:
    """1 relevant, 0 not relevant, NO_CLASS if the text is not a class. Accepts 0, 1 and the keys of CLASS_VALUES."""
    if INTEGER_TEXT.fullmatch(value):
        return int(value) if int(value) in (0, 1) else NO_CLASS
    return CLASS_VALUES.get(value.lower(), NO_CLASS)


def concatenate_parts_in_place(parts: list[npt.NDArray[Any]], dtype: type[Number]) -> npt.NDArray[Number]:
    """One array of all parts. It replaces the parts in the list, so memory holds the values once."""
    if len(parts) != 1 or parts[0].dtype != dtype:
        parts[:] = [np.concatenate(parts, dtype=dtype) if parts else np.zeros(0, dtype=dtype)]
    return parts[0]


def build_sorted_pair_column_of_shared_names(first: NameColumn, second: NameColumn) -> NameColumn:
    """One column of pairs, each sorted by name, from two columns that share their names."""
    swapped = np.zeros(len(first), dtype=np.bool_)
    for start in range(0, len(first), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        used_codes, codes = np.unique(np.stack([first.codes[rows], second.codes[rows]]), return_inverse=True)
        names = list(map(first.names.__getitem__, used_codes.tolist()))
        positions = np.empty(len(names), dtype=np.int64)
        positions[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        left, right = positions[codes.reshape(2, -1)]
        swapped[rows] = left > right
    lower, higher = np.where(swapped, second.codes, first.codes), np.where(swapped, first.codes, second.codes)
    return combine_name_columns_as_tuples(NameColumn(first.names, lower), NameColumn(second.names, higher))


def combine_name_columns_as_tuples(first: NameColumn, second: NameColumn) -> NameColumn:
    """One column of tuples: the names or tuples of the first column, each extended by the name of the second."""
    width = max(len(second.names), 1)
    keys, codes = np.unique(first.codes * np.int64(width) + second.codes, return_inverse=True)
    left, right = (part.astype(np.int32) for part in np.divmod(keys, width))
    return NameColumn(NameTuples(first.names, second.names, left, right), codes)
