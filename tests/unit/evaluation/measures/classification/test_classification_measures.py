"""Classification of articles: counts, list order, the curve and its area."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.classification.article_calls import (
    ArticleCall,
    compute_article_call_curve,
    count_article_calls,
    sort_calls_most_likely_relevant_first,
)
from evaluation.measures.confusion_counts import ConfusionCounts, mcc
from evaluation.measures.curves.precision_recall import (
    compute_precision_recall_curve,
    list_recall_precision_corners,
    trapezium_area_from_precision_one,
)

A01 = [letter == "T" for letter in "TFTFFTTFFF"]


def area(letters, positives=None):
    hits = [letter == "T" for letter in letters]
    return trapezium_area_from_precision_one(
        compute_precision_recall_curve(hits, sum(hits) if positives is None else positives)
    )


def test_it_gives_the_area_worked_by_hand():
    expected = 1 / 4 * ((1 + 1) / 2 + (1 / 2 + 2 / 3) / 2 + (2 / 5 + 1 / 2) / 2 + (1 / 2 + 4 / 7) / 2)
    assert area("TFTFFTTFFF") == pytest.approx(expected, abs=1e-15)
    assert round(expected, 7) == 0.6422619


@pytest.mark.parametrize(("letters", "expected"), [("T", 1.0), ("FT", 0.25), ("TT", 1.0), ("", 0.0), ("F", 0.0)])
def test_it_starts_from_precision_1_and_lets_false_alarms_at_the_head_pull_it_down(letters, expected):
    assert area(letters) == expected


def test_it_ends_at_the_last_recall_reached():
    assert area("T", positives=2) == 0.5


def test_it_agrees_with_scikit_learn_on_list_positions():
    from sklearn.metrics import auc, precision_recall_curve

    precision, recall, _ = precision_recall_curve(A01, [-position for position in range(len(A01))])
    assert trapezium_area_from_precision_one(compute_precision_recall_curve(A01, sum(A01))) == pytest.approx(
        auc(recall, precision), abs=1e-15
    )


@given(st.lists(st.booleans(), min_size=1, max_size=30).filter(any))
def test_it_agrees_with_scikit_learn_on_every_list_that_begins_with_a_hit(hits):
    from sklearn.metrics import auc, precision_recall_curve

    hits = [True, *hits]
    precision, recall, _ = precision_recall_curve(hits, [-position for position in range(len(hits))])
    assert trapezium_area_from_precision_one(compute_precision_recall_curve(hits, sum(hits))) == pytest.approx(
        auc(recall, precision), abs=1e-12
    )


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 3))
def test_it_draws_the_same_area_from_the_corners(hits, missed):
    whole = compute_precision_recall_curve(hits, sum(hits) + missed)
    last_r, last_p, drawn = 0.0, 1.0, 0.0
    for r, p in list_recall_precision_corners(whole):
        drawn, last_r, last_p = drawn + (r - last_r) * (p + last_p) / 2, r, p
    assert drawn == pytest.approx(trapezium_area_from_precision_one(whole), abs=1e-12)


def test_it_puts_positives_best_first_then_negatives_surest_last():
    calls = [
        ArticleCall("a", True, confidence=0.4),
        ArticleCall("b", True, confidence=0.9),
        ArticleCall("c", False, confidence=0.9),
        ArticleCall("d", False, confidence=0.2),
    ]
    assert "".join(call.article for call in sort_calls_most_likely_relevant_first(calls)) == "badc"


def test_it_lets_rank_beat_confidence():
    calls = [
        ArticleCall("a", True, rank=2, confidence=0.9),
        ArticleCall("b", True, rank=1, confidence=0.1),
        ArticleCall("c", False, rank=1, confidence=0.1),
        ArticleCall("d", False, rank=7, confidence=0.9),
    ]
    assert "".join(call.article for call in sort_calls_most_likely_relevant_first(calls)) == "badc"


def test_it_breaks_ties_by_identifier_in_both_classes():
    calls = [ArticleCall(name, relevant, confidence=0.5) for name in "ba" for relevant in (False, True)]
    assert [(call.article, call.relevant) for call in sort_calls_most_likely_relevant_first(calls)] == [
        ("a", True),
        ("b", True),
        ("a", False),
        ("b", False),
    ]


def test_it_sorts_a_call_without_rank_and_confidence_as_the_least_sure_of_its_class():
    calls = [
        ArticleCall("a", True),
        ArticleCall("b", True, confidence=0.01),
        ArticleCall("c", False),
        ArticleCall("d", False, rank=9),
    ]
    assert "".join(call.article for call in sort_calls_most_likely_relevant_first(calls)) == "bacd"


GOLD = {"a": True, "b": True, "c": False, "d": False, "e": True}
CALLS = [ArticleCall("a", True), ArticleCall("c", True), ArticleCall("d", False), ArticleCall("stranger", True)]


def test_it_counts_the_unreported_as_negative_calls_or_not_at_all():
    assert count_article_calls(CALLS, GOLD, unreported="negative") == ConfusionCounts(tp=1, fp=1, fn=2, tn=1)
    assert count_article_calls(CALLS, GOLD, unreported="ignore") == ConfusionCounts(tp=1, fp=1, fn=0, tn=1)
    assert mcc(count_article_calls(CALLS, GOLD, unreported="negative")) != mcc(
        count_article_calls(CALLS, GOLD, unreported="ignore")
    )


def test_it_keeps_missing_positives_in_the_recall_of_the_curve():
    found = compute_article_call_curve(CALLS, GOLD)
    assert found.recall.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert found.precision.tolist() == pytest.approx([1, 1 / 2, 1 / 3])


def test_it_has_no_curve_without_a_known_answer():
    assert len(compute_article_call_curve([], GOLD)) == 0
    assert trapezium_area_from_precision_one(compute_article_call_curve([], GOLD)) == 0
    assert list_recall_precision_corners(compute_article_call_curve([], GOLD)) == []
