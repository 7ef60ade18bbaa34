"""What several producers report in common: counts for Venn and UpSet diagrams, over all and against gold.

The gold standard can also be one of the producers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.shared_names import Reported, SharedNames, renumbered, shared_names
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
    table = membership([keys(own, names, gold) for own in every])
    if gold is None:
        return Overlap(regions(table, None))
    told = table[:, :-1].any(axis=1)
    return Overlap(regions(table[told, :-1], table[told, -1]), int((~told).sum()))


def keys(own: Reported, names: SharedNames, gold: GoldColumns | None) -> Integers:
    """int [rows]: one number for each document and item, of gold's documents if there is a gold standard."""
    if gold is None:
        return names.keys(own)
    return names.keys(own)[renumbered(own.document, gold.document.names) >= 0]


def membership(codes: Sequence[Integers]) -> Booleans:
    """bool [items, producers]: whether each producer reports the item."""
    every = np.unique(np.concatenate(codes))
    return np.column_stack([np.isin(every, own) for own in codes])


def regions(table: Booleans, right: Booleans | None) -> list[Region]:
    """The rows of the table counted by which producers they name."""
    sets, place = np.unique(table, axis=0, return_inverse=True)
    numbers = np.bincount(place.ravel(), minlength=len(sets)).tolist()
    hits = [None] * len(sets) if right is None else np.bincount(place.ravel()[right], minlength=len(sets)).tolist()
    found = [
        Region(tuple(np.flatnonzero(own).tolist()), number, hit)
        for own, number, hit in zip(sets, numbers, hits, strict=True)
    ]
    return sorted(found, key=lambda region: (-region.items, region.producers))


def as_items(calls: CallColumns) -> RunColumns:
    """The articles called relevant as items, so that classifications can be laid over each other, too."""
    return RunColumns(*relevant_articles(list(calls.article), calls.relevant.tolist()))


def gold_as_items(gold: dict[str, bool]) -> GoldColumns:
    """The relevant articles of a gold standard {article: relevant} as items; the others have none."""
    return GoldColumns(*relevant_articles(list(gold), list(gold.values())))


def relevant_articles(articles: list[str], relevant: list[bool]) -> tuple[Coded[str], Coded]:
    kept = np.flatnonzero(np.array(relevant, dtype=np.bool_))
    return Coded(articles, kept), coded("relevant" for _ in kept)
