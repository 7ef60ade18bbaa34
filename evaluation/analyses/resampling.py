"""Bootstrap intervals of every figure: the articles are drawn anew, with replacement, many times.

Source: percentile intervals as in Efron and Tibshirani (1993) and SciPy's `bootstrap`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.call_tables import CALL_FIGURES, CallTable, call_samples
from evaluation.analyses.list_sums import ListSummands
from evaluation.analyses.list_tables import FIGURES, OF_RANKS, ListSums
from evaluation.measures.columns import Floats
from evaluation.measures.ranking import RankedHits

# Samples whose sums are taken at once: few enough that they stay in the processor's cache.
AT_ONCE = 250
# Bounds have so many decimals: a sum's last digits depend on the processor and on the threads that share it, and on
# another machine the same bounds are to come out.
DECIMALS = 9


class Interval(NamedTuple):
    """A figure's percentile interval, low <= high."""

    low: float
    high: float


def draws(articles: int, samples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """float [at most AT_ONCE, articles]: how often each article is drawn; a row sums to the number of articles.

    The same generator gives the same rows, however they are taken.
    """
    for start in range(0, samples, AT_ONCE):
        size = min(AT_ONCE, samples - start)
        drawn = rng.integers(0, articles, (size, articles)) + articles * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * articles).reshape(size, articles).astype(np.float64)


def list_samples(
    runs: Sequence[RankedHits],
    samples: int,
    rng: np.random.Generator,
    beta: float = 1.0,
    names: Sequence[str] = FIGURES,
) -> list[Floats]:
    """Of each run float [names, samples]: these of FIGURES in each sample; all runs in the same samples.

    Cost: samples times articles, for each run, and with figures of OF_RANKS their hits. ValueError when the runs are
    not over the same number of articles, or over none.
    """
    articles = same_articles([run.articles for run in runs])
    at_ranks = not set(OF_RANKS).isdisjoint(names)
    summands = [ListSummands(run, beta, at_ranks) for run in runs]
    figures = [np.empty((len(names), samples)) for _ in runs]
    done = 0
    for weights in draws(articles, samples, rng):
        taken = slice(done, done + len(weights))
        of_articles = np.ascontiguousarray(weights.T)
        for run, own in zip(summands, figures, strict=True):
            sums = ListSums(run.sums(of_articles), run.layout, run.centres, beta)
            own[:, taken] = [sums.figure(name) for name in names]
        done += len(weights)
    return figures


def list_intervals(
    runs: Sequence[RankedHits],
    samples: int,
    rng: np.random.Generator,
    beta: float = 1.0,
    names: Sequence[str] = FIGURES,
) -> list[dict[str, Interval]]:
    """Of each run {figure: interval that holds 95 % of its samples}, of these figures of FIGURES.

    ValueError as list_samples.
    """
    return [intervals(names, own) for own in list_samples(runs, samples, rng, beta, names)]


def call_intervals(
    table: CallTable, samples: int, rng: np.random.Generator, level: float = 0.95
) -> dict[str, Interval]:
    """{figure: interval} of an article classification, figures by the names of CALL_FIGURES.

    A figure that is not defined in any sample has none; samples in which it is undefined are left out.
    """
    same_articles([table.articles])
    figures = np.concatenate([call_samples(table, rows) for rows in draws(table.articles, samples, rng)], axis=1)
    defined = {name: own[~np.isnan(own)] for name, own in zip(CALL_FIGURES, figures, strict=True)}
    return {name: interval(own, level) for name, own in defined.items() if len(own)}


def intervals(names: Sequence[str], figures: Floats, level: float = 0.95) -> dict[str, Interval]:
    """{name: interval} of figures [names, samples]."""
    return {name: interval(own, level) for name, own in zip(names, figures, strict=True)}


def interval(values: Floats, level: float = 0.95) -> Interval:
    """The middle `level` of the values [samples], between samples by linear interpolation, to DECIMALS."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).round(DECIMALS)
    return Interval(float(low), float(high))


def same_articles(numbers: Sequence[int]) -> int:
    if not numbers or len(set(numbers)) > 1 or not numbers[0]:
        raise ValueError("Runs can be resampled together only over the same articles, at least one; score them apart.")
    return numbers[0]
