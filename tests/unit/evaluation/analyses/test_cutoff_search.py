"""The FAP cut-off of training data, against trying every cut slowly; cut runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.analyses.cutoff_search import (
    TRIED_CONFIDENCES,
    search_lowest_confidence_with_best_fap,
    search_lowest_rank_with_best_fap,
)
from evaluation.analyses.run_truncation import sort_and_truncate_run_lists
from evaluation.measures.lists.scenarios import ScoringScenario, match_run_and_mark_hits
from evaluation.measures.run_figures import compute_list_figures
from tests.reference.columns import encode_gold, encode_run
from tests.reference.ensembles import find_best_cut_slowly

GOLD = {"d1": {"a", "b"}, "d2": {"c"}, "d3": {"a", "c", "e"}}
ROWS = [
    ("d1", "a", 1, 0.9),
    ("d1", "x", 2, 0.35),
    ("d1", "b", 3, 0.3),
    ("d1", "y", 4, 0.2),
    ("d2", "x", 1, 0.1),
    ("d2", "c", 2, 0.8),
    ("d3", "a", 1, 0.95),
    ("d3", "c", 2, 0.57),
    ("d3", "z", 3, 0.05),
]


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("order", ["rank", "confidence"])
def test_it_finds_the_smallest_confidence_with_the_best_fap(average, order):
    value, faps = find_best_cut_slowly(GOLD, ROWS, order, average, "confidence", TRIED_CONFIDENCES)
    found = search_lowest_confidence_with_best_fap(
        encode_gold(GOLD), encode_run(ROWS), ScoringScenario(order=order), average
    )
    assert found.value == value
    assert [own.fap for own in found.tried] == pytest.approx(faps, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro"])
@given(
    words=st.lists(st.text("abcxyz", max_size=6).map(lambda word: "".join(dict.fromkeys(word))), min_size=3, max_size=3)
)
def test_it_finds_the_smallest_rank_with_the_best_fap(average, words):
    rows = [
        (document, item, rank, None)
        for document, word in zip(GOLD, words, strict=True)
        for rank, item in enumerate(word, 1)
    ]
    if not rows:
        return
    ranks = range(1, max(len(word) for word in words) + 1)
    value, faps = find_best_cut_slowly(GOLD, rows, "rank", average, "rank", ranks)
    found = search_lowest_rank_with_best_fap(encode_gold(GOLD), encode_run(rows), average=average)
    assert (found.criterion, found.value) == ("rank", value)
    assert [own.fap for own in found.tried] == pytest.approx(faps, abs=1e-12)


def test_it_cuts_nothing_when_that_is_best():
    sure = [("d1", "a", None, 1.0), ("d1", "b", None, 1.0)]
    assert search_lowest_confidence_with_best_fap(encode_gold(GOLD), encode_run(sure)).value == 0


def test_it_applies_what_it_found_to_other_runs():
    found = search_lowest_confidence_with_best_fap(encode_gold(GOLD), encode_run(ROWS))
    figures = compute_list_figures(encode_gold(GOLD), encode_run(ROWS), found.limit_scenario())
    assert figures.macro.fap == pytest.approx(found.fap, abs=1e-15)
    by_rank = search_lowest_rank_with_best_fap(encode_gold(GOLD), encode_run(ROWS))
    assert by_rank.limit_scenario(ScoringScenario(beta=1.0)) == ScoringScenario(cutoff_rank=int(by_rank.value))


def test_it_forgets_an_earlier_cut():
    cut = ScoringScenario(cutoff_rank=1, min_confidence=0.9)
    assert search_lowest_rank_with_best_fap(
        encode_gold(GOLD), encode_run(ROWS), cut
    ) == search_lowest_rank_with_best_fap(encode_gold(GOLD), encode_run(ROWS))


def test_it_needs_something_to_cut():
    with pytest.raises(ValueError, match="best rank"):
        search_lowest_confidence_with_best_fap(encode_gold(GOLD), encode_run([("d1", "a", 1, None)]))
    with pytest.raises(ValueError, match="no results"):
        search_lowest_rank_with_best_fap(encode_gold(GOLD), encode_run([("d9", "a", 1, None)]))


@pytest.mark.parametrize(
    "cut", [{"cutoff_rank": 2}, {"min_confidence": 0.3}, {"cutoff_rank": 3, "min_confidence": 0.2}]
)
def test_it_cuts_a_run_as_scoring_does(cut):
    ours, theirs = (
        sort_and_truncate_run_lists(encode_run(ROWS), **cut),
        match_run_and_mark_hits(encode_gold(GOLD), encode_run(ROWS), ScoringScenario(**cut)).lists,
    )
    assert [ours.item.names[code] for code in ours.item.codes] == [theirs.items[code] for code in theirs.item]
    assert np.array_equal(ours.confidence, theirs.confidence)
    assert ours.rank is not None and len(ours.rank) == len(ours)


def test_it_refuses_to_cut_by_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="cut it by rank"):
        sort_and_truncate_run_lists(encode_run([("d1", "a", 1, None)]), min_confidence=0.5)
