"""Bootstrap intervals: the fast way over tables against really drawing the articles, and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    bootstrap_95_percent_list_intervals,
    bootstrap_call_intervals_over_defined_samples,
    bootstrap_list_figures_in_same_samples,
    iter_bootstrap_weight_batches,
    percentile_interval,
)
from evaluation.analyses.tables.call_tables import CALL_FIGURES, build_call_table, compute_call_figures_per_sample
from evaluation.analyses.tables.list_sums import ListSummands
from evaluation.analyses.tables.list_tables import (
    RANK_FIGURES,
    RANKED_LIST_FIGURES,
    ListSums,
    build_list_table_of_article_summands,
)
from evaluation.measures.columns import CallColumns
from evaluation.measures.lists.ranking import build_checked_ranked_hits, compute_f_ap_and_auc_ipr_per_article
from evaluation.measures.run_figures import compute_act_figures, compute_macro_figures, compute_micro_figures
from tests.reference.slow_resampling import draw_lists, flat

HIT_WORDS = ["TFT", "FT", "TTFF", "", "FFFT", "TFTFTF"]
GOLD = [3, 1, 2, 1, 4, 5]


def parse_hit_words(words, gold):
    return [([letter == "T" for letter in word], number) for word, number in zip(words, gold, strict=True)]


def build_lists_run(lists):
    return build_checked_ranked_hits([hits for hits, _ in lists], [number for _, number in lists])


def compute_list_sums(ranked, weights):
    own = ListSummands(ranked)
    return ListSums(own.sum_columns(np.asarray(weights, dtype=float)), own.layout, own.centres)


LISTS = parse_hit_words(HIT_WORDS, GOLD)
ARTICLE = st.lists(st.booleans(), max_size=6).flatmap(
    lambda hits: st.tuples(st.just(hits), st.integers(max(1, sum(hits)), sum(hits) + 3))
)


@given(st.lists(st.tuples(ARTICLE, st.integers(0, 3)), min_size=1, max_size=6))
def test_it_scores_a_sample_as_if_its_articles_stood_there_that_often(articles):
    lists, counts = [own for own, _ in articles], [number for _, number in articles]
    if not any(counts):
        return
    expected = flat(draw_lists(lists, counts))
    sums = compute_list_sums(build_lists_run(lists), [counts])
    for name in RANKED_LIST_FIGURES:
        # A standard deviation of 0 comes out as the root of what rounding leaves.
        assert sums.get_figure(name)[0] == pytest.approx(expected[name], abs=1e-7 if name.endswith("_sd") else 1e-13), (
            name
        )


@pytest.mark.parametrize("words", [HIT_WORDS, ["", "F", "FF"], ["T"], ["TF", "T"], ["", ""]])
def test_it_sums_articles_as_the_whole_table_does(words):
    ranked = build_lists_run(parse_hit_words(words, GOLD[: len(words)]))
    weights = (np.arange(5 * len(words)).reshape(5, -1) * 7) % 4
    table, ours = build_list_table_of_article_summands(ranked), compute_list_sums(ranked, weights)
    theirs = ListSums(weights @ table.values, table.layout, table.centres)
    for name in RANKED_LIST_FIGURES:
        assert ours.get_figure(name) == pytest.approx(theirs.get_figure(name), abs=1e-14), name


def test_it_sums_many_articles_as_the_whole_table_does():
    rng = np.random.default_rng(7)
    lengths, extra = rng.integers(0, 40, 300), rng.integers(0, 4, 300)
    lists = [rng.random(length) < 0.3 for length in lengths]
    ranked = build_lists_run([(hits.tolist(), int(hits.sum() + more)) for hits, more in zip(lists, extra, strict=True)])
    (weights,) = iter_bootstrap_weight_batches(300, 20, rng)
    table = build_list_table_of_article_summands(ranked)
    assert ListSummands(ranked).sum_columns(weights) == pytest.approx(weights @ table.values, rel=1e-12, abs=1e-12)


def test_it_gives_the_run_itself_where_each_article_is_drawn_once():
    ranked = build_lists_run(LISTS)
    sums = compute_list_sums(ranked, [[1] * 6])
    for way, own in (("micro", compute_micro_figures(ranked)), ("macro", compute_macro_figures(ranked))):
        for name in (field.removeprefix(f"{way}.") for field in RANKED_LIST_FIGURES if field.startswith(way)):
            assert sums.get_figure(f"{way}.{name}")[0] == pytest.approx(getattr(own, name), abs=1e-14)


def test_it_leaves_documents_without_right_items_out_of_the_means_only():
    ranked = build_checked_ranked_hits([[True], [False, False]], [2, 0])
    sums = compute_list_sums(ranked, [[2, 0], [1, 1], [0, 2]])
    assert sums.get_figure("macro.documents").tolist() == [2, 1, 0]
    assert sums.get_figure("macro.precision").tolist() == [1, 1, 0]
    assert sums.get_figure("micro.fp").tolist() == [0, 2, 4]


def test_it_draws_the_same_articles_however_many_are_taken_at_once(monkeypatch):
    whole = np.concatenate(list(iter_bootstrap_weight_batches(7, 30, np.random.default_rng(5))))
    monkeypatch.setattr("evaluation.analyses.significance.confidence_intervals.SAMPLES_AT_ONCE", 4)
    assert np.array_equal(np.concatenate(list(iter_bootstrap_weight_batches(7, 30, np.random.default_rng(5)))), whole)
    assert (whole.sum(axis=1) == 7).all()


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "auc_ipr"])
def test_it_gives_the_percentile_intervals_of_scipy(name):
    from scipy import stats

    ranked = build_lists_run(LISTS)
    own = getattr(compute_f_ap_and_auc_ipr_per_article(ranked), name)
    theirs = stats.bootstrap(
        (own,), np.mean, n_resamples=999, method="percentile", vectorized=True, rng=np.random.default_rng(11)
    )
    ours = bootstrap_95_percent_list_intervals([ranked], 999, np.random.default_rng(11))[0][f"macro.{name}"]
    assert ours == tuple(round(bound, 9) for bound in theirs.confidence_interval)


def test_it_scores_all_runs_in_the_same_samples():
    twice = bootstrap_list_figures_in_same_samples(
        [build_lists_run(LISTS), build_lists_run(LISTS)], 50, np.random.default_rng(3)
    )
    assert np.array_equal(*twice)
    again = bootstrap_list_figures_in_same_samples([build_lists_run(LISTS)], 50, np.random.default_rng(3))
    assert np.array_equal(again[0], twice[0])


def test_it_gives_the_same_digits_of_some_figures_as_of_all():
    names = [name for name in RANKED_LIST_FIGURES if name not in RANK_FIGURES]
    some = bootstrap_list_figures_in_same_samples(
        [build_lists_run(LISTS)], 50, np.random.default_rng(3), figure_names=names
    )[0]
    every = dict(
        zip(
            RANKED_LIST_FIGURES,
            bootstrap_list_figures_in_same_samples([build_lists_run(LISTS)], 50, np.random.default_rng(3))[0],
            strict=True,
        )
    )
    assert np.array_equal(some, [every[name] for name in names])


def test_it_takes_the_middle_of_the_samples():
    assert percentile_interval(np.arange(101.0), 0.9) == ConfidenceInterval(5, 95)


def test_it_gives_bounds_without_the_digits_that_threads_and_processors_move():
    assert (
        percentile_interval(np.full(3, 0.1 + 0.2))
        == percentile_interval(np.full(3, 0.3))
        == ConfidenceInterval(0.3, 0.3)
    )


def test_it_refuses_runs_over_different_numbers_of_articles():
    with pytest.raises(ValueError, match="same articles"):
        bootstrap_list_figures_in_same_samples(
            [build_lists_run(LISTS), build_lists_run(LISTS[:2])], 10, np.random.default_rng(1)
        )
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_list_figures_in_same_samples([build_lists_run([])], 10, np.random.default_rng(1))


TRUTH = {"a": True, "b": False, "c": True, "d": True, "e": False, "f": False, "g": True}
CALLS = CallColumns(
    ["c", "b", "a", "x", "e", "g", "f"],
    np.array([True, True, True, True, False, False, False]),
    confidence=np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.9, 0.3]),
)


def repeat_articles(counts):
    """Gold and calls in which each article stands as often as it was drawn, copies under names side by side."""
    gold, rows, names = {}, [], []
    for (article, relevant), number in zip(TRUTH.items(), counts, strict=True):
        gold |= {f"{article}{copy}": relevant for copy in range(number)}
        if article in CALLS.article:
            row = CALLS.article.index(article)
            rows += [row] * number
            names += [f"{article}{copy}" for copy in range(number)]
    return gold, CallColumns(names, CALLS.relevant[rows], confidence=CALLS.confidence[rows])


@pytest.mark.parametrize("unreported", ["ignore", "negative"])
@given(articles=st.lists(st.integers(0, 6), min_size=7, max_size=7))
def test_it_scores_drawn_articles_as_if_they_stood_in_the_list_that_often(unreported, articles):
    counts = [articles.count(number) for number in range(7)]
    expected = compute_act_figures(*repeat_articles(counts), unreported=unreported).figures
    sampled = compute_call_figures_per_sample(
        build_call_table(TRUTH, CALLS, unreported=unreported), np.array([counts], dtype=float)
    )
    for name, own in zip(CALL_FIGURES, sampled[:, 0], strict=True):
        value = getattr(expected, name)
        assert np.isnan(own) if value is None else own == pytest.approx(value, abs=1e-13), name


def test_it_gives_no_interval_where_full_recall_is_never_reached():
    found = bootstrap_call_intervals_over_defined_samples(build_call_table(TRUTH, CALLS), 200, np.random.default_rng(1))
    assert set(CALL_FIGURES) - set(found) <= {"precision_at_full_recall"}
    assert found["mcc"].low < compute_act_figures(TRUTH, CALLS).figures.mcc < found["mcc"].high
    unanswered = CallColumns([], np.array([], dtype=bool))
    assert "precision_at_full_recall" not in bootstrap_call_intervals_over_defined_samples(
        build_call_table(TRUTH, unanswered), 9, np.random.default_rng(1)
    )
