"""Interaction pairs converted to interactors: each accession once, at the position of the best pair that names it.

BioCreative II was scored this way.
"""

import numpy as np

from evaluation.measures.columns import CodedColumn, GoldColumns, Integers, Item, RunColumns, encode_column
from evaluation.measures.list_order import (
    ListOrder,
    choose_rank_else_confidence_else_line,
    get_order_values_smallest_surest,
)
from evaluation.measures.lists.accession_mapping import list_accessions_of_identifier_or_pair


def convert_gold_pairs_to_interactors(gold: GoldColumns) -> GoldColumns:
    """The accessions of the gold pairs, each once in a document."""
    row, item = _expand_pairs_to_accessions(gold.item)
    document = gold.document.codes[row]
    first = _first_row_per_item(document, item.codes, np.arange(len(row)))
    return GoldColumns(CodedColumn(gold.document.names, document[first]), CodedColumn(item.names, item.codes[first]))


def convert_pairs_to_interactors_by_best_pair(run: RunColumns, order: ListOrder | None = None) -> RunColumns:
    """The accessions of a run's pairs, each once in a document, with the rank or confidence of the best pair.

    The two partners of one pair are in the order of their names; ranks 2r - 1 and 2r replace rank r. ValueError when
    the order needs a column that the run does not have.
    """
    row, item = _expand_pairs_to_accessions(run.item)
    document, is_second_partner = run.document.codes[row], np.diff(row, prepend=-1) == 0
    order_values = get_order_values_smallest_surest(run, order or choose_rank_else_confidence_else_line(run))[row]
    kept = _first_row_per_item(document, item.codes, np.lexsort((is_second_partner, order_values)))
    return RunColumns(
        CodedColumn(run.document.names, document[kept]),
        CodedColumn(item.names, item.codes[kept]),
        None if run.rank is None else 2 * run.rank[row][kept] - 1 + is_second_partner[kept],
        None if run.confidence is None else run.confidence[row][kept],
    )


def _expand_pairs_to_accessions(pairs: CodedColumn[Item]) -> tuple[Integers, CodedColumn[Item]]:
    """int [new rows]: the row of its pair; and the column of accessions."""
    accessions = [list_accessions_of_identifier_or_pair(pairs.names[code]) for code in pairs.codes.tolist()]
    row = np.repeat(np.arange(len(accessions)), np.array([len(partners) for partners in accessions], dtype=np.int64))
    return row, encode_column(accession for partners in accessions for accession in partners)


def _first_row_per_item(document: Integers, item: Integers, order: Integers) -> Integers:
    """The rows, sorted, that come first in this order among those with the same document and item."""
    width = np.int64(item.max(initial=0) + 1)
    _, first = np.unique((document * width + item)[order], return_index=True)
    return np.sort(order[first])
