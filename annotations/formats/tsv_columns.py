"""Columns of tab-separated values as arrays, fed block by block: names as codes, ranks, confidences, classes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from annotations.formats.tsv_names import Names, NameTuples

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

# What a number may be written with; Python alone would also take 1_0 and digits of other scripts.
INTEGER_BYTES = b"0123456789+- \t\r\v\f"
FLOAT_BYTES = INTEGER_BYTES + b".eE"
INTEGER = re.compile(r"[ \r\v\f]*[+-]?[0-9]{1,4000}[ \r\v\f]*")
FLOAT = re.compile(r"[ \r\v\f]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \r\v\f]*")
# Ranks from here on are kept by their order only; twice as many still fit 64 bits.
HUGE = 1 << 61
CLASSES = dict.fromkeys(("true", "t", "y", "+"), 1) | dict.fromkeys(("false", "f", "n", "-"), 0)
NO_CLASS = -1
# Names of Python take more memory than their bytes, so only those of so many rows are made at once.
ROWS = 1 << 18


@dataclass(frozen=True, slots=True)
class Named:
    """A column of names: row r says names[codes[r]]; names are distinct, text or tuples of texts; codes: int [rows]."""

    names: Sequence
    codes: Integers

    def __len__(self) -> int:
        return len(self.codes)


class Column(Protocol):
    """What the values of a column are gathered in."""

    def add(self, values: Sequence[str]) -> None: ...


class Codes:
    """A column of names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.parts: list[npt.NDArray[np.int32]] = []

    def add(self, values: Sequence[str]) -> None:
        number = self.names.numbers.__getitem__
        self.parts.append(np.fromiter(map(number, values), dtype=np.int32, count=len(values)))
        self.names.rest()

    def column(self) -> Named:
        names = self.names.names
        self.parts[:] = map(self.names.settled, self.parts)
        return Named(names, joined(self.parts, np.int64))


class Classes:
    """A column of classes: 1 relevant, 0 not, NO_CLASS anything else."""

    def __init__(self) -> None:
        self.parts: list[npt.NDArray[np.int8]] = []

    def add(self, values: Sequence[str]) -> None:
        known = {value: class_of(value) for value in set(values)}
        self.parts.append(np.fromiter(map(known.__getitem__, values), dtype=np.int8, count=len(values)))

    def column(self) -> Integers:
        return joined(self.parts, np.int64)


class Ranks:
    """A column of ranks; what is no whole number from 1 is 0."""

    def __init__(self) -> None:
        self.parts: list[Integers] = []
        self.huge: list[int] = []
        self.sound = True

    def add(self, values: Sequence[str]) -> None:
        try:
            if not made_of(values, INTEGER_BYTES):
                raise ValueError
            part = np.fromiter(map(int, values), dtype=np.int64, count=len(values))
            if part.max(initial=0) >= HUGE:
                raise OverflowError
        except (ValueError, OverflowError):
            part = np.array([self.number(value) for value in values], dtype=np.int64)
        part[part < 1] = 0
        self.sound &= bool(part.all())
        self.parts.append(part)

    def number(self, value: str) -> int:
        number = int(value) if INTEGER.fullmatch(value) else 0
        if number < HUGE:
            return max(number, 0)
        self.huge.append(number)
        return HUGE

    def column(self) -> Integers:
        """int [rows]; huge ranks have the order and the equality of their numbers, not their size."""
        ranks = joined(self.parts, np.int64)
        if self.huge:
            places = {number: place for place, number in enumerate(sorted(set(self.huge)))}
            ranks[ranks >= HUGE] = [HUGE + places[number] for number in self.huge]
        return ranks


class Numbers:
    """A column of finite numbers; what is none is not a number."""

    def __init__(self) -> None:
        self.parts: list[Floats] = []

    def add(self, values: Sequence[str]) -> None:
        self.parts.append(finite(values))

    def column(self) -> Floats:
        return joined(self.parts, np.float64)


class Confidences(Numbers):
    """A column of confidences; what is no number above 0 and up to 1 is not a number."""

    def add(self, values: Sequence[str]) -> None:
        part = finite(values)
        part[~((part > 0) & (part <= 1))] = np.nan
        self.parts.append(part)


class RanksOrConfidences:
    """A column of one of the two; which, the whole file tells."""

    def __init__(self) -> None:
        self.ranks, self.confidences = Ranks(), Confidences()

    def add(self, values: Sequence[str]) -> None:
        if self.ranks.sound:
            self.ranks.add(values)
        self.confidences.add(values)


def finite(values: Sequence[str]) -> Floats:
    """float [values]: not a number where the text is no finite one."""
    try:
        if not made_of(values, FLOAT_BYTES):
            raise ValueError
        part = np.fromiter(map(float, values), dtype=np.float64, count=len(values))
    except ValueError:
        part = np.array([float(value) if FLOAT.fullmatch(value) else np.nan for value in values])
    part[np.isinf(part)] = np.nan
    return part


def made_of(values: Sequence[str], allowed: bytes) -> bool:
    return not "\t".join(values).encode("utf-8", "surrogatepass").translate(None, allowed)


def class_of(value: str) -> int:
    """1 relevant, 0 not, in any of the ways to write a class; NO_CLASS for anything else. Of the integers 0 and 1."""
    if INTEGER.fullmatch(value):
        return int(value) if int(value) in (0, 1) else NO_CLASS
    return CLASSES.get(value.lower(), NO_CLASS)


def joined(parts: list[npt.NDArray], dtype: type) -> npt.NDArray:
    """One array of all parts, which takes their place so that memory holds them once."""
    if len(parts) != 1 or parts[0].dtype != dtype:
        parts[:] = [np.concatenate(parts, dtype=dtype) if parts else np.zeros(0, dtype=dtype)]
    return parts[0]


def sorted_pairs(first: Named, second: Named) -> Named:
    """Two columns that share their names as one of pairs, each pair sorted by name."""
    swapped = np.zeros(len(first), dtype=np.bool_)
    for start in range(0, len(first), ROWS):
        rows = slice(start, start + ROWS)
        known, codes = np.unique(np.stack([first.codes[rows], second.codes[rows]]), return_inverse=True)
        names = list(map(first.names.__getitem__, known.tolist()))
        place = np.empty(len(names), dtype=np.int64)
        place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        left, right = place[codes.reshape(2, -1)]
        swapped[rows] = left > right
    low, high = np.where(swapped, second.codes, first.codes), np.where(swapped, first.codes, second.codes)
    return tuples(Named(first.names, low), Named(second.names, high))


def tuples(first: Named, second: Named) -> Named:
    """A column of names or tuples and one of names as one of longer tuples, row by row."""
    wide = max(len(second.names), 1)
    keys, codes = np.unique(first.codes * np.int64(wide) + second.codes, return_inverse=True)
    left, right = (part.astype(np.int32) for part in np.divmod(keys, wide))
    return Named(NameTuples(first.names, second.names, left, right), codes)
