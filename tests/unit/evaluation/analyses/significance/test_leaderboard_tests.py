"""The tests and ranks of a leaderboard against a slow version straight from the book."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from evaluation.analyses.significance.leaderboard_tests import (
    count_call_swaps_reaching_observed_difference,
    count_list_swaps_reaching_observed_difference,
    required_holm_samples_or_minimum,
)
from evaluation.analyses.significance.multiple_testing import correct_p_values_by_holm
from evaluation.analyses.significance.randomization import run_paired_list_tests
from evaluation.analyses.significance.shared_ranks import (
    build_symmetric_matrix_with_unit_diagonal,
    compute_rank_intervals_from_separation,
    p_values_from_counts,
)
from evaluation.analyses.tables.call_tables import CallTable, build_call_table, compute_call_count_figure_per_sample
from evaluation.analyses.tables.packing import (
    pack_call_table_counts,
    pack_ranked_hits,
    unpack_call_table_counts,
    unpack_ranked_hits,
)
from evaluation.measures.columns import CallColumns
from evaluation.measures.lists.ranking import (
    RankedHits,
    build_checked_ranked_hits,
    compute_macro_averages_with_mean_curve_ap,
    compute_micro_averages,
)

GOLD = [2, 1, 3, 2, 1, 4]
LISTS = (
    [[True, True], [True], [True, False, True], [True], [False], [True, True, False, True]],
    [[False, True], [True], [False, False, True], [], [True], [True]],
    [[False], [False, True], [True], [False, False], [], [False, True, True]],
)
RUNS = [build_checked_ranked_hits(lists, GOLD) for lists in LISTS]
SAMPLES = 400


def swaps(articles, samples, seed):
    """The same coins as the program tosses: True where an article's answers are swapped."""
    return np.random.default_rng(seed).integers(0, 2, (samples, articles)) == 1


def split_run_hits(run):
    ends = np.cumsum(run.lengths)
    return [run.hits[end - length : end].tolist() for end, length in zip(ends, run.lengths, strict=True)]


def slow_counts(runs, figure, samples, seed):
    """Swap the lists of two runs article by article, score both again, compare."""
    averages = {"macro": compute_macro_averages_with_mean_curve_ap, "micro": compute_micro_averages}
    way, name = figure.split(".")

    def value(lists):
        return getattr(averages[way](build_checked_ranked_hits(lists, GOLD)), name)

    counts = []
    for first, second in combinations([split_run_hits(run) for run in runs], 2):
        observed = abs(value(first) - value(second))
        count = 0
        # Of 400 tosses of six coins most fall as others did.
        for toss, number in Counter(map(tuple, swaps(len(GOLD), samples, seed).tolist())).items():
            a = [y if swapped else x for x, y, swapped in zip(first, second, toss, strict=True)]
            b = [x if swapped else y for x, y, swapped in zip(first, second, toss, strict=True)]
            count += number * (abs(value(a) - value(b)) >= observed - 1e-12)
        counts.append(count)
    return counts


@pytest.mark.parametrize(
    "figure",
    [
        "macro.f1",
        "macro.precision",
        "macro.auc_ipr",
        "micro.f1",
        "micro.recall",
        "micro.precision",
        "macro.ap",
        "micro.ap",
    ],
)
def test_it_counts_what_swapping_by_hand_counts(figure):
    counts = count_list_swaps_reaching_observed_difference(RUNS, figure, SAMPLES, np.random.default_rng(7))
    assert counts.tolist() == slow_counts(RUNS, figure, SAMPLES, 7)


@pytest.mark.parametrize("figure", ["macro.f1", "micro.f1", "macro.recall"])
def test_it_gives_the_p_that_the_command_gives(figure):
    tests = run_paired_list_tests(RUNS, figure, SAMPLES, np.random.default_rng(1))
    counts = count_list_swaps_reaching_observed_difference(RUNS, figure, SAMPLES, np.random.default_rng(1))
    assert build_symmetric_matrix_with_unit_diagonal(p_values_from_counts(counts, SAMPLES), 3) == pytest.approx(tests.p)


def calls(letters):
    """A run that says of a0, a1, ... T or F; a dash says nothing."""
    said = [(f"a{number}", letter == "T") for number, letter in enumerate(letters) if letter != "-"]
    return CallColumns([name for name, _ in said], np.array([own for _, own in said]))


def table(letters):
    gold = {f"a{number}": number % 2 == 0 for number in range(len(letters))}
    return build_call_table(gold, calls(letters), unreported="negative")


def test_it_counts_swapped_calls_as_by_hand():
    tables = [table(letters).counts for letters in ("TFTFTF", "TTFFTF", "-FFTTF")]
    counts = count_call_swaps_reaching_observed_difference(tables, "mcc", SAMPLES, np.random.default_rng(3))
    slow = []
    for first, second in combinations(tables, 2):

        def mcc(counted):
            return float(compute_call_count_figure_per_sample("mcc", counted.sum(axis=0)[None])[0])

        observed = abs(mcc(first) - mcc(second))
        tosses = swaps(6, SAMPLES, 3)[:, :, None]
        away = [abs(mcc(np.where(toss, second, first)) - mcc(np.where(toss, first, second))) for toss in tosses]
        slow.append(sum(own >= observed - 1e-12 for own in away))
    assert counts.tolist() == slow


def test_it_refuses_what_it_cannot_test():
    rng = np.random.default_rng(1)
    other = RankedHits(RUNS[0].hits, RUNS[0].lengths, RUNS[0].gold + 1)
    with pytest.raises(ValueError, match="same articles"):
        count_list_swaps_reaching_observed_difference([RUNS[0], other], "macro.f1", 10, rng)
    with pytest.raises(ValueError, match=r"no paired test of macro\.documents"):
        count_list_swaps_reaching_observed_difference(RUNS, "macro.documents", 10, rng)
    with pytest.raises(ValueError, match="no paired test of auc_pr"):
        count_call_swaps_reaching_observed_difference([table("TF").counts] * 2, "auc_pr", 10, rng)
    with pytest.raises(ValueError, match="at most 32 runs"):
        count_list_swaps_reaching_observed_difference([RUNS[0]] * 33, "micro.ap", 10, rng)


def slow_holm(p):
    """Step down from the smallest: it times m, the next times m - 1, ..., none below one before it."""
    order = sorted(range(len(p)), key=lambda place: p[place])
    corrected, highest = [0.0] * len(p), 0.0
    for step, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - step) * p[place]))
        corrected[place] = highest
    return corrected


@pytest.mark.parametrize("p", [[0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 0.5], [0.0001], [0.02, 0.02, 0.9, 0.02]])
def test_it_corrects_as_holm_wrote(p):
    assert correct_p_values_by_holm(np.array(p)).tolist() == pytest.approx(slow_holm(p))


def slow_rank(run, scores, apart):
    return 1 + sum(apart[run][other] and scores[other] > scores[run] for other in range(len(scores)))


def test_it_ranks_by_how_many_are_significantly_better():
    scores = [0.5, 0.9, 0.7, 0.2]
    apart = np.zeros((4, 4), dtype=bool)
    for a, b in ((1, 3), (2, 3), (1, 0)):
        apart[a, b] = apart[b, a] = True
    values = np.array(scores)
    ranks = compute_rank_intervals_from_separation(values[:, None] - values, apart)
    assert [rank.best for rank in ranks] == [slow_rank(run, scores, apart) for run in range(4)] == [2, 1, 1, 3]
    assert [str(rank) for rank in ranks] == ["2-4", "1-2", "1-3", "3-4"]


def test_it_takes_so_many_samples_that_every_difference_can_be_told():
    assert required_holm_samples_or_minimum(2) == required_holm_samples_or_minimum(32) == 10_000
    for runs in (33, 100):
        pairs = runs * (runs - 1) / 2
        assert pairs / (required_holm_samples_or_minimum(runs) + 1) <= 0.05


def test_it_packs_what_is_right_without_losing_any():
    unpacked = unpack_ranked_hits(pack_ranked_hits(RUNS[0]))
    for name in ("hits", "lengths", "gold"):
        assert getattr(unpacked, name).tolist() == getattr(RUNS[0], name).tolist()
    packed: CallTable = table("T-FFT-")
    assert unpack_call_table_counts(pack_call_table_counts(packed)).tolist() == packed.counts.tolist()
