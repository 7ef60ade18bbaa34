"""Paired randomization tests of all runs of a leaderboard: a hundred runs over thousands of articles.

These are the tests of randomization.py with the same signs, in less time and memory: sums are computed once for each
run instead of each pair, and only the number of samples that differ at least as much as observed is kept. `python -m
evaluation compare` gives the same p, (count + 1) / (samples + 1).
"""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from evaluation.analyses.scores.item_scores import name_label_measure
from evaluation.analyses.scores.leaderboard_scores import PASSAGE_MEASURES
from evaluation.analyses.significance.passage_tests import compute_passage_figure_per_sample
from evaluation.analyses.significance.randomization import (
    ARTICLE_MEAN_FIGURES,
    TIE_TOLERANCE,
    SampleProgress,
    check_several_runs_over_same_articles,
    iter_swap_sign_batches_of_samples,
    run_paired_list_tests,
)
from evaluation.analyses.tables.call_tables import CALL_COUNT_FIGURES, compute_call_count_figure_per_sample
from evaluation.analyses.tables.count_tables import LABEL_FIGURES, CountTable, compute_count_figure_per_sample
from evaluation.analyses.tables.list_tables import (
    RANK_FIGURES,
    SCALAR_COLUMNS,
    SCALAR_LAYOUT,
    build_list_table_of_article_summands,
)
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.lists.ranking import RankedHits, divide_arrays
from evaluation.measures.passages import PASSAGE_COUNT_COLUMNS

MIN_SAMPLES = 10_000
# Figures from counts over all articles: SCALAR_COLUMNS, and the functions of their sums.
SUMMED_COLUMNS = ("found", "listed", "gold")
FIGURES_FROM_SUMS: dict[str, Callable[[Floats], Floats]] = {
    "micro.precision": lambda sums: divide_arrays(sums[:, 0], sums[:, 1]),
    "micro.recall": lambda sums: divide_arrays(sums[:, 0], sums[:, 2]),
    "micro.f1": lambda sums: divide_arrays(2 * sums[:, 0], sums[:, 1] + sums[:, 2]),
}
# Other figures use all ranks of two runs in every sample, so only this many runs are tested by them.
MAX_RUNS_BY_RANKS = 32


def required_holm_samples_or_minimum(run_count: int, level: float = 0.05) -> int:
    """The number of samples for this many runs: MIN_SAMPLES, or more if Holm's correction needs more to separate them.

    With m pairs, the smallest p must be at most level / m, and no p is below 1 / (samples + 1).
    """
    return max(MIN_SAMPLES, ceil(run_count * (run_count - 1) / 2 / level))


def has_more_runs_than_default_tests_allow(run_count: int) -> bool:
    """Whether this many runs need more samples than two runs, or cannot be tested on some figures."""
    return required_holm_samples_or_minimum(run_count) > MIN_SAMPLES or run_count > MAX_RUNS_BY_RANKS


def count_list_swaps_reaching_observed_difference(
    runs: Sequence[RankedHits],
    figure: str,
    samples: int,
    rng: np.random.Generator,
    progress: SampleProgress | None = None,
) -> Integers:
    """int [pairs]: the number of samples in which two runs of ranked lists differ at least as much as observed.

    Pairs are in the order (0, 1), (0, 2), ..., (1, 2), ... ValueError for a figure without a test, fewer than two runs,
    runs over different articles, or more than MAX_RUNS_BY_RANKS runs for one of RANK_FIGURES.
    """
    check_several_runs_over_same_articles([run.gold for run in runs])
    if figure in RANK_FIGURES:
        return _count_larger_rank_differences(runs, figure, samples, rng, progress)
    tables = [build_list_table_of_article_summands(run, SCALAR_LAYOUT).values for run in runs]
    if figure in ARTICLE_MEAN_FIGURES:
        judged = tables[0][:, SCALAR_COLUMNS.index("judged")].sum()
        column = SCALAR_COLUMNS.index(figure.removeprefix("macro."))
        values = np.stack([table[:, column] for table in tables])[:, :, None] / max(judged, 1)
        return _count_larger_differences(values, lambda sums: sums[:, 0], samples, rng, progress)
    if figure not in FIGURES_FROM_SUMS:
        raise ValueError(f"There is no paired test of {figure}.")
    columns = [SCALAR_COLUMNS.index(name) for name in SUMMED_COLUMNS]
    return _count_larger_differences(
        np.stack([table[:, columns] for table in tables]), FIGURES_FROM_SUMS[figure], samples, rng, progress
    )


def count_call_swaps_reaching_observed_difference(
    confusion_tables: Sequence[Floats],
    figure: str,
    samples: int,
    rng: np.random.Generator,
    progress: SampleProgress | None = None,
) -> Integers:
    """int [pairs]: the number of samples in which two classifications differ at least as much as observed.

    confusion_tables: float [articles, 4], tp, fp, fn, tn of every article, for each run. Order of pairs and errors as
    in count_list_swaps_reaching_observed_difference.
    """
    check_several_runs_over_same_articles([table[:, 0] + table[:, 2] for table in confusion_tables])
    if figure not in CALL_COUNT_FIGURES:
        raise ValueError(f"There is no paired test of {figure}.")
    return _count_larger_differences(
        np.stack(confusion_tables),
        lambda sums: compute_call_count_figure_per_sample(figure, sums),
        samples,
        rng,
        progress,
    )


def count_passage_swaps_reaching_observed_difference(
    passage_count_tables: Sequence[Floats],
    measure_name: str,
    samples: int,
    rng: np.random.Generator,
    progress: SampleProgress | None = None,
) -> Integers:
    """int [pairs]: the number of samples in which two runs of passages differ at least as much as observed.

    passage_count_tables: float [judged articles, PASSAGE_COUNT_COLUMNS] for each run; measure_name: a name in the
    registry. Order of pairs and errors as in count_list_swaps_reaching_observed_difference.
    """
    check_several_runs_over_same_articles(
        [table[:, PASSAGE_COUNT_COLUMNS.index("pairs")] for table in passage_count_tables]
    )
    figure = next((field_name for field_name, name in PASSAGE_MEASURES.items() if name == measure_name), None)
    if figure is None:
        raise ValueError(f"There is no paired test of {measure_name}.")
    return _count_larger_differences(
        np.stack(passage_count_tables),
        lambda sums: compute_passage_figure_per_sample(figure, sums),
        samples,
        rng,
        progress,
    )


def count_label_swaps_reaching_observed_difference(
    tables: Sequence[CountTable],
    measure_name: str,
    samples: int,
    rng: np.random.Generator,
    progress: SampleProgress | None = None,
) -> Integers:
    """int [pairs]: the number of samples in which two runs of labels differ at least as much as observed.

    measure_name: a name in the registry. Order of pairs and errors as in count_list_swaps_reaching_observed_difference.
    """
    check_several_runs_over_same_articles([table.gold for table in tables])
    figure = next((name for name in LABEL_FIGURES if name_label_measure(name) == measure_name), None)
    if figure is None:
        raise ValueError(f"There is no paired test of {measure_name}.")
    return _count_larger_differences(
        np.stack([table.values for table in tables]),
        lambda sums: compute_count_figure_per_sample(figure, sums),
        samples,
        rng,
        progress,
    )


def _count_larger_rank_differences(
    runs: Sequence[RankedHits], figure: str, samples: int, rng: np.random.Generator, progress: SampleProgress | None
) -> Integers:
    """The counts of the tests of randomization.py. ValueError for more than MAX_RUNS_BY_RANKS runs."""
    if len(runs) > MAX_RUNS_BY_RANKS:
        raise ValueError(f"{figure} can be tested for at most {MAX_RUNS_BY_RANKS} runs, because more would take hours.")
    tests = run_paired_list_tests(runs, figure, samples, rng, progress=progress)
    return np.rint(tests.p[np.triu_indices(len(runs), 1)] * (samples + 1)).astype(np.int64) - 1


def _count_larger_differences(
    values: Floats,
    statistic: Callable[[Floats], Floats],
    samples: int,
    rng: np.random.Generator,
    progress: SampleProgress | None = None,
) -> Integers:
    """int [pairs] of runs with values [runs, articles, columns]; statistic: sums [n, columns] to figures [n]."""
    runs, articles, columns = values.shape
    totals = values.sum(axis=1)
    scores = statistic(totals)
    by_article = np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(articles, runs * columns)
    counts = np.zeros((runs, runs), dtype=np.int64)
    done = 0
    for rows in iter_swap_sign_batches_of_samples(articles, samples, rng, runs * columns):
        signed = (rows @ by_article).reshape(len(rows), runs, columns).transpose(1, 0, 2)
        signed = np.ascontiguousarray(signed)
        for first in range(runs - 1):
            differences = _absolute_differences_after_swaps(
                totals[first], totals[first + 1 :], signed[first], signed[first + 1 :], statistic
            )
            observed = np.abs(scores[first] - scores[first + 1 :]) - TIE_TOLERANCE
            counts[first, first + 1 :] += (differences >= observed[:, None]).sum(axis=1)
        done += len(rows)
        if progress:
            progress(done, samples)
    return counts[np.triu_indices(runs, 1)]


def _absolute_differences_after_swaps(
    total: Floats, totals: Floats, signed: Floats, others: Floats, statistic: Callable[[Floats], Floats]
) -> Floats:
    """float [others, samples]: the absolute difference of one run from each of the others after swapping answers.

    total [columns], totals [others, columns]: sums over articles; signed [samples, columns], others [others, samples,
    columns]: sums with the signs of each sample.
    """
    middle, half_difference = (total + totals)[:, None] / 2, (signed - others) / 2
    if signed.shape[1] == 1:
        # A mean: its difference does not depend on the common part of the two.
        return np.abs(2 * half_difference[:, :, 0])
    shape = half_difference.shape[:2]
    high, low = (
        statistic(sums.reshape(-1, sums.shape[2])) for sums in (middle + half_difference, middle - half_difference)
    )
    return np.abs(high - low).reshape(shape)
