"""Gold standard and lists split by organism, so that each part can be scored by itself.

They are split last, after homonyms, filters and cuts, so that every true and false positive that counts is in the part
of its own organism. The organism of a pair is that of its partners, joined by a plus when they differ: `10090+9606`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evaluation.measures.columns import Item
from evaluation.measures.lists.accession_mapping import (
    get_organism_of_gold_accession,
    list_accessions_of_identifier_or_pair,
)
from evaluation.measures.lists.matching import GoldItems, RankedLists


@dataclass(frozen=True, slots=True)
class OrganismPart:
    """The gold items and the results of one organism (a taxon identifier, or two joined by a plus).

    It keeps all documents, also those without a gold item of the organism: results there are false positives.
    """

    organism: str
    gold_items: GoldItems
    lists: RankedLists


def split_by_gold_organism_largest_first(
    gold_items: GoldItems, lists: RankedLists, taxon_by_accession: Mapping[str, str]
) -> list[OrganismPart]:
    """One part for each organism of the gold items, the organism with most of them first.

    taxon_by_accession: {accession: taxon}. Results without an organism are in no part. ValueError when a gold item has
    none.
    """
    for code in np.unique(gold_items.item).tolist():
        for accession in list_accessions_of_identifier_or_pair(lists.items[code]):
            get_organism_of_gold_accession(accession, taxon_by_accession)
    item_taxa = np.array([_item_organism(item, taxon_by_accession) for item in lists.items], dtype=np.str_)
    gold_taxa, result_taxa = item_taxa[gold_items.item], item_taxa[lists.item]
    taxa, item_counts = np.unique(gold_taxa, return_counts=True)
    return [
        OrganismPart(
            taxon,
            replace(
                gold_items, document=gold_items.document[gold_taxa == taxon], item=gold_items.item[gold_taxa == taxon]
            ),
            lists.select_rows(result_taxa == taxon),
        )
        for taxon in taxa[np.lexsort((taxa, -item_counts))].tolist()
    ]


def _item_organism(item: Item, organisms: Mapping[str, str]) -> str:
    """The taxon of an item, those of its two partners joined by a plus, or "" when an accession has none."""
    taxa = {organisms.get(name, "") for name in list_accessions_of_identifier_or_pair(item)}
    return "" if "" in taxa else "+".join(sorted(taxa))
