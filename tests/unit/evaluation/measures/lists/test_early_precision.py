"""Measures of the head of a list: worked figures, trec_eval's, and the slow version."""

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.lists.early_precision import (
    break_even_precision,
    precision_at_rank,
    reciprocal_ranks,
    total_reciprocal_ranks,
)
from evaluation.measures.lists.ranking import build_checked_ranked_hits, mean_or_zero
from tests.reference import other_measures

A, B = "TFFFFFFFFT", "FTTFFFFFFF"


def table(words, missed=0):
    lists = [[letter == "T" for letter in word] for word in words]
    return build_checked_ranked_hits(lists, [sum(hits) + missed for hits in lists])


def test_it_gives_the_worked_total_reciprocal_ranks():
    totals = total_reciprocal_ranks(table([A, B], 2))
    assert (round(totals[0], 3), round(totals[1], 3)) == (1.1, 0.833)


@given(st.lists(st.text("TF", max_size=9), min_size=1, max_size=4))
def test_it_agrees_with_trec_eval(words):
    ranked = table(words, missed=1)
    relevance = {
        f"q{q}": {f"d{n}": 1 for n, letter in enumerate(word) if letter == "T"} | {"missed": 1}
        for q, word in enumerate(words)
    }
    run = {f"q{q}": {f"d{n}": float(len(word) - n) for n in range(len(word))} for q, word in enumerate(words)}
    theirs = pytrec_eval.RelevanceEvaluator(relevance, {"recip_rank", "Rprec", "P.3"}).evaluate(run)
    for q, word in enumerate(words):
        if word:
            own = theirs[f"q{q}"]
            assert precision_at_rank(ranked, 3)[q] == pytest.approx(own["P_3"], abs=1e-15)
            assert break_even_precision(ranked)[q] == pytest.approx(own["Rprec"], abs=1e-15)
            assert reciprocal_ranks(ranked)[q] == pytest.approx(own["recip_rank"], abs=1e-15)


@given(st.lists(st.text("TF", max_size=9), min_size=1, max_size=4))
def test_it_agrees_with_the_slow_version(words):
    ranked = table(words)
    for q, word in enumerate(words):
        hits = [letter == "T" for letter in word]
        assert reciprocal_ranks(ranked)[q] == pytest.approx(other_measures.reciprocal_rank(hits), abs=1e-15)
        assert total_reciprocal_ranks(ranked)[q] == pytest.approx(other_measures.total_reciprocal_rank(hits), abs=1e-12)
        for k in (1, 3, 12):
            assert precision_at_rank(ranked, k)[q] == pytest.approx(
                other_measures.compute_rank_precision(hits, k), abs=1e-15
            )
        if any(hits):
            assert break_even_precision(ranked)[q] == pytest.approx(
                other_measures.break_even(hits, sum(hits)), abs=1e-15
            )


@given(st.lists(st.text("TF", max_size=9), min_size=1, max_size=4))
def test_it_never_falls_when_a_hit_moves_up(words):
    ranked, better = table(words), table([word.replace("FT", "TF", 1) for word in words])
    for measure in (
        reciprocal_ranks,
        total_reciprocal_ranks,
        break_even_precision,
        lambda own: precision_at_rank(own, 2),
    ):
        assert (measure(better) >= measure(ranked)).all()


def test_it_averages_over_all_lists_also_empty_ones():
    assert mean_or_zero(reciprocal_ranks(table(["FT", "", "T"], 1))) == 0.5


def test_it_says_what_break_even_is_without_a_right_item():
    assert break_even_precision(table(["F"]), undefined=1.0).tolist() == [1.0]


def test_it_refuses_rank_0():
    with pytest.raises(ValueError, match="rank of 1 or more"):
        precision_at_rank(table(["T"]), 0)
