"""Common codes for several runs or gold standards: an equal key for an equal item of an equal document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from evaluation.measures.columns import CodedColumn, GoldColumns, Integers, Item, RunColumns
from evaluation.measures.lists.matching import locate_names

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
        return renumber_column(columns.document, self.documents) * self.item_stride + renumber_column(
            columns.item, self.items
        )


def collect_shared_names(runs: Sequence[ItemColumns]) -> SharedNames:
    """The names of all documents and items of these runs."""
    return SharedNames(
        list(dict.fromkeys(name for run in runs for name in run.document.names)),
        list(dict.fromkeys(name for run in runs for name in run.item.names)),
    )


def renumber_column(column: CodedColumn[ItemName], names: Sequence[Item]) -> Integers:
    """int [rows]: the index of each row's name among these names, -1 for none."""
    return locate_names(column.names, names)[column.codes]
