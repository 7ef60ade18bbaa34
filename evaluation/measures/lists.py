"""The ranked lists of a run over the documents of a gold standard, in one code space, and what in them is right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, groupby, islice, pairwise, repeat
from typing import overload

import numpy as np

from evaluation.measures.columns import Booleans, Coded, Floats, GoldColumns, Integers, Item, RunColumns, coded
from evaluation.measures.order import Order, best_order, chosen
from evaluation.measures.ranking import RankedHits

# Names of Python take more memory than their bytes, so only those of so many rows are made at once.
ROWS = 1 << 18
# So many names are looked for at once; each takes over a hundred bytes then.
NAMES = 1 << 20


@dataclass(frozen=True, slots=True)
class Right:
    """The right items of the documents that are evaluated.

    documents: their names; document, item: int [right items], the first into documents and never falling, the second
    into the items of the Lists.
    """

    documents: Sequence[str]
    document: Integers
    item: Integers

    @property
    def counts(self) -> Integers:
        """int [documents]: right items of each."""
        return np.bincount(self.document, minlength=len(self.documents))


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of a run, one after the other in the order of the documents, each best first.

    items: names of all items of gold and run; document, item: int [rows]; confidence: float [rows] or None.
    """

    items: Sequence[Item]
    document: Integers
    item: Integers
    confidence: Floats | None

    def __len__(self) -> int:
        return len(self.document)

    def where(self, kept: Booleans | Integers) -> "Lists":
        """The rows that are kept, or all rows in another order."""
        confidence = None if self.confidence is None else self.confidence[kept]
        return replace(self, document=self.document[kept], item=self.item[kept], confidence=confidence)


class NamesOfTwo(Sequence[Item]):
    """All names of `first`, then those of `second` at these places (int [n], rising), none of them held twice."""

    def __init__(self, first: Sequence[Item], second: Sequence[Item], places: Integers) -> None:
        self.first, self.second, self.places = first, second, places

    def __len__(self) -> int:
        return len(self.first) + len(self.places)

    def __iter__(self) -> Iterator[Item]:
        kept = np.zeros(len(self.second), dtype=np.bool_)
        kept[self.places] = True
        return chain(self.first, compress(self.second, kept))

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> list[Item]: ...

    def __getitem__(self, place: int | slice) -> Item | list[Item]:
        if isinstance(place, slice):
            return [self[own] for own in range(*place.indices(len(self)))]
        own = range(len(self))[place]
        return self.first[own] if own < len(self.first) else self.second[self.places[own - len(self.first)]]


@dataclass(frozen=True, slots=True)
class Matched:
    """A run laid beside a gold standard; unknown: its documents that gold does not know, in the run's order."""

    right: Right
    lists: Lists
    unknown: Sequence[str]


def match(gold: GoldColumns, run: RunColumns, order: Order | None = None, *, empty: bool = False) -> Matched:
    """The run's lists in order over the documents that have right items; rows of other documents are left out.

    empty: the gold standard's documents without right items stay, too. ValueError when the order asked for needs a
    column that the run has not.
    """
    names, document = known_documents(gold, empty=empty)
    by_document = np.argsort(document, kind="stable")
    right = Right(names, document[by_document], gold.item.codes[by_document])
    theirs = places_among(run.document.names, names)
    items, item = joined(gold.item.names, run.item)
    rows = np.flatnonzero(theirs[run.document.codes] >= 0)
    reported = np.bincount(run.document.codes, minlength=len(theirs)) > 0
    unknown = [run.document.names[code] for code in np.flatnonzero((theirs < 0) & reported).tolist()]
    rows = rows[list_order(run, theirs, items, item, rows, order or best_order(run))]
    confidence = None if run.confidence is None else run.confidence[rows]
    return Matched(right, Lists(items, theirs[run.document.codes[rows]], item[rows], confidence), unknown)


def known_documents(gold: GoldColumns, *, empty: bool) -> tuple[list[str], Integers]:
    """Names of the documents that have right items or may be empty, and the place there of each right item's."""
    used = (np.bincount(gold.document.codes, minlength=len(gold.document.names)) > 0) | empty
    names = [gold.document.names[code] for code in np.flatnonzero(used).tolist()]
    return names, (np.cumsum(used) - 1)[gold.document.codes]


def places_among(names: Sequence[Item], others: Sequence[Item]) -> Integers:
    """int [names]: the place of each name among the others, -1 where it is none of them; no name is twice in either."""
    found = np.full(len(names), -1)
    if len(names) < len(others):
        places = places_among(others, names)
        found[places[places >= 0]] = np.flatnonzero(places >= 0)
        return found
    numbered = enumerate(others)
    while some := {name: place for place, name in islice(numbered, NAMES)}:
        places = np.fromiter(map(some.get, names, repeat(-1)), dtype=np.int64, count=len(names))
        np.maximum(found, places, out=found)
    return found


def joined(first: Sequence[Item], second: Coded[Item]) -> tuple[Sequence[Item], Integers]:
    """All names, those of `first` in front, and the rows of `second` as numbers of them."""
    numbers = places_among(second.names, first)
    new = np.flatnonzero(numbers < 0)
    numbers[new] = len(first) + np.arange(len(new))
    return NamesOfTwo(first, second.names, new), numbers[second.codes]


def list_order(
    run: RunColumns, documents: Integers, items: Sequence[Item], item: Integers, rows: Integers, order: Order
) -> Integers:
    """The order of these rows of the run: by document, then best first; equal confidence by the name of the item."""
    document, unsure = documents[run.document.codes[rows]], chosen(run, order)[rows]
    placed = np.arange(len(rows)) if in_order(document, unsure) else np.lexsort((unsure, document))
    tied = (np.diff(document[placed]) == 0) & (np.diff(unsure[placed]) == 0)
    if not tied.any():
        return placed
    alike = np.flatnonzero(np.append(tied, False) | np.insert(tied, 0, False))
    group = np.cumsum(~np.insert(tied, 0, False)[alike])
    starts = np.unique(np.searchsorted(group, group[::ROWS])).tolist()
    for start, stop in pairwise([*starts, len(group)]):
        own = placed[alike[start:stop]]
        by_name = np.lexsort((places_of_names(items, item[rows[own]]), group[start:stop]))
        placed[alike[start:stop]] = own[by_name]
    return placed


def in_order(document: Integers, unsure: Integers | Floats) -> bool:
    """Whether the rows stand by document and, within one, surest first, as in most files."""
    steps = np.diff(document)
    return bool(((steps > 0) | ((steps == 0) & (unsure[1:] >= unsure[:-1]))).all())


def places_of_names(items: Sequence[Item], item: Integers) -> Integers:
    """int [rows of item]: the place of each row's name among the sorted names of all these rows."""
    codes, row = np.unique(item, return_inverse=True)
    names = list(map(items.__getitem__, codes.tolist()))
    places = np.empty(len(names), dtype=np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return places[row]


def cut(lists: Lists, rank: int | None, confidence: float | None) -> Lists:
    """Each list without what comes after `rank` items, and without its first item below `confidence` and all after it.

    None does not cut; a confidence does not cut a run without confidences.
    """
    if rank is not None:
        lists = lists.where(places(lists.document) < rank)
    if confidence is not None and lists.confidence is not None:
        lists = lists.where(before_first(lists.confidence < confidence, lists.document))
    return lists


def before_first(below: Booleans, document: Integers) -> Booleans:
    """bool [rows]: whether neither the row nor one above it in its list is below the cut."""
    so_far = np.cumsum(below, dtype=np.int64)
    start = list_starts(document)
    return so_far == so_far[start] - below[start]


def places(document: Integers) -> Integers:
    """int [rows]: the place of each row in its list, from 0; document never falls."""
    return np.arange(len(document)) - list_starts(document)


def list_starts(document: Integers) -> Integers:
    """int [rows]: the row with which each row's list begins; document never falls."""
    first = np.insert(np.diff(document) != 0, 0, True)[: len(document)]
    return np.maximum.accumulate(np.where(first, np.arange(len(document)), 0))


def codes_by_document(document: Integers, item: Integers) -> dict[int, list[int]]:
    """The items of each document in order; document never falls."""
    pairs = zip(document.tolist(), item.tolist(), strict=True)
    return {number: [code for _, code in group] for number, group in groupby(pairs, key=lambda pair: pair[0])}


def counted(right: Right, lists: Lists) -> RankedHits:
    """What is right in the lists, counted once for all figures."""
    wide = np.int64(len(lists.items))
    wanted, reported = np.sort(right.document * wide + right.item), lists.document * wide + lists.item
    near = np.searchsorted(wanted, reported)
    hits = np.append(wanted, -1)[near] == reported
    return RankedHits(hits, np.bincount(lists.document, minlength=len(right.documents)), right.counts)


def only_documents(right: Right, lists: Lists, kept: Booleans) -> tuple[Right, Lists]:
    """Right items and lists of the documents kept: bool [documents]."""
    numbers = np.cumsum(kept) - 1
    names = [name for name, keep in zip(right.documents, kept, strict=True) if keep]
    of_gold = kept[right.document]
    narrowed = Right(names, numbers[right.document[of_gold]], right.item[of_gold])
    of_run = lists.where(kept[lists.document])
    return narrowed, replace(of_run, document=numbers[of_run.document])


def named_hits(
    right: Sequence[tuple[str, str]], documents: Sequence[str], items: Sequence[str], ranks: Sequence[int]
) -> RankedHits:
    """The table of hits straight from names, for who has rows of strings and ranks and needs no scenario.

    right: (document, item), no two equal; documents, items, ranks: [rows], ranks different within a document. Documents
    stand in the order of `right`. It gives what `evaluated` gives, without numbering the items that nobody looks for.
    """
    gold, wanted = coded([name for name, _ in right]), frozenset(right)
    numbers = dict(zip(gold.names, range(len(gold.names)), strict=True))
    document = np.fromiter(map(numbers.get, documents, repeat(-1)), dtype=np.int64, count=len(documents))
    hits = np.fromiter(map(wanted.__contains__, zip(documents, items, strict=True)), dtype=np.bool_)
    order = np.lexsort((np.fromiter(ranks, dtype=np.int64), document))
    order = order[document[order] >= 0]
    lengths = np.bincount(document[order], minlength=len(gold.names))
    return RankedHits(hits[order], lengths, np.bincount(gold.codes, minlength=len(gold.names)))
