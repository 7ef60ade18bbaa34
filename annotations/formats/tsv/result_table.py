"""The table that all readers of result files return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotations.formats.errors import FormatError
from annotations.formats.tsv.columns import Booleans, Floats, Integers, NameColumn

ExtraColumn = Literal["rank", "confidence"]


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The results of a file, one per row.

    item: the result for the article: an identifier, a span, (A, B) sorted, or (A, B, passage); None for ACT. relevant:
    bool [rows], for ACT and judgements, which also have best. rank: int [rows] from 1; confidence: float [rows] above 0
    and at most 1; None if the file has none. repairs: faults that were repaired while reading.
    """

    article: NameColumn
    item: NameColumn | None = None
    relevant: Booleans | None = None
    best: Booleans | None = None
    rank: Integers | None = None
    confidence: Floats | None = None
    warnings: Sequence[FormatError] = ()
    repairs: Sequence[FormatError] = ()

    def __len__(self) -> int:
        return len(self.article)

    @property
    def extras(self) -> tuple[ExtraColumn, ...]:
        """Which of rank and confidence the file has."""
        rank: tuple[ExtraColumn, ...] = () if self.rank is None else ("rank",)
        return rank if self.confidence is None else (*rank, "confidence")


@dataclass(frozen=True, slots=True)
class DocumentResults:
    """A run or a gold standard; note: how the file was interpreted, may be empty."""

    table: ResultTable
    note: str
