"""Truncation of a run's lists without a gold standard, such as at a cut-off found on training data."""

import numpy as np

from evaluation.measures.columns import CodedColumn, Integers, RunColumns
from evaluation.measures.list_order import ListOrder, choose_rank_else_confidence_else_line
from evaluation.measures.lists.matching import (
    argsort_run_rows_by_document_then_surest,
    mask_rows_before_first_below_cut,
    zero_based_positions_within_lists,
)


def sort_and_truncate_run_lists(
    run: RunColumns,
    *,
    order: ListOrder | None = None,
    cutoff_rank: int | None = None,
    min_confidence: float | None = None,
) -> RunColumns:
    """Sort and cut the lists of a run as scenarios do, with the documents in the order of the file.

    order: by default the first of rank, confidence and line that the run has. A list ends after cutoff_rank items and
    before its first item below min_confidence. ValueError when order or that limit needs a column
    that the run does not have.
    """
    if min_confidence is not None and run.confidence is None:
        raise ValueError("The run has no confidences to cut by; cut it by rank instead.")
    documents, rows = np.arange(len(run.document.names)), np.arange(len(run))
    rows = argsort_run_rows_by_document_then_surest(
        run, documents, run.item.names, run.item.codes, rows, order or choose_rank_else_confidence_else_line(run)
    )
    document = run.document.codes[rows]
    if cutoff_rank is not None:
        rows = rows[zero_based_positions_within_lists(document) < cutoff_rank]
    if min_confidence is not None and run.confidence is not None:
        rows = rows[mask_rows_before_first_below_cut(run.confidence[rows] < min_confidence, run.document.codes[rows])]
    return _select_run_rows(run, rows)


def _select_run_rows(run: RunColumns, rows: Integers) -> RunColumns:
    """The rows of a run with these indexes, in this order."""
    return RunColumns(
        CodedColumn(run.document.names, run.document.codes[rows]),
        CodedColumn(run.item.names, run.item.codes[rows]),
        None if run.rank is None else run.rank[rows],
        None if run.confidence is None else run.confidence[rows],
    )
