"""Gold standard and lists split by organism, so that each part can be scored by itself.

They are split last, after homonyms, filters and cuts, so that every hit and every false alarm that counts is in the
part of its own organism. The organism of a pair is that of its partners, joined by a plus when they differ:
`9606+10090`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evaluation.measures.columns import Item
from evaluation.measures.lists import Lists, Right
from evaluation.measures.mapping import accessions, organism


@dataclass(frozen=True, slots=True)
class OfOrganism:
    """The right items and the results of one organism (taxon identifiers, or two joined by a plus).

    Its documents are those of the whole, also those without a right item of the organism: what is found there is a
    false alarm.
    """

    organism: str
    right: Right
    lists: Lists


def by_organism(right: Right, lists: Lists, organisms: Mapping[str, str]) -> list[OfOrganism]:
    """One part for each organism of the right items, the organism with most of them first.

    organisms: {accession: taxon}. Results without an organism are in no part. ValueError when a right item has none.
    """
    for code in np.unique(right.item).tolist():
        for accession in accessions(lists.items[code]):
            organism(accession, organisms)
    taxon_of = np.array([item_organism(item, organisms) for item in lists.items], dtype=np.str_)
    own, reported = taxon_of[right.item], taxon_of[lists.item]
    taxa, numbers = np.unique(own, return_counts=True)
    return [
        OfOrganism(
            taxon,
            replace(right, document=right.document[own == taxon], item=right.item[own == taxon]),
            lists.where(reported == taxon),
        )
        for taxon in taxa[np.lexsort((taxa, -numbers))].tolist()
    ]


def item_organism(item: Item, organisms: Mapping[str, str]) -> str:
    """The organism of an item, empty when one of its accessions has none."""
    taxa = {organisms.get(name, "") for name in accessions(item)}
    return "" if "" in taxa else "+".join(sorted(taxa))
