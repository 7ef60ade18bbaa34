"""Paired randomization tests of all runs of a leaderboard, a hundred of them over thousands of articles.

The same tests with the same signs as in randomization.py, in less time and memory: what is summed is summed once for
each run and not for each pair, and of the samples only those are counted in which a pair differs at least as much as
observed. So `python -m evaluation compare` gives the same p, (count + 1) / (samples + 1).
"""

from collections.abc import Callable, Sequence
from math import ceil

import numpy as np

from evaluation.analyses.board_scores import OF_PASSAGES
from evaluation.analyses.call_tables import COUNT_FIGURES, count_figure
from evaluation.analyses.list_tables import OF_RANKS, SCALARS, WITHOUT_RANKS, list_table
from evaluation.analyses.passages import passage_figure
from evaluation.analyses.randomization import MEANS, TIE, Progress, check_runs, list_tests, signs
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.passages import COUNTED
from evaluation.measures.ranking import RankedHits, divide

LEAST_SAMPLES = 10_000
# Figures from counts over all articles: columns of SCALARS, and the figure from their sums.
SUMMED = ("found", "listed", "gold")
FROM_SUMS: dict[str, Callable[[Floats], Floats]] = {
    "micro.precision": lambda sums: divide(sums[:, 0], sums[:, 1]),
    "micro.recall": lambda sums: divide(sums[:, 0], sums[:, 2]),
    "micro.f1": lambda sums: divide(2 * sums[:, 0], sums[:, 1] + sums[:, 2]),
}
# Other figures take all ranks of two runs again in every sample: only so many runs are tested by them.
MOST_BY_RANKS = 32


def samples_for(runs: int, level: float = 0.05) -> int:
    """How many samples so many runs need: LEAST_SAMPLES, or as many as the correction of Holm can separate them by.

    With m pairs it asks the smallest p to be at most level / m, and no p is smaller than 1 / (samples + 1).
    """
    return max(LEAST_SAMPLES, ceil(runs * (runs - 1) / 2 / level))


def is_large(runs: int) -> bool:
    """Whether so many runs are tested by other samples than two of them alone, or by some figures not at all."""
    return samples_for(runs) > LEAST_SAMPLES or runs > MOST_BY_RANKS


def list_counts(
    runs: Sequence[RankedHits], figure: str, samples: int, rng: np.random.Generator, progress: Progress | None = None
) -> Integers:
    """int [pairs]: in how many samples two runs of ranked lists differ at least as much as observed.

    Pairs in the order (0, 1), (0, 2), ..., (1, 2), ... ValueError when the figure has no test, with fewer than two
    runs, with runs over different articles, or with more than MOST_BY_RANKS runs by a figure that is made from ranks.
    """
    check_runs([run.gold for run in runs])
    if figure in OF_RANKS:
        return counts_by_ranks(runs, figure, samples, rng, progress)
    tables = [list_table(run, WITHOUT_RANKS).values for run in runs]
    if figure in MEANS:
        judged = tables[0][:, SCALARS.index("judged")].sum()
        column = SCALARS.index(figure.removeprefix("macro."))
        values = np.stack([table[:, column] for table in tables])[:, :, None] / max(judged, 1)
        return counted(values, lambda sums: sums[:, 0], samples, rng, progress)
    if figure not in FROM_SUMS:
        raise ValueError(f"There is no paired test of {figure}.")
    columns = [SCALARS.index(name) for name in SUMMED]
    return counted(np.stack([table[:, columns] for table in tables]), FROM_SUMS[figure], samples, rng, progress)


def call_counts(
    tables: Sequence[Floats], figure: str, samples: int, rng: np.random.Generator, progress: Progress | None = None
) -> Integers:
    """As list_counts, of article classifications: tables float [articles, 4] of tp, fp, fn, tn of every article."""
    check_runs([table[:, 0] + table[:, 2] for table in tables])
    if figure not in COUNT_FIGURES:
        raise ValueError(f"There is no paired test of {figure}.")
    return counted(np.stack(tables), lambda sums: count_figure(figure, sums), samples, rng, progress)


def passage_counts(
    tables: Sequence[Floats], measure: str, samples: int, rng: np.random.Generator, progress: Progress | None = None
) -> Integers:
    """As list_counts, of evidence passages: tables float [judged articles, COUNTED]; measure as registered."""
    check_runs([table[:, COUNTED.index("pairs")] for table in tables])
    figure = next((own for own, name in OF_PASSAGES.items() if name == measure), None)
    if figure is None:
        raise ValueError(f"There is no paired test of {measure}.")
    return counted(np.stack(tables), lambda sums: passage_figure(figure, sums), samples, rng, progress)


def counts_by_ranks(
    runs: Sequence[RankedHits], figure: str, samples: int, rng: np.random.Generator, progress: Progress | None
) -> Integers:
    """From the tests of randomization.py."""
    if len(runs) > MOST_BY_RANKS:
        raise ValueError(f"More than {MOST_BY_RANKS} runs are not tested by {figure}, which would take hours.")
    tests = list_tests(runs, figure, samples, rng, progress=progress)
    return np.rint(tests.p[np.triu_indices(len(runs), 1)] * (samples + 1)).astype(np.int64) - 1


def counted(
    values: Floats,
    statistic: Callable[[Floats], Floats],
    samples: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Integers:
    """int [pairs] of runs with values [runs, articles, columns]; statistic: sums [n, columns] to figures [n]."""
    runs, articles, columns = values.shape
    totals = values.sum(axis=1)
    scores = statistic(totals)
    by_article = np.ascontiguousarray(values.transpose(1, 0, 2)).reshape(articles, runs * columns)
    counts = np.zeros((runs, runs), dtype=np.int64)
    done = 0
    for rows in signs(articles, samples, rng, runs * columns):
        signed = (rows @ by_article).reshape(len(rows), runs, columns).transpose(1, 0, 2)
        signed = np.ascontiguousarray(signed)
        for first in range(runs - 1):
            away = differences(totals[first], totals[first + 1 :], signed[first], signed[first + 1 :], statistic)
            observed = np.abs(scores[first] - scores[first + 1 :]) - TIE
            counts[first, first + 1 :] += (away >= observed[:, None]).sum(axis=1)
        done += len(rows)
        if progress:
            progress(done, samples)
    return counts[np.triu_indices(runs, 1)]


def differences(
    total: Floats, totals: Floats, signed: Floats, others: Floats, statistic: Callable[[Floats], Floats]
) -> Floats:
    """float [others, samples]: how far one run is from each of the others when their answers are swapped.

    total [columns], totals [others, columns]: sums over articles; signed [samples, columns], others [others, samples,
    columns]: the same with the signs of each sample.
    """
    middle, away = (total + totals)[:, None] / 2, (signed - others) / 2
    if signed.shape[1] == 1:
        # A mean: its difference does not depend on what the two have in common.
        return np.abs(2 * away[:, :, 0])
    shape = away.shape[:2]
    high, low = (statistic(sums.reshape(-1, sums.shape[2])) for sums in (middle + away, middle - away))
    return np.abs(high - low).reshape(shape)
