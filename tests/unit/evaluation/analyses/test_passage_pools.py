"""Pooling of evidence passages: what is judged, in which order, what was decided, and how far judges agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.passage_pools import (
    PoolItem,
    collect_pool_items,
    compute_judge_agreements,
    find_adjudicated_or_unanimous_verdict,
    has_unadjudicated_verdict_conflict,
    list_distinct_passages_best_first_by_pair,
    shuffle_reproducibly_by_key_digests,
)
from evaluation.measures.passages import Verdict

BEST, RELEVANT, NOT = Verdict(True, True), Verdict(True, False), Verdict(False, False)


def passage(text, a="P1", b="P2", **values):
    return AnnotationData(Kind.PASSAGE, database="uniprot", identifier=a, partner=b, text=text, **values)


def test_it_pools_each_passage_once():
    said = {1: [passage("A binds B."), passage("A  binds\nB.", "P2", "P1"), passage("A binds B.", "P1", "P3")], 2: []}
    assert collect_pool_items(said) == {
        PoolItem(1, "P1", "P2", "A binds B.", "uniprot"),
        PoolItem(1, "P1", "P3", "A binds B.", "uniprot"),
    }


def test_it_lists_passages_best_first():
    ranked = [passage("second", rank=2), passage("first", rank=1), passage("first ", "P2", "P1", rank=3)]
    sure = [passage("b", "P1", "P3", confidence=0.5), passage("c", "P1", "P3", confidence=0.9)]
    equal = [passage("a", "P3", "P1", confidence=0.5)]
    assert list_distinct_passages_best_first_by_pair([*ranked, *sure, *equal]) == {
        ("P1", "P2"): ["first", "second"],
        ("P1", "P3"): ["c", "a", "b"],
    }


ITEMS = [(article, pair) for article in range(4) for pair in "abc"]


def order(seed, items=ITEMS):
    return shuffle_reproducibly_by_key_digests(items, seed, lambda item: item[0], lambda item: item)


def test_it_shuffles_anew_for_each_judge_and_keeps_articles_together():
    assert order("1") != order("2")
    assert order("1") == order("1", ITEMS[::-1])
    articles = [article for article, _ in order("1")]
    assert len(set(articles)) == sum(a != b for a, b in zip(articles, [None, *articles], strict=False))


@given(st.lists(st.sampled_from(ITEMS), unique=True))
def test_more_to_judge_moves_nothing_else(items):
    assert order("x", items) == [item for item in order("x") if item in items]


@pytest.mark.parametrize(
    ("marks", "adjudicated", "verdict", "conflict"),
    [
        ([], None, None, False),
        ([RELEVANT], None, RELEVANT, False),
        ([NOT, NOT], None, NOT, False),
        ([BEST, RELEVANT], None, None, True),
        ([BEST, RELEVANT], BEST, BEST, False),
        ([NOT, NOT], RELEVANT, RELEVANT, False),
    ],
)
def test_what_all_say_counts_and_else_what_was_adjudicated(marks, adjudicated, verdict, conflict):
    assert (
        find_adjudicated_or_unanimous_verdict(marks, adjudicated),
        has_unadjudicated_verdict_conflict(marks, adjudicated),
    ) == (verdict, conflict)


def test_it_says_how_far_two_judges_agree():
    """Of five passages both judged four: relevant or not alike in three; of two pairs judged whole, one best alike."""
    marks = {
        "first": [{1: BEST, 2: BEST}, {1: NOT, 2: NOT}],
        "second": [{1: BEST, 2: RELEVANT}, {1: RELEVANT, 2: NOT}],
        "third": [{1: NOT}],
    }
    own = compute_judge_agreements(marks, [1, 2])[1, 2]
    assert (own.relevance.instances, own.relevance.joint) == (4, 3 / 4)
    # Expected by chance: (3 * 2 + 1 * 2) / 16 = 1/2.
    assert own.relevance.kappa == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert (own.pairs, own.same_best) == (2, 1 / 2)


def test_judges_without_a_passage_in_common_have_no_agreement():
    own = compute_judge_agreements({"only": [{1: NOT}, {2: NOT}]}, [1, 2])[1, 2]
    assert (own.relevance.instances, own.relevance.joint, own.relevance.kappa, own.same_best) == (0, None, None, None)
