"""Homonym orthologs, organisms and Swiss-Prot: which accession counts as which, and which does not count at all.

Source: BioCreative evaluation library 3.2 and the scenarios of DOMAIN section 7. All work on lists in order, document
by document; a pair is right or kept by both its partners.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import product

import numpy as np

from evaluation.measures.columns import Booleans, Item
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
    numbers = {name: number for number, name in enumerate(lists.items)}
    gold = codes_by_document(right.document, right.item)
    rows, items = [], []
    for document, codes in codes_by_document(lists.document, lists.item).items():
        meant = meanings([lists.items[code] for code in gold.get(document, ())], homonyms)
        replaced = [meant.get(lists.items[code], [lists.items[code]]) for code in codes]
        rows += [len(names) for names in replaced]
        items += [numbers[name] for names in replaced for name in names]
    mapped = lists.where(np.repeat(np.arange(len(lists)), np.array(rows, dtype=np.int64)))
    return first_of_equals(Lists(lists.items, mapped.document, np.array(items, dtype=np.int64), mapped.confidence))


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
    allowed: defaultdict[int, set[str]] = defaultdict(set)
    answered = set(lists.document.tolist())
    for document, code in zip(right.document.tolist(), right.item.tolist(), strict=True):
        if document in answered:
            allowed[document] |= {organism(name, organisms) for name in accessions(lists.items[code])}
    kept = [
        all(organisms.get(name) in allowed[document] for name in accessions(lists.items[code]))
        for document, code in zip(lists.document.tolist(), lists.item.tolist(), strict=True)
    ]
    return lists.where(np.array(kept, dtype=np.bool_))


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
