"""Interaction pairs read as interactors: each accession once, at the place of the best pair that names it.

This is how BioCreative II was scored.
"""

import numpy as np

from evaluation.measures.columns import Coded, GoldColumns, Integers, Item, RunColumns, coded
from evaluation.measures.mapping import accessions
from evaluation.measures.order import Order, best_order, chosen


def gold_interactors(gold: GoldColumns) -> GoldColumns:
    """The accessions of the right pairs, each once in a document."""
    row, item = interactors(gold.item)
    document = gold.document.codes[row]
    first = first_rows(document, item.codes, np.arange(len(row)))
    return GoldColumns(Coded(gold.document.names, document[first]), Coded(item.names, item.codes[first]))


def run_interactors(run: RunColumns, order: Order | None = None) -> RunColumns:
    """The accessions of a run's pairs, each once in a document, with the rank or confidence of the best pair.

    The two partners of one pair stand in the order of their names; ranks 2r - 1 and 2r take the place of r. ValueError
    when the order needs a column that the run has not.
    """
    row, item = interactors(run.item)
    document, second = run.document.codes[row], np.diff(row, prepend=-1) == 0
    unsure = chosen(run, order or best_order(run))[row]
    kept = first_rows(document, item.codes, np.lexsort((second, unsure)))
    return RunColumns(
        Coded(run.document.names, document[kept]),
        Coded(item.names, item.codes[kept]),
        None if run.rank is None else 2 * run.rank[row][kept] - 1 + second[kept],
        None if run.confidence is None else run.confidence[row][kept],
    )


def interactors(pairs: Coded[Item]) -> tuple[Integers, Coded[Item]]:
    """int [new rows]: the row that each came from; and the accession of each."""
    names = [accessions(pairs.names[code]) for code in pairs.codes.tolist()]
    row = np.repeat(np.arange(len(names)), np.array([len(own) for own in names], dtype=np.int64))
    return row, coded(name for own in names for name in own)


def first_rows(document: Integers, item: Integers, order: Integers) -> Integers:
    """The rows that come first, in this order, of all that have the same document and item; sorted."""
    wide = np.int64(item.max(initial=0) + 1)
    _, first = np.unique((document * wide + item)[order], return_index=True)
    return np.sort(order[first])
