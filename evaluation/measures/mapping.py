"""Homonym orthologs, organisms and Swiss-Prot: which accession counts as which, and which does not count at all.

Source: BioCreative evaluation library 3.2, and the scenarios of BioCreative II.5 (Leitner et al. 2010, IEEE/ACM
Transactions on Computational Biology and Bioinformatics 7: 385-399). All work on lists in order, document by document;
a pair is right or kept by both its partners.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from evaluation.measures.columns import Booleans, Integers, Item
from evaluation.measures.lists import Lists, Right, codes_by_document
from evaluation.measures.spans import Span


def accessions(item: Item) -> tuple[str, ...]:
    """The accessions that an item names: one, or the two partners of a pair. ValueError for a mention."""
    if isinstance(item, Span):
        raise ValueError("Mentions have no accessions; homonyms, organisms and Swiss-Prot are for identifiers only.")
    return (item,) if isinstance(item, str) else item


def map_homonyms(right: Right, lists: Lists, homonyms: Mapping[str, Sequence[str]]) -> Lists:
    """Lists in which a result that is a homonym ortholog of right items of its document stands for them.

    homonyms: {gold accession: accessions that count as it}, read in this direction only and not onwards. A result that
    is itself right stays. One that stands for several right items is replaced by all of them, the last by name first.
    Of equal items the best placed stays, with its confidence.
    """
    table = homonym_table(right, lists, homonyms)
    keys = lists.document * np.int64(len(lists.items)) + lists.item
    place = np.searchsorted(table.keys, keys)
    replaced = np.append(table.keys, -1)[place] == keys
    numbers = np.where(replaced, np.append(table.numbers, 1)[place], 1)
    mapped = lists.where(np.repeat(np.arange(len(lists)), numbers))
    first = np.append(np.cumsum(table.numbers) - table.numbers, 0)[place]
    within = np.arange(len(mapped)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    meant = np.append(table.items, 0)[np.where(np.repeat(replaced, numbers), np.repeat(first, numbers) + within, -1)]
    items = np.where(np.repeat(replaced, numbers), meant, mapped.item)
    return first_of_equals(Lists(lists.items, mapped.document, items, mapped.confidence))


@dataclass(frozen=True, slots=True)
class HomonymTable:
    """What stands for other items: keys: int [n], sorted, document times the number of items plus item; numbers: how
    many right items each stands for; items: int [sum of numbers], those, one key after the other.
    """

    keys: Integers
    numbers: Integers
    items: Integers


def homonym_table(right: Right, lists: Lists, homonyms: Mapping[str, Sequence[str]]) -> HomonymTable:
    """The homonyms of the right items of each document, as far as they are items at all."""
    numbers = {name: number for number, name in enumerate(lists.items)}
    meant = {
        document * len(lists.items) + numbers[item]: [numbers[name] for name in names]
        for document, codes in codes_by_document(right.document, right.item).items()
        for item, names in meanings([lists.items[code] for code in codes], homonyms).items()
        if item in numbers
    }
    keys = sorted(meant)
    return HomonymTable(
        np.array(keys, dtype=np.int64),
        np.array([len(meant[key]) for key in keys], dtype=np.int64),
        np.array([code for key in keys for code in meant[key]], dtype=np.int64),
    )


def meanings(right: Sequence[Item], homonyms: Mapping[str, Sequence[str]]) -> dict[Item, list[Item]]:
    """The right items of one document that each other item stands for, the last by name first."""
    meant: defaultdict[Item, list[Item]] = defaultdict(list)
    for item in sorted(right, key=accessions, reverse=True):
        for homonym in dict.fromkeys(homonyms_of(item, homonyms)):
            meant[homonym].append(item)
    return {item: names for item, names in meant.items() if item not in right}


def homonyms_of(item: Item, homonyms: Mapping[str, Sequence[str]]) -> list[Item]:
    """What counts as this item: for a pair every combination of its partners and their homonyms, itself among them."""
    partners = accessions(item)
    if len(partners) == 1:
        return list(homonyms.get(partners[0], ()))
    first, second = ([partner, *homonyms.get(partner, ())] for partner in partners)
    return [(a, b) if a <= b else (b, a) for a, b in product(first, second)]


def first_of_equals(lists: Lists) -> Lists:
    """Without the items that stand higher up in the same list."""
    _, first = np.unique(lists.document * np.int64(len(lists.items)) + lists.item, return_index=True)
    return lists.where(np.sort(first))


def filter_organisms(right: Right, lists: Lists, organisms: Mapping[str, str]) -> Lists:
    """Lists without what is of no organism of the right items of its document; an accession without one is removed.

    organisms: {accession: taxon}. ValueError when a right item of a document that has results has no organism.
    """
    numbers = {taxon: number for number, taxon in enumerate(dict.fromkeys(organisms.values()), 1)}
    taxa = np.array([taxa_of(item, organisms, numbers) for item in lists.items], dtype=np.int64).reshape(-1, 2)
    answered = np.isin(right.document, lists.document)
    for code in right.item[answered & (taxa[right.item] == 0).any(axis=1)].tolist():
        for name in accessions(lists.items[code]):
            organism(name, organisms)
    wide = np.int64(len(numbers) + 1)
    allowed = np.unique(right.document[:, None] * wide + taxa[right.item])
    own = taxa[lists.item]
    inside = np.isin(lists.document[:, None] * wide + own, allowed) & (own > 0)
    return lists.where(inside[:, 0] & inside[:, 1])


def taxa_of(item: Item, organisms: Mapping[str, str], numbers: Mapping[str, int]) -> tuple[int, int]:
    """The numbers of the organisms of the two partners, of a single accession twice the same; 0 where it has none."""
    taxa = [numbers[organisms[name]] if name in organisms else 0 for name in accessions(item)]
    return taxa[0], taxa[-1]


def organism(accession: str, organisms: Mapping[str, str]) -> str:
    if accession not in organisms:
        raise ValueError(
            f"The gold accession {accession} has no organism; give its taxon in the organism map to filter by organism."
        )
    return organisms[accession]


def keep_accessions(lists: Lists, known: Collection[str]) -> Lists:
    """Lists without the results of which an accession is not among those known (results from Swiss-Prot only)."""
    return lists.where(all_known(lists.items, known)[lists.item])


def documents_within(right: Right, items: Sequence[Item], known: Collection[str]) -> Booleans:
    """bool [documents]: whether all accessions of its right items are known (Swiss-Prot only articles)."""
    outside = ~all_known(items, known)[right.item]
    return np.bincount(right.document, weights=outside, minlength=len(right.documents)) == 0


def all_known(items: Sequence[Item], known: Collection[str]) -> Booleans:
    """bool [items]: whether all accessions of the item are known."""
    names = frozenset(known)
    return np.array([names.issuperset(accessions(item)) for item in items], dtype=np.bool_)
