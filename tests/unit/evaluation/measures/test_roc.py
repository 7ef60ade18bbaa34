"""ROC, its area and ROC_n: published figures, scikit-learn's, and the slow version."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.curves.roc import compute_roc_curve, pooled_roc_n, roc_area, roc_n
from tests.reference import other_measures

MIXED = st.lists(st.booleans(), min_size=2, max_size=20).filter(lambda hits: len(set(hits)) == 2)


def test_it_gives_the_published_roc_50():
    """Carroll et al. 2010, figure 4: 467 and 94 of 481 relevant records stand ahead of the first irrelevant ones."""
    first = [True] * 467 + [False] * 50
    second = [True] * 94 + [False] * 50
    assert round(roc_n(first, 50, 481), 4) == 0.9709
    assert round(roc_n(second, 50, 481), 4) == 0.1954
    scores = [[2.0 + n for n in range(517)], [n / 1000 for n in range(144)]]
    assert round(pooled_roc_n([first, second], scores, 50, [481, 481], ascending=True), 4) == 0.0977


def test_it_pads_a_short_list_with_irrelevant_records():
    assert roc_n([True, False, True], 4, 4) == pytest.approx((1 + 2 + 2 + 2) / 16)
    assert roc_n([True], 3, 1) == 1
    assert roc_n([], 3, 2) == 0
    assert roc_n([False], 3, 0, undefined=0.5) == 0.5


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 8), st.integers(0, 3))
def test_it_gives_the_roc_n_of_the_slow_version(hits, n, missed):
    positives = sum(hits) + missed
    if positives:
        assert roc_n(hits, n, positives) == pytest.approx(other_measures.roc_n(hits, n, positives), abs=1e-12)


@given(MIXED)
def test_it_gives_the_area_of_the_slow_version(hits):
    assert roc_area(hits) == pytest.approx(other_measures.roc_area(hits), abs=1e-12)


@given(MIXED, st.data())
def test_it_gives_the_area_of_scikit_learn_also_with_ties(hits, data):
    from sklearn.metrics import roc_auc_score

    scores = sorted(data.draw(st.lists(st.integers(0, 4), min_size=len(hits), max_size=len(hits))), reverse=True)
    assert roc_area(hits, scores) == pytest.approx(roc_auc_score(hits, scores), abs=1e-12)


def test_it_draws_recall_over_fall_out():
    curve = compute_roc_curve([True, False, True, False])
    assert list(zip(curve.fall_out, curve.recall, strict=True)) == [
        (0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1), (1, 1),
    ]  # fmt: skip


def test_it_takes_what_the_list_lacks_as_in_no_order():
    assert roc_area([], positives=3, negatives=2) == 0.5
    assert roc_area([True], positives=2, negatives=1) == pytest.approx(0.75)


@pytest.mark.parametrize("hits", [[], [True], [False, False]])
def test_it_has_no_area_without_both_classes(hits):
    assert roc_area(hits, undefined=-1.0) == -1.0


SCORED = st.lists(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=6), min_size=1, max_size=3)


@given(SCORED, st.integers(1, 6))
def test_it_gives_the_pooled_roc_n_of_the_slow_version(lists, n):
    hits, scores = [[hit for hit, _ in own] for own in lists], [[float(score) for _, score in own] for own in lists]
    positives = [sum(own) + 1 for own in hits]
    ours = pooled_roc_n(hits, scores, n, positives, ascending=False)
    assert ours == pytest.approx(other_measures.pooled_roc_n(hits, scores, n, positives), abs=1e-12)
    assert 0 <= ours <= 1


@given(st.lists(st.booleans(), max_size=12), st.integers(1, 8))
def test_it_never_falls_when_a_relevant_record_moves_up(hits, n):
    word = "".join("T" if hit else "F" for hit in hits)
    better = [letter == "T" for letter in word.replace("FT", "TF", 1)]
    assert roc_n(better, n, 12) >= roc_n(hits, n, 12)
