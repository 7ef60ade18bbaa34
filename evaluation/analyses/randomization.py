"""Paired randomization tests: does a run score higher than another, or could their answers be swapped?

In each sample every article's answers are swapped between the two runs, or not, by the toss of a coin. p is the share
of samples, the observed one among them, in which the difference is at least as large as observed, either way.
Source: Yeh (2000); counted as in SciPy's `permutation_test`, ties included.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evaluation.analyses.call_tables import COUNT_FIGURES, CallTable, count_figure
from evaluation.analyses.list_tables import (
    FIGURES,
    OF_RANKS,
    SCALARS,
    WITHOUT_RANKS,
    Layout,
    ListSums,
    layout_of,
    list_table,
)
from evaluation.analyses.resampling import AT_ONCE
from evaluation.measures.columns import Floats
from evaluation.measures.ranking import RankedHits

# Called after each piece of work with how much is done and how much there is.
Progress = Callable[[int, int], None]
Statistic = Callable[[Floats], Floats]

# What is worked on at a time stays in the processor's cache, or at least small.
CELLS_OF_SUMS = 200_000
CELLS_OF_SIGNS = 8_000_000
# Differences closer than this are ties: sums of the same numbers in another order.
TIE = 1e-12
# Means over articles: the difference of two runs is itself a mean, so that swapping an article flips its sign.
MEANS = ("macro.precision", "macro.recall", "macro.f1", "macro.auc_ipr")
TESTED = tuple(name for name in FIGURES if not name.endswith("_sd") and name != "macro.documents")


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Tests of all pairs of runs: arrays [runs, runs].

    scores: float [runs]; difference: score of the row less that of the column; p in (0, 1], 1 on the diagonal;
    critical: a difference above it, either way, would have had a p of at most `level` (inf: none would).
    """

    scores: Floats
    difference: Floats
    p: Floats
    critical: Floats
    level: float


def signs(articles: int, samples: int, rng: np.random.Generator, columns: int) -> Iterator[Floats]:
    """float [some samples, articles]: -1 where an article's answers are swapped, else 1.

    As many samples at a time as suit tables of so many columns; the same generator gives the same signs in any case.
    """
    at_once = max(AT_ONCE, min(CELLS_OF_SUMS // columns, CELLS_OF_SIGNS // articles))
    for start in range(0, samples, at_once):
        yield np.where(rng.integers(0, 2, (min(at_once, samples - start), articles)) == 1, 1.0, -1.0)


def list_tests(
    runs: Sequence[RankedHits],
    figure: str,
    samples: int,
    rng: np.random.Generator,
    *,
    beta: float = 1.0,
    level: float = 0.05,
    progress: Progress | None = None,
) -> PairedTests:
    """Tests of every two runs on a figure of TESTED; all over the same articles, whose answers are swapped.

    Means and macro AP are fast. micro.ap, micro.fap, micro.auc_ipr and macro.fap take all ranks of both runs again in
    every sample. ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_runs([run.gold for run in runs])
    if figure not in TESTED:
        raise ValueError(f"There is no paired test of {figure}; choose one of {', '.join(TESTED)}.")
    layout = layout_of(runs) if figure in OF_RANKS else WITHOUT_RANKS
    tables = [list_table(run, layout, beta) for run in runs]

    def statistic(sums: Floats) -> Floats:
        return ListSums(sums, layout, tables[0].centres, beta).figure(figure)

    values = [table.values for table in tables]
    if figure in MEANS:
        null = flipped(mean_parts(values, SCALARS.index(figure.removeprefix("macro."))), samples, rng)
    elif figure == "macro.ap":
        null = flipped(macro_ap_parts(values, layout), samples, rng)
    else:
        null = swapped(values, statistic, samples, rng, progress)
    return tested(values, statistic, null, level)


def call_tests(
    tables: Sequence[CallTable], figure: str, samples: int, rng: np.random.Generator, *, level: float = 0.05
) -> PairedTests:
    """Tests of every two article classifications on a figure of COUNT_FIGURES, by swapping what each counts.

    ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_runs([table.relevant for table in tables])
    if figure not in COUNT_FIGURES:
        raise ValueError(f"There is no paired test of {figure}; choose one of {', '.join(COUNT_FIGURES)}.")

    def statistic(sums: Floats) -> Floats:
        return count_figure(figure, sums)

    values = [table.counts for table in tables]
    return tested(values, statistic, swapped(values, statistic, samples, rng), level)


def check_runs(gold: Sequence[np.ndarray]) -> None:
    if len(gold) < 2:
        raise ValueError("A paired test needs two runs or more; give another run.")
    if not all(np.array_equal(gold[0], other) for other in gold[1:]) or not len(gold[0]):
        raise ValueError("Only runs over the same articles can be compared, at least one; score them in one scenario.")


def mean_parts(values: Sequence[Floats], column: int) -> Floats:
    """float [pairs, articles]: what each article adds to the difference of two means."""
    own = np.stack([table[:, column] for table in values])
    first, second = np.array(list(combinations(range(len(values)), 2))).T
    return (own[first] - own[second]) / values[0][:, SCALARS.index("judged")].sum()


def macro_ap_parts(values: Sequence[Floats], layout: Layout) -> Floats:
    """float [pairs, articles]: what each article adds to the difference of two macro AP, signs as in the sample.

    With m the mean and d half the difference of the two runs' sums at a rank, precision p and gain g, their AP are the
    sums of (m_p + d_p)(m_g + d_g) and (m_p - d_p)(m_g - d_g). Swaps leave m and change only d, in which the difference,
    2 (m_p d_g + d_p m_g), is linear.
    """
    precision, gain = layout.at_ranks(0), layout.at_ranks(1)
    sums = [table.sum(axis=0) for table in values]
    documents = values[0][:, SCALARS.index("judged")].sum()
    parts = [
        (values[a][:, gain] - values[b][:, gain]) @ ((sums[a] + sums[b])[precision] / 2)
        + (values[a][:, precision] - values[b][:, precision]) @ ((sums[a] + sums[b])[gain] / 2)
        for a, b in combinations(range(len(values)), 2)
    ]
    return np.stack(parts) / documents**2


def flipped(parts: Floats, samples: int, rng: np.random.Generator) -> Floats:
    """float [pairs, samples]: the difference in each sample, where swapping an article flips the sign of its part."""
    return np.concatenate([parts @ rows.T for rows in signs(parts.shape[1], samples, rng, len(parts))], axis=1)


def swapped(
    values: Sequence[Floats],
    statistic: Statistic,
    samples: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """float [pairs, samples]: the difference in each sample, where two runs swap the rows of some articles.

    values: [articles, columns] of each run; statistic: from sums [samples, columns] to the figure [samples].
    """
    articles, pairs = len(values[0]), list(combinations(range(len(values)), 2))
    totals, null = [table.sum(axis=0) for table in values], np.empty((len(pairs), samples))
    done = 0
    for rows in signs(articles, samples, rng, values[0].shape[1]):
        signed = [rows @ table for table in values]
        for number, (a, b) in enumerate(pairs):
            middle, away = (totals[a] + totals[b]) / 2, (signed[a] - signed[b]) / 2
            null[number, done : done + len(rows)] = statistic(middle + away) - statistic(middle - away)
        done += len(rows)
        if progress:
            progress(done, samples)
    return null


def tested(values: Sequence[Floats], statistic: Statistic, null: Floats, level: float) -> PairedTests:
    """The tests of all pairs from their differences under swapping [pairs, samples]."""
    scores = np.array([float(statistic(table.sum(axis=0)[None])[0]) for table in values])
    away = np.abs(null)
    pairs = list(combinations(range(len(values)), 2))
    p, critical = np.ones((len(scores), len(scores))), np.zeros((len(scores), len(scores)))
    for own, (a, b) in zip(away, pairs, strict=True):
        p[a, b] = p[b, a] = p_value(own, abs(scores[a] - scores[b]))
        critical[a, b] = critical[b, a] = critical_difference(own, level)
    return PairedTests(scores, scores[:, None] - scores, p, critical, level)


def p_value(away: Floats, observed: float) -> float:
    """(c + 1) / (n + 1), c of the n samples [samples] being at least as far from 0 as observed; never 0."""
    return (int((away >= observed - TIE).sum()) + 1) / (len(away) + 1)


def critical_difference(away: Floats, level: float) -> float:
    """The value that a difference must exceed for a p of at most `level`; inf when no swaps give a larger one.

    Then there are too few samples, or too few articles for so many different swaps.
    """
    allowed = int(level * (len(away) + 1))
    if allowed < 1:
        return float("inf")
    critical = float(np.partition(away, len(away) - allowed)[len(away) - allowed])
    return critical if critical < float(away.max()) - TIE or critical == 0 else float("inf")
