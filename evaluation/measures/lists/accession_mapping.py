"""Homonym orthologs, organism filters and Swiss-Prot: which accessions are mapped to others, and which are left out.

Source: BioCreative evaluation library 3.2, and the scenarios of BioCreative II.5 (Leitner et al. 2010, IEEE/ACM
Transactions on Computational Biology and Bioinformatics 7: 385-399). All functions work on sorted lists, document by
document; a pair is mapped or kept by both its partners.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from annotations.schema import Span
from evaluation.measures.columns import Booleans, Integers, Item, LabelItem, MentionItem, RelationItem
from evaluation.measures.lists.matching import GoldItems, RankedLists, group_codes_by_document


def list_accessions_of_identifier_or_pair(item: Item) -> tuple[str, ...]:
    """The accessions of an item: one, or the two partners of a pair. ValueError for a mention or another relation."""
    if isinstance(item, Span | MentionItem | RelationItem | LabelItem):
        raise ValueError(
            "Mentions and relations have no accessions; homonyms, organisms and Swiss-Prot apply to identifiers only."
        )
    return (item,) if isinstance(item, str) else item


def replace_homonyms_by_gold_items(
    gold_items: GoldItems, lists: RankedLists, homonyms_by_gold_accession: Mapping[str, Sequence[str]]
) -> RankedLists:
    """Replace results that are homonym orthologs of gold items of their document by these gold items.

    homonyms_by_gold_accession: {gold accession: accessions that count as it}, applied in this direction only and not
    transitively. A result that is itself a gold item stays. A result that counts as several gold items is replaced by
    all of them, in descending order of their names. Of equal items the best placed stays, with its confidence.
    """
    table = _build_homonym_table(gold_items, lists, homonyms_by_gold_accession)
    keys = lists.document * np.int64(len(lists.items)) + lists.item
    key_index = np.searchsorted(table.keys, keys)
    is_replaced = np.append(table.keys, -1)[key_index] == keys
    copies = np.where(is_replaced, np.append(table.counts, 1)[key_index], 1)
    mapped = lists.select_rows(np.repeat(np.arange(len(lists)), copies))
    first_item = np.append(np.cumsum(table.counts) - table.counts, 0)[key_index]
    offset = np.arange(len(mapped)) - np.repeat(np.cumsum(copies) - copies, copies)
    replacements = np.append(table.items, 0)[
        np.where(np.repeat(is_replaced, copies), np.repeat(first_item, copies) + offset, -1)
    ]
    items = np.where(np.repeat(is_replaced, copies), replacements, mapped.item)
    return _drop_repeated_items(RankedLists(lists.items, mapped.document, items, mapped.confidence))


@dataclass(frozen=True, slots=True)
class HomonymTable:
    """The items that are replaced by others.

    keys: int [n], sorted: document times the number of items, plus item; counts: int [n], how many gold items replace
    each; items: int [sum of counts], these gold items, one key after the other.
    """

    keys: Integers
    counts: Integers
    items: Integers


def _build_homonym_table(
    gold_items: GoldItems, lists: RankedLists, homonyms: Mapping[str, Sequence[str]]
) -> HomonymTable:
    """The table of the homonyms of each document's gold items; homonyms that are in no list or gold are left out."""
    item_codes = {name: code for code, name in enumerate(lists.items)}
    replacements = {
        document * len(lists.items) + item_codes[homonym]: [item_codes[name] for name in names]
        for document, codes in group_codes_by_document(gold_items.document, gold_items.item).items()
        for homonym, names in group_gold_items_by_homonym_outside_gold(
            [lists.items[code] for code in codes], homonyms
        ).items()
        if homonym in item_codes
    }
    keys = sorted(replacements)
    return HomonymTable(
        np.array(keys, dtype=np.int64),
        np.array([len(replacements[key]) for key in keys], dtype=np.int64),
        np.array([code for key in keys for code in replacements[key]], dtype=np.int64),
    )


def group_gold_items_by_homonym_outside_gold(
    document_gold_items: Sequence[Item], homonyms_by_gold_accession: Mapping[str, Sequence[str]]
) -> dict[Item, list[Item]]:
    """{homonym: gold items of one document that replace it}, in descending order of their names."""
    replacements: defaultdict[Item, list[Item]] = defaultdict(list)
    for item in sorted(document_gold_items, key=list_accessions_of_identifier_or_pair, reverse=True):
        for homonym in dict.fromkeys(_list_equivalent_items(item, homonyms_by_gold_accession)):
            replacements[homonym].append(item)
    return {item: names for item, names in replacements.items() if item not in document_gold_items}


def _list_equivalent_items(item: Item, homonyms: Mapping[str, Sequence[str]]) -> list[Item]:
    """The items that count as this one.

    For a pair these are all combinations of its partners and their homonyms, with the pair itself; for a single
    accession they are its homonyms.
    """
    partners = list_accessions_of_identifier_or_pair(item)
    if len(partners) == 1:
        return list(homonyms.get(partners[0], ()))
    first, second = ([partner, *homonyms.get(partner, ())] for partner in partners)
    return [(a, b) if a <= b else (b, a) for a, b in product(first, second)]


def _drop_repeated_items(lists: RankedLists) -> RankedLists:
    """Keep only the first of equal items in each list."""
    _, first = np.unique(lists.document * np.int64(len(lists.items)) + lists.item, return_index=True)
    return lists.select_rows(np.sort(first))


def keep_results_of_document_gold_organisms(
    gold_items: GoldItems, lists: RankedLists, taxon_by_accession: Mapping[str, str]
) -> RankedLists:
    """Drop results of organisms that no gold item of their document has, and accessions without an organism.

    taxon_by_accession: {accession: taxon}. ValueError when a gold item of a document that has results has no organism.
    """
    taxon_codes = {taxon: number for number, taxon in enumerate(dict.fromkeys(taxon_by_accession.values()), 1)}
    taxa = np.array(
        [_item_taxon_codes(item, taxon_by_accession, taxon_codes) for item in lists.items], dtype=np.int64
    ).reshape(-1, 2)
    answered = np.isin(gold_items.document, lists.document)
    for code in gold_items.item[answered & (taxa[gold_items.item] == 0).any(axis=1)].tolist():
        for name in list_accessions_of_identifier_or_pair(lists.items[code]):
            get_organism_of_gold_accession(name, taxon_by_accession)
    width = np.int64(len(taxon_codes) + 1)
    allowed = np.unique(gold_items.document[:, None] * width + taxa[gold_items.item])
    result_taxa = taxa[lists.item]
    is_allowed = np.isin(lists.document[:, None] * width + result_taxa, allowed) & (result_taxa > 0)
    return lists.select_rows(is_allowed[:, 0] & is_allowed[:, 1])


def _item_taxon_codes(item: Item, organisms: Mapping[str, str], taxon_codes: Mapping[str, int]) -> tuple[int, int]:
    """The organism codes of the two partners, the same code twice for a single accession; 0 without an organism."""
    codes = [
        taxon_codes[organisms[name]] if name in organisms else 0 for name in list_accessions_of_identifier_or_pair(item)
    ]
    return codes[0], codes[-1]


def get_organism_of_gold_accession(accession: str, taxon_by_accession: Mapping[str, str]) -> str:
    if accession not in taxon_by_accession:
        raise ValueError(
            f"The gold accession {accession} has no organism; add its taxon to the organism map to filter by organism."
        )
    return taxon_by_accession[accession]


def keep_results_with_known_accessions(lists: RankedLists, known_accessions: Collection[str]) -> RankedLists:
    """Drop results with an accession that is not known (results from Swiss-Prot only)."""
    return lists.select_rows(_mask_items_with_known_accessions(lists.items, known_accessions)[lists.item])


def mask_documents_with_all_gold_known(
    gold_items: GoldItems, item_names: Sequence[Item], known_accessions: Collection[str]
) -> Booleans:
    """bool [documents]: whether all accessions of the gold items are known (Swiss-Prot only articles)."""
    outside = ~_mask_items_with_known_accessions(item_names, known_accessions)[gold_items.item]
    is_known: Booleans = np.bincount(gold_items.document, weights=outside, minlength=len(gold_items.documents)) == 0
    return is_known


def _mask_items_with_known_accessions(items: Sequence[Item], known: Collection[str]) -> Booleans:
    """bool [items]: whether all accessions of the item are known."""
    known_set = frozenset(known)
    return np.array(
        [known_set.issuperset(list_accessions_of_identifier_or_pair(item)) for item in items], dtype=np.bool_
    )
