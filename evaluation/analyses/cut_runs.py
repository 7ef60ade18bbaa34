"""A run whose lists are cut, without a gold standard: what a cut-off found on training data does to any other run."""

import numpy as np

from evaluation.measures.columns import Coded, Integers, RunColumns
from evaluation.measures.lists import before_first, list_order, places
from evaluation.measures.order import Order, best_order


def cut_run(
    run: RunColumns, *, order: Order | None = None, cutoff_rank: int | None = None, min_confidence: float | None = None
) -> RunColumns:
    """The lists of a run in order, document by document in the order of the file, cut as scenarios do.

    order: by default the first of rank, confidence and line that the run has. A list ends after cutoff_rank items and
    at its first item below min_confidence. ValueError when order or min_confidence needs a column that the run has not.
    """
    if min_confidence is not None and run.confidence is None:
        raise ValueError("The run has no confidences to cut by; cut it by rank.")
    known, rows = np.arange(len(run.document.names)), np.arange(len(run))
    rows = list_order(run, known, run.item.names, run.item.codes, rows, order or best_order(run))
    document = run.document.codes[rows]
    if cutoff_rank is not None:
        rows = rows[places(document) < cutoff_rank]
    if min_confidence is not None and run.confidence is not None:
        rows = rows[before_first(run.confidence[rows] < min_confidence, run.document.codes[rows])]
    return taken(run, rows)


def taken(run: RunColumns, rows: Integers) -> RunColumns:
    """These rows of a run, in this order."""
    return RunColumns(
        Coded(run.document.names, run.document.codes[rows]),
        Coded(run.item.names, run.item.codes[rows]),
        None if run.rank is None else run.rank[rows],
        None if run.confidence is None else run.confidence[rows],
    )
