"""Common codes for several runs or gold standards: an equal key for an equal item of an equal document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from evaluation.measures.columns import CodedColumn, GoldColumns, Integers, Item, RunColumns
from evaluation.measures.lists.matching import locate_each_name_or_minus_one

ItemColumns = RunColumns | GoldColumns
ItemName = TypeVar("ItemName", bound=Item)


@dataclass(frozen=True, slots=True)
class SharedNames:
    """All documents and items of some runs, in the order of their first occurrence."""

    documents: Sequence[str]
    items: Sequence[Item]

    @property
    def item_stride(self) -> np.int64:
        return np.int64(max(len(self.items), 1))

    def document_item_keys(self, columns: ItemColumns) -> Integers:
        """int [rows]: document times item_stride plus item, both as indexes of these names."""
        return recode_column_by_names_or_minus_one(
            columns.document, self.documents
        ) * self.item_stride + recode_column_by_names_or_minus_one(columns.item, self.items)


def collect_union_of_names(runs_and_gold: Sequence[ItemColumns]) -> SharedNames:
    """The names of all documents and items of these runs and the gold standard."""
    return SharedNames(
        list(dict.fromkeys(name for run in runs_and_gold for name in run.document.names)),
        list(dict.fromkeys(name for run in runs_and_gold for name in run.item.names)),
    )


def recode_column_by_names_or_minus_one(column: CodedColumn[ItemName], names: Sequence[Item]) -> Integers:
    """int [rows]: the index of each row's name among these names, -1 for none."""
    return locate_each_name_or_minus_one(column.names, names)[column.codes]
