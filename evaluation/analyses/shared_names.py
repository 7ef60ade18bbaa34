"""Several runs or gold standards in one code space: the same number for the same item of the same document."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import Coded, GoldColumns, Integers, Item, RunColumns
from evaluation.measures.lists import places_among

Reported = RunColumns | GoldColumns


@dataclass(frozen=True, slots=True)
class SharedNames:
    """All documents and items of some runs, each in the order in which they first come."""

    documents: Sequence[str]
    items: Sequence[Item]

    @property
    def wide(self) -> np.int64:
        return np.int64(max(len(self.items), 1))

    def keys(self, own: Reported) -> Integers:
        """int [rows]: document times `wide` plus item, both by their places here."""
        return renumbered(own.document, self.documents) * self.wide + renumbered(own.item, self.items)


def shared_names(runs: Sequence[Reported]) -> SharedNames:
    """The names of all these runs."""
    return SharedNames(
        list(dict.fromkeys(name for run in runs for name in run.document.names)),
        list(dict.fromkeys(name for run in runs for name in run.item.names)),
    )


def renumbered(column: Coded, names: Sequence[Item]) -> Integers:
    """int [rows]: the place of each row's name among these names, -1 where it is none of them."""
    return places_among(column.names, names)[column.codes]
