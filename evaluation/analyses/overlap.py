"""What several producers report in common: counts for Venn and UpSet diagrams, over all and against gold.

The gold standard can also be one of the producers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.shared_names import Reported, SharedNames, renumbered, shared_names
from evaluation.measures.agreement import Rows
from evaluation.measures.columns import Booleans, CallColumns, Coded, GoldColumns, Integers, RunColumns, coded


@dataclass(frozen=True, slots=True)
class Region:
    """What exactly these producers report (their places), and no other: items; right: how many of them are in gold."""

    producers: tuple[int, ...]
    items: int
    right: int | None = None


@dataclass(frozen=True, slots=True)
class Overlap:
    """regions: largest first, no empty one; missed: items of gold that no producer reports; both None without gold."""

    regions: Sequence[Region]
    missed: int | None = None

    def of(self, producers: Sequence[int]) -> Region:
        """What all of these report, whoever else does: an intersection of a Venn diagram, or a whole set."""
        wanted = frozenset(producers)
        inside = [region for region in self.regions if wanted <= frozenset(region.producers)]
        right = None if self.missed is None else sum(region.right or 0 for region in inside)
        return Region(tuple(sorted(wanted)), sum(region.items for region in inside), right)


def overlap(producers: Sequence[Reported], gold: GoldColumns | None = None) -> Overlap:
    """How many items of a document each set of producers, two or more, reports; an item in two documents counts twice.

    With gold only its documents count. ValueError for fewer than two producers.
    """
    if len(producers) < 2:
        raise ValueError("An overlap needs two producers or more; give another one.")
    every = [*producers, *([] if gold is None else [gold])]
    names = shared_names(every)
    sets, numbers = np.unique(membership([keys(own, names, gold) for own in every]), axis=0, return_counts=True)
    rows = dict(zip(map(tuple, sets.tolist()), numbers.tolist(), strict=True))
    return overlap_of(rows) if gold is None else overlap_with_gold(rows)


def overlap_of(rows: Rows) -> Overlap:
    """The same of items counted by who reports them."""
    found = [Region(places_in(row), number) for row, number in rows.items()]
    return Overlap(in_order(found))


def overlap_with_gold(rows: Rows) -> Overlap:
    """The same where the last place of each row tells whether the item is in gold."""
    items, hits = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for (*row, right), number in rows.items():
        items[places_in(row)] += number
        hits[places_in(row)] += number if right else 0
    missed = items.pop((), 0)
    return Overlap(in_order(Region(own, number, hits[own]) for own, number in items.items()), missed)


def places_in(row: Sequence[bool]) -> tuple[int, ...]:
    return tuple(place for place, reported in enumerate(row) if reported)


def in_order(found: Iterable[Region]) -> list[Region]:
    return sorted(found, key=lambda region: (-region.items, region.producers))


def keys(own: Reported, names: SharedNames, gold: GoldColumns | None) -> Integers:
    """int [rows]: one number for each document and item, of gold's documents if there is a gold standard."""
    if gold is None:
        return names.keys(own)
    return names.keys(own)[renumbered(own.document, gold.document.names) >= 0]


def membership(codes: Sequence[Integers]) -> Booleans:
    """bool [items, producers]: whether each producer reports the item."""
    every = np.unique(np.concatenate(codes))
    return np.column_stack([np.isin(every, own) for own in codes])


def as_items(calls: CallColumns) -> RunColumns:
    """The articles called relevant as items, so that classifications can be laid over each other, too."""
    return RunColumns(*relevant_articles(list(calls.article), calls.relevant.tolist()))


def gold_as_items(gold: dict[str, bool]) -> GoldColumns:
    """The relevant articles of a gold standard {article: relevant} as items; the others have none."""
    return GoldColumns(*relevant_articles(list(gold), list(gold.values())))


def relevant_articles(articles: list[str], relevant: list[bool]) -> tuple[Coded[str], Coded]:
    kept = np.flatnonzero(np.array(relevant, dtype=np.bool_))
    return Coded(articles, kept), coded("relevant" for _ in kept)
