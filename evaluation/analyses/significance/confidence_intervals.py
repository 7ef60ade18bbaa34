"""Bootstrap confidence intervals of every figure: the articles are resampled with replacement many times.

Source: percentile intervals as in Efron and Tibshirani (1993) and SciPy's `bootstrap`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.tables.call_tables import CALL_FIGURES, CallTable, resample_call_figures
from evaluation.analyses.tables.list_sums import ListSummands
from evaluation.analyses.tables.list_tables import RANK_FIGURES, RANKED_LIST_FIGURES, ListSums
from evaluation.measures.columns import Floats
from evaluation.measures.lists.ranking import RankedHits

# Number of samples summed at once: few enough to stay in the processor's cache.
SAMPLES_AT_ONCE = 250
# Decimals of bounds. The last digits of a sum depend on the processor and its threads; rounding makes bounds the same
# on every machine.
BOUND_DECIMALS = 9


class ConfidenceInterval(NamedTuple):
    """A figure's percentile interval, low <= high."""

    low: float
    high: float


def iter_bootstrap_weights(articles: int, samples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """float [at most SAMPLES_AT_ONCE, articles]: how often each article is drawn; rows sum to the number of articles.

    The same generator gives the same rows.
    """
    for start in range(0, samples, SAMPLES_AT_ONCE):
        size = min(SAMPLES_AT_ONCE, samples - start)
        drawn = rng.integers(0, articles, (size, articles)) + articles * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * articles).reshape(size, articles).astype(np.float64)


def resample_list_figures(
    runs: Sequence[RankedHits],
    samples: int,
    rng: np.random.Generator,
    beta: float = 1.0,
    names: Sequence[str] = RANKED_LIST_FIGURES,
) -> list[Floats]:
    """float [names, samples] for each run: these RANKED_LIST_FIGURES in each sample; all runs use the same samples.

    Time: samples times articles for each run, and samples times hits for RANK_FIGURES. ValueError when the runs are not
    over the same number of articles, or over none.
    """
    articles = require_equal_article_counts([run.articles for run in runs])
    at_ranks = not set(RANK_FIGURES).isdisjoint(names)
    summands = [ListSummands(run, beta, at_ranks) for run in runs]
    figures = [np.empty((len(names), samples)) for _ in runs]
    done = 0
    for weights in iter_bootstrap_weights(articles, samples, rng):
        columns = slice(done, done + len(weights))
        article_weights = np.ascontiguousarray(weights.T)
        for run, run_figures in zip(summands, figures, strict=True):
            sums = ListSums(run.sum_columns(article_weights), run.layout, run.centres, beta)
            run_figures[:, columns] = [sums.get_figure(name) for name in names]
        done += len(weights)
    return figures


def ranked_list_intervals(
    runs: Sequence[RankedHits],
    samples: int,
    rng: np.random.Generator,
    beta: float = 1.0,
    names: Sequence[str] = RANKED_LIST_FIGURES,
) -> list[dict[str, ConfidenceInterval]]:
    """{figure: interval that holds 95 % of its samples} for each run, of these RANKED_LIST_FIGURES.

    ValueError as in resample_list_figures.
    """
    return [intervals_by_figure(names, figures) for figures in resample_list_figures(runs, samples, rng, beta, names)]


def classification_intervals(
    table: CallTable, samples: int, rng: np.random.Generator, level: float = 0.95
) -> dict[str, ConfidenceInterval]:
    """{figure: interval} of an article classification, for CALL_FIGURES.

    Samples in which a figure is undefined are left out; a figure that is undefined in all samples has no interval.
    """
    require_equal_article_counts([table.articles])
    figures = np.concatenate(
        [resample_call_figures(table, rows) for rows in iter_bootstrap_weights(table.articles, samples, rng)], axis=1
    )
    defined = {name: values[~np.isnan(values)] for name, values in zip(CALL_FIGURES, figures, strict=True)}
    return {name: percentile_interval(values, level) for name, values in defined.items() if len(values)}


def intervals_by_figure(names: Sequence[str], figures: Floats, level: float = 0.95) -> dict[str, ConfidenceInterval]:
    """{name: interval} of figures [names, samples]."""
    return {name: percentile_interval(values, level) for name, values in zip(names, figures, strict=True)}


def percentile_interval(values: Floats, level: float = 0.95) -> ConfidenceInterval:
    """The interval of the middle `level` of the values [samples], with linear interpolation and BOUND_DECIMALS."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).round(BOUND_DECIMALS)
    return ConfidenceInterval(float(low), float(high))


def require_equal_article_counts(article_counts: Sequence[int]) -> int:
    if not article_counts or len(set(article_counts)) > 1 or not article_counts[0]:
        raise ValueError(
            "Runs can be resampled together only over the same articles, at least one; score them separately."
        )
    return article_counts[0]
