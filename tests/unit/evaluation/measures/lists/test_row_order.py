"""The order of the rows of a run: by document, then surest first, then by name, whatever the size of the ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.columns import CodedColumn, RunColumns
from evaluation.measures.lists.matching import argsort_run_rows_by_document_then_surest

NAMES = ("e", "b", "d", "a", "c")
RANKS = st.integers(1, 6) | st.sampled_from([1 << 33, (1 << 61) - 1, 1 << 61, (1 << 61) + 7])
ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), RANKS, st.sampled_from([1e-320, 0.25, 0.5, 1.0])), max_size=30
)


@given(ROWS, st.sampled_from(["rank", "confidence", "line"]))
def test_it_sorts_rows_by_document_value_and_name(rows, order):
    document, item, rank = (np.array([row[n] for row in rows], dtype=np.int64) for n in range(3))
    confidence = np.array([row[3] for row in rows], dtype=np.float64)
    run = RunColumns(CodedColumn(["x", "y", "z", "w"], document), CodedColumn(NAMES, item), rank, confidence)
    ordered = argsort_run_rows_by_document_then_surest(run, np.arange(4), NAMES, item, np.arange(len(rows)), order)

    def get_sort_key(row):
        values = {"rank": rows[row][2], "confidence": -rows[row][3], "line": row}
        return rows[row][0], values[order], NAMES[rows[row][1]]

    assert ordered.tolist() == sorted(range(len(rows)), key=get_sort_key)


@pytest.mark.parametrize("order", ["rank", "confidence"])
def test_it_sorts_some_of_the_rows(order):
    document, item = np.array([1, 0, 1, 0, 1]), np.array([0, 1, 2, 3, 4])
    rank, confidence = np.array([3, 1, 2, 5, 1]), np.array([0.1, 0.9, 0.5, 0.2, 0.8])
    run = RunColumns(CodedColumn(["x", "y"], document), CodedColumn(NAMES, item), rank, confidence)
    ordered = argsort_run_rows_by_document_then_surest(run, np.arange(2), NAMES, item, np.array([0, 2, 4]), order)
    assert ordered.tolist() == [2, 1, 0]
