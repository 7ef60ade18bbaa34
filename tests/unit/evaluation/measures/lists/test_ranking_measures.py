"""Ranked lists: figures worked by hand, trec_eval's own, and what must hold for every list."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.lists.ranking import (
    RankedHits,
    build_checked_ranked_hits,
    compute_f_ap_and_auc_ipr_per_article,
    compute_macro_averages_with_mean_curve_ap,
    compute_macro_curve_holding_ended_lists,
    compute_micro_averages,
    compute_micro_curve,
    fap_score,
    precision_at_each_hit,
    precision_at_each_row,
)


def parse_hit_letters(*letters):
    return [[letter == "T" for letter in word] for word in letters]


I01 = build_checked_ranked_hits(parse_hit_letters("TFT", "FT", "TTFF", ""), [3, 1, 2, 1])
P01 = build_checked_ranked_hits(parse_hit_letters("TFT", "FT", "T"), [2, 1, 1])


def points(curve):
    return list(zip(curve.precision.tolist(), curve.recall.tolist(), strict=True))


def close(expected):
    return [pytest.approx(pair, abs=1e-15) for pair in expected]


def test_it_gives_the_macro_figures_worked_by_hand():
    assert points(compute_macro_curve_holding_ended_lists(I01)) == close(
        [(1 / 2, 5 / 24), (1 / 2, 7 / 12), (11 / 24, 2 / 3), (5 / 12, 2 / 3)]
    )
    figures = compute_macro_averages_with_mean_curve_ap(I01)
    assert figures.precision == pytest.approx(5 / 12, abs=1e-15)
    assert figures.recall == pytest.approx(2 / 3, abs=1e-15)
    assert figures.f1 == pytest.approx(1 / 2, abs=1e-15)
    assert figures.ap == pytest.approx(95 / 288, abs=1e-15)
    assert round(figures.fap, 7) == 0.3974895


def test_it_gives_the_micro_figures_worked_by_hand():
    assert points(compute_micro_curve(I01)) == close([(2 / 3, 2 / 7), (2 / 3, 4 / 7), (5 / 8, 5 / 7), (5 / 9, 5 / 7)])
    figures = compute_micro_averages(I01)
    assert (figures.precision, figures.recall) == (5 / 9, 5 / 7)
    assert figures.f1 == pytest.approx(5 / 8, abs=1e-15)
    assert round(figures.ap, 7) == 0.4702381


def test_it_gives_the_figures_of_pairs_worked_by_hand():
    assert points(compute_macro_curve_holding_ended_lists(P01)) == close([(2 / 3, 1 / 2), (2 / 3, 5 / 6), (13 / 18, 1)])
    assert compute_macro_averages_with_mean_curve_ap(P01).ap == pytest.approx(73 / 108, abs=1e-15)
    assert points(compute_micro_curve(P01)) == close([(2 / 3, 1 / 2), (3 / 5, 3 / 4), (2 / 3, 1)])
    assert compute_micro_averages(P01).ap == pytest.approx(0.65, abs=1e-15)


def test_it_gives_the_published_fap():
    assert round(fap_score(0.14508, 0.26213), 5) == 0.18678
    assert fap_score(0, 0) == 0


def test_it_gives_the_average_precision_of_trec_eval():
    words, gold = ["TFT", "FT", "TTFF", "FFTFTTFFFT"], [3, 1, 2, 6]
    relevance = {
        f"q{q}": {f"d{n}": 1 for n, letter in enumerate(word) if letter == "T"}
        | {f"missed{n}": 1 for n in range(gold[q] - word.count("T"))}
        for q, word in enumerate(words)
    }
    run = {f"q{q}": {f"d{n}": float(len(word) - n) for n in range(len(word))} for q, word in enumerate(words)}
    theirs = pytrec_eval.RelevanceEvaluator(relevance, {"map", "set_F", "set_P", "set_recall"}).evaluate(run)
    ours = compute_f_ap_and_auc_ipr_per_article(build_checked_ranked_hits(parse_hit_letters(*words), gold))
    for q in range(len(words)):
        their = theirs[f"q{q}"]
        assert ours.ap[q] == pytest.approx(their["map"], abs=1e-15)
        assert ours.f1[q] == pytest.approx(their["set_F"], abs=1e-15)
        assert ours.precision[q] == pytest.approx(their["set_P"], abs=1e-15)
        assert ours.recall[q] == pytest.approx(their["set_recall"], abs=1e-15)


def test_it_scores_an_unanswered_article_as_unanswered():
    answered = build_checked_ranked_hits(parse_hit_letters("T"), [1])
    with_gap = build_checked_ranked_hits(parse_hit_letters("T", ""), [1, 1])
    assert compute_macro_averages_with_mean_curve_ap(answered).f1 == 1
    assert (
        compute_macro_averages_with_mean_curve_ap(with_gap).f1
        == compute_macro_averages_with_mean_curve_ap(with_gap).precision
        == 0.5
    )
    assert compute_micro_averages(with_gap).recall == 0.5


def test_it_gives_zeros_for_a_run_without_a_single_answer():
    for average in (compute_micro_averages, compute_macro_averages_with_mean_curve_ap):
        figures = average(build_checked_ranked_hits(parse_hit_letters("", ""), [1, 2]))
        assert (figures.precision, figures.recall, figures.f1, figures.ap, figures.fap) == (0, 0, 0, 0, 0)
        nothing = average(build_checked_ranked_hits([], []))
        assert (nothing.precision, nothing.f1, nothing.ap) == (0, 0, 0)


def test_it_refuses_more_hits_than_gold_items():
    with pytest.raises(ValueError, match="count each item once"):
        build_checked_ranked_hits(parse_hit_letters("TT"), [1])
    with pytest.raises(ValueError, match="1 lists but gold counts of 2"):
        build_checked_ranked_hits(parse_hit_letters("T"), [1, 1])


@st.composite
def runs(draw):
    lists = draw(st.lists(st.lists(st.booleans(), max_size=8), min_size=1, max_size=6))
    return build_checked_ranked_hits(lists, [sum(hits) + draw(st.integers(0, 3)) for hits in lists])


@given(runs())
def test_it_stays_between_0_and_1(run):
    for figures in (compute_micro_averages(run), compute_macro_averages_with_mean_curve_ap(run)):
        for value in (figures.precision, figures.recall, figures.f1, figures.ap, figures.fap):
            assert -1e-12 <= value <= 1 + 1e-12
        assert figures.ap <= figures.recall + 1e-12


def split_ranked_hits(run):
    return [hits.tolist() for hits in np.split(run.hits, np.cumsum(run.lengths)[:-1])]


@given(runs())
def test_it_agrees_with_a_slow_version_of_the_text_book(run):
    lists = split_ranked_hits(run)
    last_recall, expected = 0.0, 0.0
    for k in range(1, run.lengths.max() + 1):
        p = sum(sum(hits[:k]) / min(k, len(hits)) if hits else 0 for hits in lists) / len(lists)
        r = sum(sum(hits[:k]) / gold if gold else 0 for hits, gold in zip(lists, run.gold.tolist(), strict=True)) / len(
            lists
        )
        expected, last_recall = expected + p * (r - last_recall), r
    assert compute_macro_averages_with_mean_curve_ap(run).ap == pytest.approx(expected, abs=1e-12)


@given(runs())
def test_it_agrees_micro_and_macro_on_one_article(run):
    one = build_checked_ranked_hits(split_ranked_hits(run)[:1], run.gold[:1].tolist())
    assert compute_micro_averages(one).f1 == pytest.approx(compute_macro_averages_with_mean_curve_ap(one).f1, abs=1e-12)
    assert compute_micro_averages(one).ap == pytest.approx(compute_macro_averages_with_mean_curve_ap(one).ap, abs=1e-12)


def test_it_computes_the_same_digits_from_parts_of_the_lists(monkeypatch):
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 30, 200) * rng.integers(0, 2, 200)
    hits = rng.random(int(lengths.sum())) < 0.3
    article, position = np.repeat(np.arange(200), lengths), np.concatenate([np.arange(1, each + 1) for each in lengths])
    hit_counts = np.bincount(article[hits], minlength=200)
    ranked = RankedHits(hits, lengths, hit_counts + rng.integers(0, 3, 200))
    precision = np.concatenate([np.cumsum(part) for part in np.split(hits, np.cumsum(lengths)[:-1])]) / position
    assert ranked.position.tolist() == position.tolist()
    assert ranked.hit_counts.tolist() == hit_counts.tolist()
    assert ranked.hit_article.tolist() == article[hits].tolist()
    assert ranked.hit_position.tolist() == position[hits].tolist()
    assert precision_at_each_row(ranked).tolist() == precision.tolist()
    assert precision_at_each_hit(ranked).tolist() == precision[hits].tolist()
    whole = compute_macro_curve_holding_ended_lists(ranked)
    last = np.bincount(lengths, weights=hit_counts / np.maximum(lengths, 1))
    expected = (np.bincount(position, weights=precision)[1:] + np.cumsum(last)[:-1]) / 200
    assert whole.precision.tolist() == expected.tolist()
    monkeypatch.setattr("evaluation.measures.lists.ranking.ROWS_AT_ONCE", 16)
    assert len(list(ranked.iter_parts())) > 20
    assert compute_macro_curve_holding_ended_lists(ranked).precision.tolist() == expected.tolist()
    assert (
        compute_micro_curve(ranked).precision.tolist()
        == (
            np.cumsum(np.bincount(position[hits], minlength=lengths.max() + 1)[1:])
            / np.cumsum(np.bincount(position)[1:])
        ).tolist()
    )
