"""The ranked lists of a run over the documents of a gold standard, in common item codes, and their hits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, groupby, islice, pairwise, repeat
from typing import overload

import numpy as np

from evaluation.measures.columns import (
    Booleans,
    CodedColumn,
    Floats,
    GoldColumns,
    Integers,
    Item,
    RunColumns,
)
from evaluation.measures.list_order import (
    ListOrder,
    choose_rank_else_confidence_else_line,
    get_order_values_smallest_surest,
)
from evaluation.measures.lists.ranking import RankedHits

MOST_SORTED_NUMBER = (1 << 63) - 1
# Python strings take much memory, so names are made for only this many rows at once.
NAMED_ROWS_AT_ONCE = 1 << 18
# Keys of this many rows fit into the cache of a processor.
MARKED_ROWS_AT_ONCE = 1 << 16
# Number of names looked up at once; each takes over a hundred bytes.
NAMES_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class GoldItems:
    """The gold items of the documents that are evaluated.

    documents: their names; document, item: int [gold items]: indexes of documents, never falling, and of the items of
    RankedLists.
    """

    documents: Sequence[str]
    document: Integers
    item: Integers

    @property
    def counts(self) -> Integers:
        """int [documents]: number of gold items of each."""
        return np.bincount(self.document, minlength=len(self.documents))


@dataclass(frozen=True, slots=True)
class RankedLists:
    """The lists of a run, one after the other in the order of the documents, each with the best item first.

    items: names of all items of gold and run; document, item: int [rows]; confidence: float [rows] or None.
    """

    items: Sequence[Item]
    document: Integers
    item: Integers
    confidence: Floats | None

    def __len__(self) -> int:
        return len(self.document)

    def select_rows(self, kept: Booleans | Integers) -> "RankedLists":
        """The rows of a mask, or those of indexes in their order."""
        confidence = None if self.confidence is None else self.confidence[kept]
        return replace(self, document=self.document[kept], item=self.item[kept], confidence=confidence)


class CombinedNames(Sequence[Item]):
    """All names of `first`, then those of `second` at `positions` (int [n], rising), without copies of the names."""

    def __init__(self, first: Sequence[Item], second: Sequence[Item], positions: Integers) -> None:
        self.first, self.second, self.positions = first, second, positions

    def __len__(self) -> int:
        return len(self.first) + len(self.positions)

    def __iter__(self) -> Iterator[Item]:
        kept = np.zeros(len(self.second), dtype=np.bool_)
        kept[self.positions] = True
        return chain(self.first, compress(self.second, kept))

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return self.first[number] if number < len(self.first) else self.second[self.positions[number - len(self.first)]]


@dataclass(frozen=True, slots=True)
class MatchedRun:
    """A run matched to a gold standard; unknown_documents: the run's documents outside it, in the run's order."""

    gold_items: GoldItems
    lists: RankedLists
    unknown_documents: Sequence[str]


def sort_run_lists_over_gold_documents(
    gold: GoldColumns, run: RunColumns, order: ListOrder | None = None, *, keep_documents_without_gold: bool = False
) -> MatchedRun:
    """The run's sorted lists over the documents that have gold items; rows of other documents are left out.

    keep_documents_without_gold: keep the gold standard's documents without gold items, too. ValueError when the order
    needs a column that the run does not have.
    """
    documents, gold_document = _index_evaluated_documents(gold, empty=keep_documents_without_gold)
    by_document = np.argsort(gold_document, kind="stable")
    gold_items = GoldItems(documents, gold_document[by_document], gold.item.codes[by_document])
    document_codes = locate_each_name_or_minus_one(run.document.names, documents)
    items, item = combine_item_names_and_recode_rows(gold.item.names, run.item)
    rows = np.flatnonzero(document_codes[run.document.codes] >= 0)
    reported = np.bincount(run.document.codes, minlength=len(document_codes)) > 0
    unknown = [run.document.names[code] for code in np.flatnonzero((document_codes < 0) & reported).tolist()]
    rows = rows[
        argsort_run_rows_by_document_then_surest(
            run, document_codes, items, item, rows, order or choose_rank_else_confidence_else_line(run)
        )
    ]
    confidence = None if run.confidence is None else run.confidence[rows]
    return MatchedRun(
        gold_items, RankedLists(items, document_codes[run.document.codes[rows]], item[rows], confidence), unknown
    )


def _index_evaluated_documents(gold: GoldColumns, *, empty: bool) -> tuple[list[str], Integers]:
    """The names of the evaluated documents, and int [gold items]: the index of each item's document among them."""
    used = (np.bincount(gold.document.codes, minlength=len(gold.document.names)) > 0) | empty
    names = [gold.document.names[code] for code in np.flatnonzero(used).tolist()]
    return names, (np.cumsum(used) - 1)[gold.document.codes]


def locate_each_name_or_minus_one(unique_names: Sequence[Item], unique_searched_names: Sequence[Item]) -> Integers:
    """int [unique_names]: the index of each name among unique_searched_names, -1 for none."""
    indexes = np.full(len(unique_names), -1)
    if len(unique_names) < len(unique_searched_names):
        found = locate_each_name_or_minus_one(unique_searched_names, unique_names)
        indexes[found[found >= 0]] = np.flatnonzero(found >= 0)
        return indexes
    remaining = enumerate(unique_searched_names)
    while index_of_name := {name: index for index, name in islice(remaining, NAMES_AT_ONCE)}:
        found = np.fromiter(map(index_of_name.get, unique_names, repeat(-1)), dtype=np.int64, count=len(unique_names))
        np.maximum(indexes, found, out=indexes)
    return indexes


def combine_item_names_and_recode_rows(
    first_names: Sequence[Item], second_column: CodedColumn[Item]
) -> tuple[Sequence[Item], Integers]:
    """All names, those of `first_names` in front, and the codes of the rows of `second_column` in them."""
    codes = locate_each_name_or_minus_one(second_column.names, first_names)
    new = np.flatnonzero(codes < 0)
    codes[new] = len(first_names) + np.arange(len(new))
    return CombinedNames(first_names, second_column.names, new), codes[second_column.codes]


def argsort_run_rows_by_document_then_surest(
    run: RunColumns,
    document_by_run_code: Integers,
    item_names: Sequence[Item],
    item_code_by_run_row: Integers,
    run_rows: Integers,
    order: ListOrder,
) -> Integers:
    """The order of these rows of the run, which rise: by document, then best first; equal values by the item's name."""
    document = document_by_run_code[run.document.codes[run_rows]]
    order_values = get_order_values_smallest_surest(run, order)
    if len(run_rows) < len(run):
        order_values = order_values[run_rows]
    sorted_rows = (
        np.arange(len(run_rows))
        if _is_sorted_by_document(document, order_values)
        else _argsort_by_document_then_value(document, order_values)
    )
    tied = _equals_next(document[sorted_rows]) & _equals_next(order_values[sorted_rows])
    if not tied.any():
        return sorted_rows
    tied_rows = np.flatnonzero(np.append(tied, False) | np.insert(tied, 0, False))
    group = np.cumsum(~np.insert(tied, 0, False)[tied_rows])
    starts = np.unique(np.searchsorted(group, group[::NAMED_ROWS_AT_ONCE])).tolist()
    for start, stop in pairwise([*starts, len(group)]):
        tied_slice = sorted_rows[tied_rows[start:stop]]
        by_name = np.lexsort(
            (
                alphabetical_name_position_of_each_row(item_names, item_code_by_run_row[run_rows[tied_slice]]),
                group[start:stop],
            )
        )
        sorted_rows[tied_rows[start:stop]] = tied_slice[by_name]
    return sorted_rows


def _equals_next(values: Integers | Floats) -> Booleans:
    """bool [rows - 1]: whether each value but the last equals the next one."""
    is_equal: Booleans = values[:-1] == values[1:]
    return is_equal


def _is_sorted_by_document(document: Integers, order_values: Integers | Floats) -> bool:
    """Whether the rows are already sorted by document and then surest first, as in most files."""
    steps = np.diff(document)
    return bool(((steps > 0) | ((steps == 0) & (order_values[1:] >= order_values[:-1]))).all())


def _argsort_by_document_then_value(document: Integers, order_values: Integers | Floats) -> Integers:
    """The stable order of the rows by document, then by value."""
    least, most = order_values.min(initial=0), order_values.max(initial=0)
    width = int(most - least) + 1
    if order_values.dtype == np.int64 and (int(document.max(initial=0)) + 1) * width <= MOST_SORTED_NUMBER:
        return _argsort_whole_numbers(document * width + (order_values - least).astype(np.int64, copy=False))
    by_value = np.argsort(order_values, kind="stable")
    return by_value[_argsort_whole_numbers(document[by_value])]


def _argsort_whole_numbers(numbers: Integers) -> Integers:
    """The stable order of the rows by these numbers, from 0, which are overwritten.

    Sorting the numbers with their rows in the lowest bits takes a fifth of the time of argsort.
    """
    row_bits = len(numbers).bit_length()
    if int(numbers.max(initial=0)) > MOST_SORTED_NUMBER >> row_bits:
        return np.argsort(numbers, kind="stable")
    numbers <<= row_bits
    numbers |= np.arange(len(numbers))
    numbers.sort()
    numbers &= (1 << row_bits) - 1
    return numbers


def alphabetical_name_position_of_each_row(item_names: Sequence[Item], item_code_by_row: Integers) -> Integers:
    """int [rows]: the position of each row's name among the sorted names of these rows."""
    codes, row = np.unique(item_code_by_row, return_inverse=True)
    names = list(map(item_names.__getitem__, codes.tolist()))
    positions = np.empty(len(names), dtype=np.int64)
    positions[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return positions[row]


def cut_ranked_lists_ignoring_missing_confidences(
    lists: RankedLists, cutoff_rank: int | None, min_confidence: float | None
) -> RankedLists:
    """Cut each list after `cutoff_rank` items, and before its first item with a lower confidence than `min_confidence`.

    None does not cut. A confidence does not cut a run without confidences.
    """
    if cutoff_rank is not None:
        lists = lists.select_rows(zero_based_positions_within_lists(lists.document) < cutoff_rank)
    if min_confidence is not None and lists.confidence is not None:
        lists = lists.select_rows(mask_rows_before_first_below_cut(lists.confidence < min_confidence, lists.document))
    return lists


def mask_rows_before_first_below_cut(is_below_cut: Booleans, sorted_document_by_row: Integers) -> Booleans:
    """bool [rows]: whether neither the row nor an earlier row of its list is below the cut."""
    so_far = np.cumsum(is_below_cut, dtype=np.int64)
    start = _list_start_rows(sorted_document_by_row)
    is_before: Booleans = so_far == so_far[start] - is_below_cut[start]
    return is_before


def zero_based_positions_within_lists(sorted_document_by_row: Integers) -> Integers:
    """int [rows]: the position of each row in its list, from 0; sorted_document_by_row never falls."""
    return np.arange(len(sorted_document_by_row)) - _list_start_rows(sorted_document_by_row)


def _list_start_rows(document: Integers) -> Integers:
    """int [rows]: the first row of each row's list; document never falls."""
    first = np.insert(np.diff(document) != 0, 0, True)[: len(document)]
    return np.maximum.accumulate(np.where(first, np.arange(len(document)), 0))


def group_codes_by_document(sorted_document_by_row: Integers, item_code_by_row: Integers) -> dict[int, list[int]]:
    """{document: its items in order}; sorted_document_by_row never falls."""
    pairs = zip(sorted_document_by_row.tolist(), item_code_by_row.tolist(), strict=True)
    return {index: [code for _, code in group] for index, group in groupby(pairs, key=lambda pair: pair[0])}


def mark_gold_items_in_ranked_lists(gold_items: GoldItems, lists: RankedLists) -> RankedHits:
    """The hits in the lists, from which all figures are computed."""
    width = np.int64(len(lists.items))
    gold_keys = np.append(np.sort(gold_items.document * width + gold_items.item), -1)
    hits = np.zeros(len(lists), dtype=np.bool_)
    for start in range(0, len(lists), MARKED_ROWS_AT_ONCE):
        rows = slice(start, start + MARKED_ROWS_AT_ONCE)
        result_keys = lists.document[rows] * width + lists.item[rows]
        hits[rows] = gold_keys[np.searchsorted(gold_keys[:-1], result_keys)] == result_keys
    return RankedHits(hits, np.bincount(lists.document, minlength=len(gold_items.documents)), gold_items.counts)


def select_documents_and_renumber(
    gold_items: GoldItems, lists: RankedLists, is_document_kept: Booleans
) -> tuple[GoldItems, RankedLists]:
    """The gold items and lists of the documents that are kept; is_document_kept: bool [documents]."""
    new_indexes = np.cumsum(is_document_kept) - 1
    names = [name for name, is_kept in zip(gold_items.documents, is_document_kept, strict=True) if is_kept]
    gold_kept = is_document_kept[gold_items.document]
    kept_items = GoldItems(names, new_indexes[gold_items.document[gold_kept]], gold_items.item[gold_kept])
    kept_lists = lists.select_rows(is_document_kept[lists.document])
    return kept_items, replace(kept_lists, document=new_indexes[kept_lists.document])
