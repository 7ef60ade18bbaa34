"""Paired randomization tests against all possible swaps, and against SciPy; shared ranks."""

import numpy as np
import pytest

from evaluation.analyses.significance import randomization
from evaluation.analyses.significance.randomization import (
    TESTABLE_FIGURES,
    PairedTests,
    critical_difference_or_infinity,
    randomization_p_value,
    run_paired_call_tests,
    run_paired_list_tests,
)
from evaluation.analyses.significance.shared_ranks import (
    compute_shared_rank_intervals,
    list_run_indexes_by_score_then_name,
    median_critical_difference,
)
from evaluation.analyses.tables.call_tables import CALL_COUNT_FIGURES, build_call_table
from evaluation.measures.columns import CallColumns
from evaluation.measures.confusion_counts import ConfusionCounts, mcc
from evaluation.measures.lists.ranking import build_checked_ranked_hits, compute_f_ap_and_auc_ipr_per_article
from tests.reference.slow_resampling import exact_p, flat

GOLD = [3, 1, 2, 1, 4, 2, 2, 3]
FIRST = ["TFT", "T", "TTFF", "F", "TFFT", "TT", "FT", "TTT"]
SECOND = ["FFT", "FT", "TFF", "", "FFFT", "FFTT", "F", "TTF"]
THIRD = ["FFF", "T", "", "T", "TF", "TF", "FFT", "F"]
SAMPLES = 4000


def parse_run_lists(words):
    return [([letter == "T" for letter in word], number) for word, number in zip(words, GOLD, strict=True)]


def build_words_run(words):
    return build_checked_ranked_hits([hits for hits, _ in parse_run_lists(words)], GOLD)


RUNS = [build_words_run(FIRST), build_words_run(SECOND), build_words_run(THIRD)]


def near(p):
    """Within four standard errors of a share of SAMPLES, and the one sample that is the observed one."""
    return pytest.approx(p, abs=4 * (p * (1 - p) / SAMPLES) ** 0.5 + 1 / SAMPLES)


@pytest.mark.parametrize("figure", ["macro.f1", "macro.ap", "macro.fap", "micro.f1", "micro.ap", "micro.auc_ipr"])
def test_it_comes_near_the_share_of_all_possible_swaps(figure):
    tests = run_paired_list_tests(RUNS, figure, SAMPLES, np.random.default_rng(7))
    words = [FIRST, SECOND, THIRD]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert tests.p[a, b] == near(exact_p(parse_run_lists(words[a]), parse_run_lists(words[b]), figure))
        assert tests.p[b, a] == tests.p[a, b]


@pytest.mark.parametrize("figure", TESTABLE_FIGURES)
def test_it_gives_the_scores_and_their_differences(figure):
    tests = run_paired_list_tests(RUNS, figure, 10, np.random.default_rng(7))
    scores = [flat(parse_run_lists(words))[figure] for words in (FIRST, SECOND, THIRD)]
    assert tests.scores == pytest.approx(scores, abs=1e-14)
    assert tests.difference[0, 2] == pytest.approx(scores[0] - scores[2], abs=1e-14)
    assert (np.diag(tests.p) == 1).all()


@pytest.mark.parametrize("figure", ["macro.ap", "macro.f1"])
def test_it_takes_the_short_way_to_the_same_p(figure, monkeypatch):
    short = run_paired_list_tests(RUNS, figure, 500, np.random.default_rng(2))
    statistic = {}
    monkeypatch.setattr(
        randomization,
        "build_paired_tests_from_swapped_differences",
        lambda values, own, null, level: statistic.update(own=own, on=values),
    )
    run_paired_list_tests(RUNS, figure, 500, np.random.default_rng(2))
    monkeypatch.undo()
    slow = randomization.compute_pair_differences_after_random_swaps(
        statistic["on"], statistic["own"], 500, np.random.default_rng(2)
    )
    long = randomization.build_paired_tests_from_swapped_differences(statistic["on"], statistic["own"], slow, 0.05)
    assert np.array_equal(short.p, long.p)
    assert short.critical == pytest.approx(long.critical, abs=1e-13)


def test_it_agrees_with_scipy_over_all_permutations():
    from scipy import stats

    first, second = compute_f_ap_and_auc_ipr_per_article(RUNS[0]).f1, compute_f_ap_and_auc_ipr_per_article(RUNS[2]).f1
    theirs = stats.permutation_test(
        (first, second),
        lambda x, y, axis: np.abs(np.mean(x - y, axis=axis)),
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert theirs.pvalue == exact_p(parse_run_lists(FIRST), parse_run_lists(THIRD), "macro.f1")
    ours = run_paired_list_tests([RUNS[0], RUNS[2]], "macro.f1", SAMPLES, np.random.default_rng(7))
    assert ours.p[0, 1] == near(theirs.pvalue)


def test_it_does_not_separate_a_run_from_itself():
    tests = run_paired_list_tests([RUNS[0], RUNS[0]], "macro.f1", 99, np.random.default_rng(1))
    assert tests.p.tolist() == [[1, 1], [1, 1]]


def test_it_counts_ties_and_never_gives_a_p_of_zero():
    away = np.array([0.1, 0.3, 0.3 - 1e-15, 0.5])
    assert randomization_p_value(away, 0.3) == 4 / 5
    assert randomization_p_value(away, 0.6) == 1 / 5


def test_it_finds_the_difference_above_which_p_is_small_enough():
    away = np.arange(1.0, 100.0)
    edge = critical_difference_or_infinity(away, 0.05)
    assert randomization_p_value(away, edge) > 0.05 >= randomization_p_value(away, edge + 0.5)
    assert critical_difference_or_infinity(away[:10], 0.05) == float("inf")


def test_it_cannot_separate_over_too_few_articles():
    three = [build_checked_ranked_hits([[hit] for hit in hits], [1, 1, 1]) for hits in ([1, 1, 1], [0, 0, 0])]
    tests = run_paired_list_tests(three, "macro.f1", 999, np.random.default_rng(1))
    assert tests.p[0, 1] > 0.2
    assert median_critical_difference(tests) == float("inf")


def test_it_tells_how_far_it_is():
    seen = []
    run_paired_list_tests(
        RUNS, "micro.ap", 600, np.random.default_rng(1), progress=lambda done, of: seen.append((done, of))
    )
    assert seen[-1] == (600, 600)


@pytest.mark.parametrize(
    ("runs", "figure", "words"),
    [
        (RUNS, "macro.f1_sd", "no paired test of macro.f1_sd"),
        (RUNS[:1], "macro.f1", "two or more runs"),
        ([RUNS[0], build_checked_ranked_hits([[True]], [1])], "macro.f1", "same articles"),
    ],
)
def test_it_refuses_what_it_cannot_test(runs, figure, words):
    with pytest.raises(ValueError, match=words):
        run_paired_list_tests(runs, figure, 10, np.random.default_rng(1))


TRUTH = {letter: letter in "acegi" for letter in "abcdefghij"}


def calls(positive, names="abcdefghij"):
    return CallColumns(list(names), np.array([name in positive for name in names]), rank=None, confidence=None)


def build_positive_table(positive):
    return build_call_table(TRUTH, calls(positive))


def test_it_swaps_the_counts_of_classifications():
    first, second = "acegb", "acbdf"
    tests = run_paired_call_tests(
        [build_positive_table(first), build_positive_table(second)], "mcc", SAMPLES, np.random.default_rng(3)
    )
    observed = abs(compute_swapped_mcc(first, second, 0))
    every = [abs(compute_swapped_mcc(first, second, swaps)) for swaps in range(2**10)]
    assert tests.p[0, 1] == near(sum(away >= observed - 1e-12 for away in every) / len(every))
    assert tests.difference[0, 1] == pytest.approx(compute_swapped_mcc(first, second, 0), abs=1e-14)


def compute_swapped_mcc(first, second, swaps):
    """The difference of MCC after swapping the articles whose bits are set."""
    mixed = ["", ""]
    for bit, name in enumerate(TRUTH):
        own = (name in first, name in second)
        a, b = own[::-1] if swaps >> bit & 1 else own
        mixed = [mixed[0] + name * a, mixed[1] + name * b]
    return one_mcc(mixed[0]) - one_mcc(mixed[1])


def one_mcc(positive):
    pairs = [(name in positive, truth) for name, truth in TRUTH.items()]
    return mcc(
        ConfusionCounts(*(pairs.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))))
    )


@pytest.mark.parametrize("figure", CALL_COUNT_FIGURES)
def test_it_tests_every_figure_made_from_counts(figure):
    tests = run_paired_call_tests(
        [build_positive_table("ace"), build_positive_table("bdf")], figure, 50, np.random.default_rng(1)
    )
    assert 0 < tests.p[0, 1] <= 1


def test_it_refuses_areas_of_classifications():
    with pytest.raises(ValueError, match="no paired test of auc_pr"):
        run_paired_call_tests(
            [build_positive_table("ace"), build_positive_table("bdf")], "auc_pr", 50, np.random.default_rng(1)
        )


SCORES = np.array([0.39, 0.20, 0.37, 0.12])
DISTINCT_PAIRS = PairedTests(
    SCORES,
    SCORES[:, None] - SCORES,
    np.array([[1, 0.01, 0.4, 0.01], [0.01, 1, 0.02, 0.3], [0.4, 0.02, 1, 0.01], [0.01, 0.3, 0.01, 1]]),
    np.full((4, 4), 0.1),
    0.05,
)


def test_it_lets_runs_share_ranks_that_are_not_separated():
    assert [str(rank) for rank in compute_shared_rank_intervals(DISTINCT_PAIRS)] == ["1-2", "3-4", "1-2", "3-4"]
    assert [str(rank) for rank in compute_shared_rank_intervals(DISTINCT_PAIRS, higher_is_better=False)] == [
        "3-4",
        "1-2",
        "3-4",
        "1-2",
    ]
    assert list_run_indexes_by_score_then_name(DISTINCT_PAIRS, ["a", "b", "c", "d"]) == [0, 2, 1, 3]


def test_it_gives_a_rank_of_its_own_to_a_run_apart_from_all():
    apart = PairedTests(
        SCORES, DISTINCT_PAIRS.difference, np.where(np.eye(4) == 1, 1, 0.001), DISTINCT_PAIRS.critical, 0.05
    )
    assert [str(rank) for rank in compute_shared_rank_intervals(apart)] == ["1", "3", "2", "4"]


def test_it_tells_what_difference_the_articles_can_tell():
    assert median_critical_difference(DISTINCT_PAIRS) == 0.1
    few = run_paired_list_tests(RUNS, "macro.f1", 999, np.random.default_rng(1))
    many = run_paired_list_tests([tenfold(run) for run in RUNS], "macro.f1", 999, np.random.default_rng(1))
    assert median_critical_difference(many) < median_critical_difference(few) / 2


def tenfold(run):
    return type(run)(np.tile(run.hits, 10), np.tile(run.lengths, 10), np.tile(run.gold, 10))
