"""Pooling of evidence passages: what is judged, in which order, what was decided, and how far judges agree."""

import numpy as np
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
from evaluation.analyses.significance.agreement_intervals import build_weight_source
from evaluation.analyses.significance.confidence_intervals import iter_bootstrap_weight_batches
from evaluation.measures.passages import Verdict

SAMPLES, SEED = 40, 3
GET_WEIGHTS = build_weight_source(SAMPLES, SEED)
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
        (1, "A", "B"): [{1: BEST, 2: BEST}, {1: NOT, 2: NOT}],
        (1, "A", "C"): [{1: BEST, 2: RELEVANT}, {1: RELEVANT, 2: NOT}],
        (2, "A", "B"): [{1: NOT}],
    }
    own = compute_judge_agreements(marks, [1, 2], GET_WEIGHTS)[1, 2]
    assert (own.relevance.instances, own.relevance.joint) == (4, 3 / 4)
    # Expected by chance: (3 * 2 + 1 * 2) / 16 = 1/2.
    assert own.relevance.kappa == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert (own.pairs, own.same_best) == (2, 1 / 2)
    assert own.intervals == {}, "both judged passages of one article only"


def bootstrap_shares(parts, wholes):
    """(low, high) of the share of articles that are drawn; both [articles]."""
    (weights,) = iter_bootstrap_weight_batches(len(parts), SAMPLES, np.random.default_rng(SEED))
    shares = [copies @ np.array(parts) / (copies @ np.array(wholes)) for copies in weights]
    return tuple(np.quantile(shares, [0.025, 0.975]).round(9))


def test_intervals_draw_articles_with_all_of_their_passages():
    marks = {
        (1, "A", "B"): [{1: BEST, 2: BEST}, {1: NOT, 2: NOT}],
        (1, "A", "C"): [{1: BEST, 2: RELEVANT}, {1: RELEVANT, 2: NOT}],
        (2, "A", "B"): [{1: NOT, 2: RELEVANT}, {1: RELEVANT}],
        (3, "A", "B"): [{1: BEST, 2: BEST}],
        (4, "A", "B"): [{1: RELEVANT}],
    }
    own = compute_judge_agreements(marks, [1, 2], GET_WEIGHTS)[1, 2]
    # Articles 1, 2 and 3 have passages that both judged, and 1 and 3 pairs that both judged whole.
    assert own.intervals["joint"] == bootstrap_shares([3, 0, 1], [4, 1, 1])
    assert own.intervals["f1"] == bootstrap_shares([4, 0, 2], [5, 1, 2])
    assert own.intervals["same_best"] == bootstrap_shares([1, 1], [2, 1])
    assert set(own.intervals) == {"joint", "kappa", "f1", "same_best"}
    assert own.intervals["joint"].low < own.relevance.joint < own.intervals["joint"].high


def test_judges_without_a_passage_in_common_have_no_agreement():
    own = compute_judge_agreements({(1, "A", "B"): [{1: NOT}, {2: NOT}]}, [1, 2], GET_WEIGHTS)[1, 2]
    assert (own.relevance.instances, own.relevance.joint, own.relevance.kappa, own.same_best) == (0, None, None, None)
