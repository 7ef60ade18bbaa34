"""Tables of points, predictions and gold items: figures, packing, intervals and paired tests."""

import numpy as np
import pytest

from annotations.schema import make_label
from evaluation.analyses.significance.count_tests import bootstrap_count_intervals, run_paired_count_tests
from evaluation.analyses.tables.count_tables import (
    LABEL_FIGURES,
    MICRO_COUNT_FIGURES,
    build_label_table,
    build_scheme_table,
    compute_count_figures,
)
from evaluation.analyses.tables.packing import pack_count_table, unpack_count_table
from evaluation.measures.items.labels import count_labels
from evaluation.measures.mentions.schemes import SchemeCounts
from evaluation.measures.task_settings import LabelSet

SCHEMES = {"1": SchemeCounts(correct=1, partial=1), "2": SchemeCounts(incorrect=2, missed=1, spurious=3)}


def label_table(gold, run):
    """The table of labels given as one word for each article, a letter for each label."""
    gold, run = (
        {str(number): [make_label("topic", value) for value in word] for number, word in enumerate(words)}
        for words in (gold, run)
    )
    return build_label_table(count_labels(gold, run, LabelSet("topic", tuple("abc"))))


def test_it_computes_the_figures_of_mentions_that_are_half_right():
    total = SCHEMES["1"] + SCHEMES["2"]
    figures = compute_count_figures(build_scheme_table(SCHEMES), MICRO_COUNT_FIGURES)
    assert (figures["micro.tp"], figures["micro.fp"], figures["micro.fn"]) == (1.5, 5.5, 3.5)
    assert (figures["micro.precision"], figures["micro.recall"]) == (total.precision, total.recall)
    assert figures["micro.f1"] == pytest.approx(total.f1)


def test_it_unpacks_what_it_packs():
    for table in (label_table(["ab", "c", ""], ["a", "cz", "b"]), build_scheme_table(SCHEMES), build_scheme_table({})):
        unpacked = unpack_count_table(pack_count_table(table))
        assert unpacked.groups == table.groups
        assert np.array_equal(unpacked.values, table.values)
        assert compute_count_figures(unpacked) == compute_count_figures(table)


def test_its_intervals_hold_the_figures():
    table = label_table(["a", "b", "c", "ab"] * 5, ["a", "c", "c", "b"] * 5)
    intervals, figures = bootstrap_count_intervals(table, 300, np.random.default_rng(1)), compute_count_figures(table)
    assert list(intervals) == list(LABEL_FIGURES)
    assert all(intervals[name][0] <= value <= intervals[name][1] for name, value in figures.items())
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_count_intervals(build_scheme_table({}), 10, np.random.default_rng(1))


def test_it_tests_runs_in_pairs():
    gold = ["a", "b", "c", "ab"] * 5
    good, same, bad = (label_table(gold, run) for run in (gold, gold, ["c", "a", "b", "c"] * 5))
    for figure in ("micro.f1", "macro.f1", "instance_f1"):
        tests = run_paired_count_tests([good, same, bad], figure, 500, np.random.default_rng(1))
        assert tests.scores.tolist() == [1, 1, 0]
        assert tests.p[0, 1] == 1
        assert tests.p[0, 2] < 0.05


def test_it_refuses_runs_that_cannot_be_compared():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="over the same articles"):
        run_paired_count_tests([label_table(["a"], ["a"]), label_table(["b"], ["a"])], "micro.f1", 10, rng)
    with pytest.raises(ValueError, match=r"no paired test of micro\.ap"):
        run_paired_count_tests([label_table(["a"], ["a"])] * 2, "micro.ap", 10, rng)
