"""A gold standard and a run split by organism, so that each part can be scored by itself.

The organism of a pair is that of its partners, joined by a plus when they differ: `9606+10090`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import Booleans, Coded, GoldColumns, Item, RunColumns
from evaluation.measures.mapping import accessions, organism


@dataclass(frozen=True, slots=True)
class OfOrganism:
    """What gold and run hold of one organism (taxon identifiers, or two joined by a plus)."""

    organism: str
    gold: GoldColumns
    run: RunColumns


def by_organism(gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str]) -> list[OfOrganism]:
    """One part for each organism of the gold standard, the organism with most right items first.

    organisms: {accession: taxon}. Results without an organism are in no part. ValueError when a right item has none.
    """
    for name in gold.item.names:
        for accession in accessions(name):
            organism(accession, organisms)
    right = np.array([item_organism(name, organisms) for name in gold.item.names], dtype=object)[gold.item.codes]
    taxa, numbers = np.unique(right.astype(str), return_counts=True)
    ranked = [str(taxon) for taxon in taxa[np.lexsort((taxa, -numbers))]]
    reported = np.array([item_organism(name, organisms) for name in run.item.names], dtype=object)[run.item.codes]
    return [OfOrganism(taxon, gold_rows(gold, right == taxon), run_rows(run, reported == taxon)) for taxon in ranked]


def item_organism(item: Item, organisms: Mapping[str, str]) -> str:
    """The organism of an item, empty when one of its accessions has none."""
    taxa = {organisms.get(name, "") for name in accessions(item)}
    return "" if "" in taxa else "+".join(sorted(taxa))


def gold_rows(gold: GoldColumns, kept: Booleans) -> GoldColumns:
    return GoldColumns(rows(gold.document, kept), rows(gold.item, kept))


def run_rows(run: RunColumns, kept: Booleans) -> RunColumns:
    """The rows of a run that are kept, in their order."""
    return RunColumns(
        rows(run.document, kept),
        rows(run.item, kept),
        None if run.rank is None else run.rank[kept],
        None if run.confidence is None else run.confidence[kept],
    )


def rows(column: Coded, kept: Booleans) -> Coded:
    return Coded(column.names, column.codes[kept])
