"""Paired randomization tests: whether the difference between two runs is larger than chance explains.

In each sample, the answers to every article are swapped between the two runs with probability 1/2. p is the share of
samples, including the observed one, in which the absolute difference is at least as large as observed.
Source: Yeh (2000); counted as in SciPy's `permutation_test`, ties included.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt

from evaluation.analyses.significance.confidence_intervals import SAMPLES_AT_ONCE
from evaluation.analyses.tables.call_tables import CALL_COUNT_FIGURES, CallTable, compute_call_count_figure_per_sample
from evaluation.analyses.tables.list_tables import (
    RANK_FIGURES,
    RANKED_LIST_FIGURES,
    SCALAR_COLUMNS,
    SCALAR_LAYOUT,
    ListSums,
    TableLayout,
    build_layout_of_hit_ranks_and_lengths,
    build_list_table_of_article_summands,
)
from evaluation.measures.columns import Floats
from evaluation.measures.lists.ranking import RankedHits

# Called after each batch with the number of samples done and their total.
SampleProgress = Callable[[int, int], None]
FigureStatistic = Callable[[Floats], Floats]

# Limits that keep batches in the processor's cache, or at least small.
MAX_SUM_CELLS = 200_000
MAX_SIGN_CELLS = 8_000_000
# Differences closer than this are ties: they differ only by the order of summation.
TIE_TOLERANCE = 1e-12
# Means over articles: the difference of two runs is itself a mean, so swapping an article flips the sign of its part.
ARTICLE_MEAN_FIGURES = ("macro.precision", "macro.recall", "macro.f1", "macro.auc_ipr")
TESTABLE_FIGURES = tuple(name for name in RANKED_LIST_FIGURES if not name.endswith("_sd") and name != "macro.documents")


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Tests of all pairs of runs: arrays [runs, runs].

    scores: float [runs]; difference: score of the row minus that of the column; p in (0, 1], 1 on the diagonal;
    critical: an absolute difference above it would have a p of at most `level` (inf: none would).
    """

    scores: Floats
    difference: Floats
    p: Floats
    critical: Floats
    level: float


def iter_swap_sign_batches_of_samples(
    article_count: int, samples: int, rng: np.random.Generator, columns_for_batch_size: int
) -> Iterator[Floats]:
    """float [some samples, article_count]: -1 where an article's answers are swapped, else 1.

    The size of the batches depends on the number of columns of the tables; the same generator gives the same signs.
    """
    at_once = max(SAMPLES_AT_ONCE, min(MAX_SUM_CELLS // columns_for_batch_size, MAX_SIGN_CELLS // article_count))
    for start in range(0, samples, at_once):
        yield np.where(rng.integers(0, 2, (min(at_once, samples - start), article_count)) == 1, 1.0, -1.0)


def run_paired_list_tests(
    runs: Sequence[RankedHits],
    figure: str,
    samples: int,
    rng: np.random.Generator,
    *,
    beta: float = 1.0,
    level: float = 0.05,
    progress: SampleProgress | None = None,
) -> PairedTests:
    """Tests of all pairs of runs on one of TESTABLE_FIGURES, by swapping their answers; all over the same articles.

    Means and macro AP are fast. micro.ap, micro.fap, micro.auc_ipr and macro.fap use all ranks of both runs in every
    sample. ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_several_runs_over_same_articles([run.gold for run in runs])
    check_figure_has_paired_test(figure, TESTABLE_FIGURES)
    layout = build_layout_of_hit_ranks_and_lengths(runs) if figure in RANK_FIGURES else SCALAR_LAYOUT
    tables = [build_list_table_of_article_summands(run, layout, beta) for run in runs]

    def statistic(sums: Floats) -> Floats:
        return ListSums(sums, layout, tables[0].centres, beta).get_figure(figure)

    values = [table.values for table in tables]
    if figure in ARTICLE_MEAN_FIGURES:
        null = _flip_difference_signs(
            _mean_difference_parts(values, SCALAR_COLUMNS.index(figure.removeprefix("macro."))), samples, rng
        )
    elif figure == "macro.ap":
        null = _flip_difference_signs(_macro_ap_difference_parts(values, layout), samples, rng)
    else:
        null = compute_pair_differences_after_random_swaps(values, statistic, samples, rng, progress)
    return build_paired_tests_from_swapped_differences(values, statistic, null, level)


def run_paired_call_tests(
    tables: Sequence[CallTable], figure: str, samples: int, rng: np.random.Generator, *, level: float = 0.05
) -> PairedTests:
    """Tests of every two article classifications on one of CALL_COUNT_FIGURES, by swapping their counts.

    ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_several_runs_over_same_articles([table.relevant for table in tables])
    check_figure_has_paired_test(figure, CALL_COUNT_FIGURES)
    return run_paired_swap_tests(
        [table.counts for table in tables],
        partial(compute_call_count_figure_per_sample, figure),
        samples,
        rng,
        level=level,
    )


def run_paired_swap_tests(
    tables_of_runs: Sequence[Floats],
    figure_from_sums: FigureStatistic,
    samples: int,
    rng: np.random.Generator,
    *,
    level: float,
) -> PairedTests:
    """Tests of all pairs of runs on a figure of sums, by swapping the rows of articles.

    tables_of_runs: [articles, columns] of each run; figure_from_sums: from sums [samples, columns] to the figure
    [samples].
    """
    swapped = compute_pair_differences_after_random_swaps(tables_of_runs, figure_from_sums, samples, rng)
    return build_paired_tests_from_swapped_differences(tables_of_runs, figure_from_sums, swapped, level)


def check_figure_has_paired_test(figure: str, testable_figures: Sequence[str]) -> None:
    """ValueError that names the figures to choose from, unless there is a paired test of this one."""
    if figure not in testable_figures:
        raise ValueError(f"There is no paired test of {figure}; choose one of {', '.join(testable_figures)}.")


def check_several_runs_over_same_articles(gold_arrays_of_runs: Sequence[npt.NDArray[np.generic]]) -> None:
    if len(gold_arrays_of_runs) < 2:
        raise ValueError("A paired test needs two or more runs; add another run.")
    if not all(np.array_equal(gold_arrays_of_runs[0], other) for other in gold_arrays_of_runs[1:]) or not len(
        gold_arrays_of_runs[0]
    ):
        raise ValueError(
            "Only runs over the same articles, at least one, can be compared; score them in the same scenario."
        )


def _mean_difference_parts(values: Sequence[Floats], column: int) -> Floats:
    """float [pairs, articles]: what each article adds to the difference of two means."""
    figures = np.stack([table[:, column] for table in values])
    first, second = np.array(list(combinations(range(len(values)), 2))).T
    parts: Floats = (figures[first] - figures[second]) / values[0][:, SCALAR_COLUMNS.index("judged")].sum()
    return parts


def _macro_ap_difference_parts(values: Sequence[Floats], layout: TableLayout) -> Floats:
    """float [pairs, articles]: what each article adds to the difference of two macro APs, to be signed by the sample.

    Let m be the mean and d half the difference of the two runs' sums at a rank, for precision p and gain g. Their APs
    are the sums of (m_p + d_p)(m_g + d_g) and (m_p - d_p)(m_g - d_g). Swaps change only d, and the difference, 2 (m_p
    d_g + d_p m_g), is linear in d.
    """
    precision, gain = layout.rank_columns(0), layout.rank_columns(1)
    sums = [table.sum(axis=0) for table in values]
    documents = values[0][:, SCALAR_COLUMNS.index("judged")].sum()
    pair_parts = [
        (values[a][:, gain] - values[b][:, gain]) @ ((sums[a] + sums[b])[precision] / 2)
        + (values[a][:, precision] - values[b][:, precision]) @ ((sums[a] + sums[b])[gain] / 2)
        for a, b in combinations(range(len(values)), 2)
    ]
    parts: Floats = np.stack(pair_parts) / documents**2
    return parts


def _flip_difference_signs(parts: Floats, samples: int, rng: np.random.Generator) -> Floats:
    """float [pairs, samples]: the difference in each sample, where swapping an article flips the sign of its part."""
    return np.concatenate(
        [parts @ rows.T for rows in iter_swap_sign_batches_of_samples(parts.shape[1], samples, rng, len(parts))], axis=1
    )


def compute_pair_differences_after_random_swaps(
    tables_of_runs: Sequence[Floats],
    figure_from_sums: FigureStatistic,
    samples: int,
    rng: np.random.Generator,
    progress: SampleProgress | None = None,
) -> Floats:
    """float [pairs, samples]: the difference in each sample, where two runs swap the rows of some articles.

    tables_of_runs: [articles, columns] of each run; figure_from_sums: from sums [samples, columns] to the figure
    [samples].
    """
    articles, pairs = len(tables_of_runs[0]), list(combinations(range(len(tables_of_runs)), 2))
    totals, null = [table.sum(axis=0) for table in tables_of_runs], np.empty((len(pairs), samples))
    done = 0
    for rows in iter_swap_sign_batches_of_samples(articles, samples, rng, tables_of_runs[0].shape[1]):
        signed = [rows @ table for table in tables_of_runs]
        for pair_index, (a, b) in enumerate(pairs):
            middle, half_difference = (totals[a] + totals[b]) / 2, (signed[a] - signed[b]) / 2
            null[pair_index, done : done + len(rows)] = figure_from_sums(middle + half_difference) - figure_from_sums(
                middle - half_difference
            )
        done += len(rows)
        if progress:
            progress(done, samples)
    return null


def build_paired_tests_from_swapped_differences(
    tables_of_runs: Sequence[Floats], figure_from_sums: FigureStatistic, swapped_differences: Floats, level: float
) -> PairedTests:
    """The tests of all pairs from their differences under swapping [pairs, samples]."""
    scores = np.array([float(figure_from_sums(table.sum(axis=0)[None])[0]) for table in tables_of_runs])
    differences = np.abs(swapped_differences)
    pairs = list(combinations(range(len(tables_of_runs)), 2))
    p, critical = np.ones((len(scores), len(scores))), np.zeros((len(scores), len(scores)))
    for pair_differences, (a, b) in zip(differences, pairs, strict=True):
        p[a, b] = p[b, a] = randomization_p_value(pair_differences, abs(scores[a] - scores[b]))
        critical[a, b] = critical[b, a] = critical_difference_or_infinity(pair_differences, level)
    return PairedTests(scores, scores[:, None] - scores, p, critical, level)


def randomization_p_value(sampled_absolute_differences: Floats, observed_absolute_difference: float) -> float:
    """(c + 1) / (n + 1), where c of the n differences [samples] are at least as large as the observed one; never 0."""
    return (int((sampled_absolute_differences >= observed_absolute_difference - TIE_TOLERANCE).sum()) + 1) / (
        len(sampled_absolute_differences) + 1
    )


def critical_difference_or_infinity(sampled_absolute_differences: Floats, level: float) -> float:
    """The value that a difference must exceed for a p of at most `level`.

    inf when no swap gives a larger one: there are too few samples, or too few articles.
    """
    allowed = int(level * (len(sampled_absolute_differences) + 1))
    if allowed < 1:
        return float("inf")
    critical = float(
        np.partition(sampled_absolute_differences, len(sampled_absolute_differences) - allowed)[
            len(sampled_absolute_differences) - allowed
        ]
    )
    return (
        critical
        if critical < float(sampled_absolute_differences.max()) - TIE_TOLERANCE or critical == 0
        else float("inf")
    )
