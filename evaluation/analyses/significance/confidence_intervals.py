"""Bootstrap confidence intervals of every figure: the articles are resampled with replacement many times.

Source: percentile intervals as in Efron and Tibshirani (1993) and SciPy's `bootstrap`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.tables.call_tables import CALL_FIGURES, CallTable, compute_call_figures_per_sample
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


def iter_bootstrap_weight_batches(article_count: int, samples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """float [at most SAMPLES_AT_ONCE, article_count]: how often each article is drawn; rows sum to the number of
    articles.

    The same generator gives the same rows.
    """
    for start in range(0, samples, SAMPLES_AT_ONCE):
        size = min(SAMPLES_AT_ONCE, samples - start)
        drawn = rng.integers(0, article_count, (size, article_count)) + article_count * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * article_count).reshape(size, article_count).astype(np.float64)


def bootstrap_list_figures_in_same_samples(
    runs: Sequence[RankedHits],
    samples: int,
    rng: np.random.Generator,
    beta: float = 1.0,
    figure_names: Sequence[str] = RANKED_LIST_FIGURES,
) -> list[Floats]:
    """float [figure_names, samples] for each run: these RANKED_LIST_FIGURES in each sample; all runs use the same
    samples.

    Time: samples times articles for each run, and samples times hits for RANK_FIGURES. ValueError when the runs are not
    over the same number of articles, or over none.
    """
    articles = get_common_nonzero_article_count([run.articles for run in runs])
    at_ranks = not set(RANK_FIGURES).isdisjoint(figure_names)
    summands = [ListSummands(run, beta, at_ranks) for run in runs]
    figures = [np.empty((len(figure_names), samples)) for _ in runs]
    done = 0
    for weights in iter_bootstrap_weight_batches(articles, samples, rng):
        columns = slice(done, done + len(weights))
        for run, run_figures in zip(summands, figures, strict=True):
            sums = ListSums(run.sum_columns(weights), run.layout, run.centres, beta)
            run_figures[:, columns] = [sums.get_figure(name) for name in figure_names]
        done += len(weights)
    return figures


def bootstrap_95_percent_list_intervals(
    runs: Sequence[RankedHits],
    samples: int,
    rng: np.random.Generator,
    beta: float = 1.0,
    figure_names: Sequence[str] = RANKED_LIST_FIGURES,
) -> list[dict[str, ConfidenceInterval]]:
    """{figure: interval that holds 95 % of its samples} for each run, of these RANKED_LIST_FIGURES.

    ValueError as in bootstrap_list_figures_in_same_samples.
    """
    return [
        intervals_by_figure(figure_names, figures)
        for figures in bootstrap_list_figures_in_same_samples(runs, samples, rng, beta, figure_names)
    ]


def bootstrap_call_intervals_over_defined_samples(
    table: CallTable, samples: int, rng: np.random.Generator, level: float = 0.95
) -> dict[str, ConfidenceInterval]:
    """{figure: interval} of an article classification, for CALL_FIGURES.

    Samples in which a figure is undefined are left out; a figure that is undefined in all samples has no interval.
    """
    get_common_nonzero_article_count([table.articles])
    figures = np.concatenate(
        [
            compute_call_figures_per_sample(table, rows)
            for rows in iter_bootstrap_weight_batches(table.articles, samples, rng)
        ],
        axis=1,
    )
    intervals = intervals_over_defined_samples(figures, level)
    return {name: found for name, found in zip(CALL_FIGURES, intervals, strict=True) if found is not None}


def intervals_over_defined_samples(sampled_figures: Floats, level: float = 0.95) -> list[ConfidenceInterval | None]:
    """The interval of each row of sampled_figures [figures, samples], over the samples that are not NaN; None without
    one.
    """
    undefined = np.isnan(sampled_figures)
    intervals: list[ConfidenceInterval | None] = [None] * len(sampled_figures)
    whole = np.flatnonzero(~undefined.any(axis=1))
    for row, bounds in zip(whole, _round_quantiles(sampled_figures[whole], level), strict=True):
        intervals[row] = ConfidenceInterval(*bounds.tolist())
    for row in np.flatnonzero(undefined.any(axis=1) & ~undefined.all(axis=1)):
        intervals[row] = percentile_interval(sampled_figures[row, ~undefined[row]], level)
    return intervals


def intervals_by_figure(
    figure_names: Sequence[str], sampled_figures: Floats, level: float = 0.95
) -> dict[str, ConfidenceInterval]:
    """{name: interval} of sampled_figures [figure_names, samples]."""
    return {
        name: percentile_interval(values, level) for name, values in zip(figure_names, sampled_figures, strict=True)
    }


def percentile_interval(sampled_values: Floats, level: float = 0.95) -> ConfidenceInterval:
    """The interval of the middle `level` of sampled_values [samples], with linear interpolation and BOUND_DECIMALS."""
    ((low, high),) = _round_quantiles(sampled_values[None], level)
    return ConfidenceInterval(float(low), float(high))


def _round_quantiles(sampled_figures: Floats, level: float) -> Floats:
    """float [figures, 2]: both bounds of each row of sampled_figures [figures, samples]."""
    quantiles = np.quantile(sampled_figures, [(1 - level) / 2, (1 + level) / 2], axis=1)
    bounds: Floats = quantiles.T.round(BOUND_DECIMALS)
    return bounds


def get_common_nonzero_article_count(article_counts: Sequence[int]) -> int:
    if not article_counts or len(set(article_counts)) > 1 or not article_counts[0]:
        raise ValueError(
            "Runs can be resampled together only over the same articles, at least one; score them separately."
        )
    return article_counts[0]
