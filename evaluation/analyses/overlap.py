"""The overlap of several producers: counts for Venn and UpSet diagrams, also against a gold standard.

The gold standard can also be one of the producers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.shared_names import ItemColumns, SharedNames, collect_shared_names, renumber_column
from evaluation.measures.agreement import PresenceCounts
from evaluation.measures.columns import (
    Booleans,
    CallColumns,
    CodedColumn,
    GoldColumns,
    Integers,
    Item,
    RunColumns,
    encode_column,
)


@dataclass(frozen=True, slots=True)
class OverlapRegion:
    """The items that exactly these producers (indexes) report; right: how many of them are in the gold standard."""

    producers: tuple[int, ...]
    items: int
    right: int | None = None


@dataclass(frozen=True, slots=True)
class Overlap:
    """regions: the non-empty ones, largest first; missed: gold items that no producer reports, None without gold."""

    regions: Sequence[OverlapRegion]
    missed: int | None = None

    def intersect_producers(self, producers: Sequence[int]) -> OverlapRegion:
        """The items that all of these report, with or without others: an intersection of sets, or a whole set."""
        producer_set = frozenset(producers)
        containing = [region for region in self.regions if producer_set <= frozenset(region.producers)]
        right = None if self.missed is None else sum(region.right or 0 for region in containing)
        return OverlapRegion(tuple(sorted(producer_set)), sum(region.items for region in containing), right)


def compute_overlap(producers: Sequence[ItemColumns], gold: GoldColumns | None = None) -> Overlap:
    """Count the items that each combination of producers reports; an item in two documents counts twice.

    With a gold standard, only its documents count. ValueError for fewer than two producers.
    """
    if len(producers) < 2:
        raise ValueError("An overlap needs two or more producers; add another one.")
    all_columns = [*producers, *([] if gold is None else [gold])]
    names = collect_shared_names(all_columns)
    patterns, item_counts = np.unique(
        build_membership_matrix([overlap_item_keys(columns, names, gold) for columns in all_columns]),
        axis=0,
        return_counts=True,
    )
    rows = dict(zip(map(tuple, patterns.tolist()), item_counts.tolist(), strict=True))
    return overlap_from_presence(rows) if gold is None else overlap_from_presence_with_gold(rows)


def overlap_from_presence(rows: PresenceCounts) -> Overlap:
    """The overlap from the number of items by which producers report them."""
    regions = [OverlapRegion(list_reporting_producers(row), number) for row, number in rows.items()]
    return Overlap(sort_regions(regions))


def overlap_from_presence_with_gold(rows: PresenceCounts) -> Overlap:
    """The overlap from presence counts whose last flag is whether the item is in the gold standard."""
    items, hits = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for (*row, is_gold), number in rows.items():
        items[list_reporting_producers(row)] += number
        hits[list_reporting_producers(row)] += number if is_gold else 0
    missed = items.pop((), 0)
    return Overlap(
        sort_regions(OverlapRegion(reporting, number, hits[reporting]) for reporting, number in items.items()), missed
    )


def list_reporting_producers(row: Sequence[bool]) -> tuple[int, ...]:
    return tuple(index for index, reported in enumerate(row) if reported)


def sort_regions(regions: Iterable[OverlapRegion]) -> list[OverlapRegion]:
    return sorted(regions, key=lambda region: (-region.items, region.producers))


def overlap_item_keys(columns: ItemColumns, names: SharedNames, gold: GoldColumns | None) -> Integers:
    """int [rows]: a key for each document and item; with a gold standard, only of rows in its documents."""
    if gold is None:
        return names.document_item_keys(columns)
    return names.document_item_keys(columns)[renumber_column(columns.document, gold.document.names) >= 0]


def build_membership_matrix(keys: Sequence[Integers]) -> Booleans:
    """bool [items, producers]: whether each producer reports the item."""
    all_keys = np.unique(np.concatenate(keys))
    return np.column_stack([np.isin(all_keys, producer_keys) for producer_keys in keys])


def convert_calls_to_items(calls: CallColumns) -> RunColumns:
    """The articles called relevant as items, so that the overlap of classifications can be computed."""
    return RunColumns(*build_relevant_article_columns(list(calls.article), calls.relevant.tolist()))


def convert_gold_labels_to_items(gold: dict[str, bool]) -> GoldColumns:
    """The relevant articles of a gold standard {article: relevant} as items; the other articles have none."""
    return GoldColumns(*build_relevant_article_columns(list(gold), list(gold.values())))


def build_relevant_article_columns(
    articles: list[str], relevant: list[bool]
) -> tuple[CodedColumn[str], CodedColumn[Item]]:
    kept = np.flatnonzero(np.array(relevant, dtype=np.bool_))
    return CodedColumn(articles, kept), encode_column("relevant" for _ in kept)
