"""A run and a gold standard as columns: names once, and numbers for who said what where.

Ten million results fit in memory this way, and every step over them is one numpy operation. Documents and items keep
their names, because ties of confidence are broken by the name of the item.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from evaluation.measures.spans import Span

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]

# What is found in a document: an identifier, the two of an interaction, sorted, or a mention.
Item = str | tuple[str, str] | Span
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Coded(Generic[Name]):
    """A column of names: row r says names[codes[r]]. names are distinct; codes: int [rows]; a name may have no row."""

    names: Sequence[Name]
    codes: Integers

    def __len__(self) -> int:
        return len(self.codes)


def coded(values: Iterable[Name]) -> Coded[Name]:
    """The column of these values, names in the order of their first row. Cost: linear in rows."""
    numbers: defaultdict[Name, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.int64)
    return Coded(list(numbers), codes)


@dataclass(frozen=True, slots=True)
class GoldColumns:
    """What is right, one row for each item of a document; no row twice. A document without a row has no right item."""

    document: Coded[str]
    item: Coded[Item]


@dataclass(frozen=True, slots=True)
class RunColumns:
    """What a run reports, one row for each line of its file, in the order of the file, in which documents may mix.

    rank: int [rows], positive, no two equal in a document, or None when the file has no ranks (only their order counts,
    so a rank beyond 64 bits may be given as its place among the ranks); confidence: float [rows] in (0, 1], or None.
    """

    document: Coded[str]
    item: Coded[Item]
    rank: Integers | None = None
    confidence: Floats | None = None

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True)
class CallColumns:
    """What a run says of whole articles (ACT): one row for each, no article twice.

    relevant: bool [rows]; rank: int [rows], no two equal in a class, or None; confidence: float [rows] in (0, 1] or
    None.
    """

    article: Sequence[str]
    relevant: Booleans
    rank: Integers | None = None
    confidence: Floats | None = None

    def __len__(self) -> int:
        return len(self.article)
