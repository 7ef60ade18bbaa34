"""The overlap of several producers: counts for Venn and UpSet diagrams, also against a gold standard.

The gold standard can also be one of the producers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.shared_names import (
    ItemColumns,
    SharedNames,
    collect_union_of_names,
    recode_column_by_names_or_minus_one,
)
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


def count_items_by_producer_combination(producers: Sequence[ItemColumns], gold: GoldColumns | None = None) -> Overlap:
    """Count the items that each combination of producers reports; an item in two documents counts twice.

    With a gold standard, only its documents count. ValueError for fewer than two producers.
    """
    if len(producers) < 2:
        raise ValueError("An overlap needs two or more producers; add another one.")
    all_columns = [*producers, *([] if gold is None else [gold])]
    names = collect_union_of_names(all_columns)
    patterns, item_counts = np.unique(
        _build_membership_matrix([_overlap_item_keys(columns, names, gold) for columns in all_columns]),
        axis=0,
        return_counts=True,
    )
    rows = dict(zip(map(tuple, patterns.tolist()), item_counts.tolist(), strict=True))
    return overlap_from_presence(rows) if gold is None else build_overlap_from_presence_with_gold(rows)


def overlap_from_presence(presence_counts: PresenceCounts) -> Overlap:
    """The overlap from the number of items by which producers report them."""
    regions = [OverlapRegion(_list_reporting_producers(row), number) for row, number in presence_counts.items()]
    return Overlap(_sort_regions(regions))


def build_overlap_from_presence_with_gold(presence_counts_gold_last: PresenceCounts) -> Overlap:
    """The overlap from presence counts whose last flag is whether the item is in the gold standard."""
    items, hits = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for (*row, is_gold), number in presence_counts_gold_last.items():
        items[_list_reporting_producers(row)] += number
        hits[_list_reporting_producers(row)] += number if is_gold else 0
    missed = items.pop((), 0)
    return Overlap(
        _sort_regions(OverlapRegion(reporting, number, hits[reporting]) for reporting, number in items.items()), missed
    )


def _list_reporting_producers(row: Sequence[bool]) -> tuple[int, ...]:
    return tuple(index for index, reported in enumerate(row) if reported)


def _sort_regions(regions: Iterable[OverlapRegion]) -> list[OverlapRegion]:
    return sorted(regions, key=lambda region: (-region.items, region.producers))


def _overlap_item_keys(columns: ItemColumns, names: SharedNames, gold: GoldColumns | None) -> Integers:
    """int [rows]: a key for each document and item; with a gold standard, only of rows in its documents."""
    if gold is None:
        return names.document_item_keys(columns)
    return names.document_item_keys(columns)[
        recode_column_by_names_or_minus_one(columns.document, gold.document.names) >= 0
    ]


def _build_membership_matrix(keys: Sequence[Integers]) -> Booleans:
    """bool [items, producers]: whether each producer reports the item."""
    all_keys = np.unique(np.concatenate(keys))
    return np.column_stack([np.isin(all_keys, producer_keys) for producer_keys in keys])


def convert_relevant_calls_to_items(calls: CallColumns) -> RunColumns:
    """The articles called relevant as items, so that the overlap of classifications can be computed."""
    return RunColumns(*_build_relevant_article_columns(list(calls.article), calls.relevant.tolist()))


def convert_relevant_gold_labels_to_items(gold: dict[str, bool]) -> GoldColumns:
    """The relevant articles of a gold standard {article: relevant} as items; the other articles have none."""
    return GoldColumns(*_build_relevant_article_columns(list(gold), list(gold.values())))


def _build_relevant_article_columns(
    articles: list[str], relevant: list[bool]
) -> tuple[CodedColumn[str], CodedColumn[Item]]:
    kept = np.flatnonzero(np.array(relevant, dtype=np.bool_))
    return CodedColumn(articles, kept), encode_column("relevant" for _ in kept)
