"""A run and a gold standard as columns of integer codes, with each name stored once.

Ten million results fit in memory this way, and every step over them is one numpy operation. Documents and items keep
their names because ties of confidence are broken by the name of the item.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from annotations.schema import Span

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]


class MentionItem(NamedTuple):
    """A mention of a type, or with a link. name: the type or the CURIE, "" if only the text that it covers counts."""

    parts: tuple[Span, ...]
    name: str = ""

    @property
    def whole(self) -> Span:
        """From the start of the first part to the end of the last."""
        return Span(self.parts[0].start, self.parts[-1].end)


class RelationItem(NamedTuple):
    """A relation of named entities; what does not count in a task has its default.

    arguments: the CURIEs, sorted unless their order counts; with roles, `role=CURIE`.
    """

    arguments: tuple[str, ...]
    type: str = ""
    directed: bool = False
    novelty: str = ""
    negated: bool = False


class LabelItem(NamedTuple):
    """A label of the document, where it has to be told from an identifier."""

    value: str


# What is annotated in a document: an identifier, the two identifiers of an interaction pair, sorted, a mention of a
# gene, or one of the three above.
Item = str | tuple[str, str] | Span | MentionItem | RelationItem | LabelItem
ColumnName = TypeVar("ColumnName", bound=Hashable)


@dataclass(frozen=True, slots=True)
class CodedColumn(Generic[ColumnName]):
    """A column of names: row r holds names[codes[r]]. names are distinct; codes: int [rows]; a name may have no row."""

    names: Sequence[ColumnName]
    codes: Integers

    def __len__(self) -> int:
        return len(self.codes)


def encode_column(values: Iterable[ColumnName]) -> CodedColumn[ColumnName]:
    """Encode the values as a column, names in the order of their first row. Linear in rows."""
    numbers: defaultdict[ColumnName, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.int64)
    return CodedColumn(list(numbers), codes)


@dataclass(frozen=True, slots=True)
class GoldColumns:
    """A gold standard: one row for each item of a document, no row twice. A document without a row has no gold item."""

    document: CodedColumn[str]
    item: CodedColumn[Item]


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The predictions of a run: one row for each line of its file, in the order of the file; documents may alternate.

    rank: int [rows], positive, no two equal in a document, or None when the file has no ranks (only their order counts,
    so a rank beyond 64 bits may be replaced by its position among the ranks); confidence: float [rows] in (0, 1], or
    None.
    """

    document: CodedColumn[str]
    item: CodedColumn[Item]
    rank: Integers | None = None
    confidence: Floats | None = None

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True)
class GoldRunColumns:
    """A gold standard and a run as columns; articles in the order of the gold standard."""

    gold: GoldColumns
    run: RunColumns


@dataclass(frozen=True, slots=True)
class CallColumns:
    """The calls of a run on whole articles (ACT): one row for each article, no article twice.

    relevant: bool [rows]; rank: int [rows], no two equal in a class, or None; confidence: float [rows] in (0, 1] or
    None.
    """

    article: Sequence[str]
    relevant: Booleans
    rank: Integers | None = None
    confidence: Floats | None = None

    def __len__(self) -> int:
        return len(self.article)
