"""Time and decisions per article with and without help, and their difference, with bootstrap intervals.

The articles are resampled, each with everything that was curated of it, because two curations of one article are not
independent. Source: the percentile bootstrap of clusters in Davison and Hinkley (1997), 3.8.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median, stdev

import numpy as np

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    iter_bootstrap_weight_batches,
    percentile_interval,
)
from evaluation.measures.columns import Floats


@dataclass(frozen=True, slots=True)
class MeasuredCuration:
    """What one curator needed for one article: seconds in sight, and decisions that were not taken back."""

    article: int
    with_help: bool
    seconds: float
    decisions: int


@dataclass(frozen=True, slots=True)
class MeasuredMean:
    """The mean over curations. interval: None for a single article; sd: None for a single curation."""

    mean: float
    sd: float | None
    median: float
    interval: ConfidenceInterval | None


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The curations of one arm; articles: how many different ones. seconds, decisions: None without a curation."""

    with_help: bool
    curations: int
    articles: int
    seconds: MeasuredMean | None
    decisions: MeasuredMean | None


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """The mean with help less that without, and its interval."""

    value: float
    interval: ConfidenceInterval | None


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """Both arms, with help first. The differences are None unless both have a curation."""

    arms: Sequence[ArmFigures]
    seconds: ArmDifference | None
    decisions: ArmDifference | None


def compare_arms(curations: Sequence[MeasuredCuration], samples: int, seed: int) -> ArmComparison:
    """Compare the arms; seed: of the samples, which are the same for time and decisions."""
    seconds = _sample_means(curations, _get_seconds, samples, np.random.default_rng(seed))
    decisions = _sample_means(curations, _get_decisions, samples, np.random.default_rng(seed))
    first, second = (
        _build_arm(with_help, [each for each in curations if each.with_help is with_help], seconds[row], decisions[row])
        for row, with_help in enumerate((True, False))
    )
    return ArmComparison(
        [first, second],
        _build_difference(first.seconds, second.seconds, seconds),
        _build_difference(first.decisions, second.decisions, decisions),
    )


def _build_arm(
    with_help: bool, curations: Sequence[MeasuredCuration], sampled_seconds: Floats, sampled_decisions: Floats
) -> ArmFigures:
    articles = len({each.article for each in curations})
    return ArmFigures(
        with_help,
        len(curations),
        articles,
        _build_mean([_get_seconds(each) for each in curations], articles, sampled_seconds),
        _build_mean([_get_decisions(each) for each in curations], articles, sampled_decisions),
    )


def _get_seconds(curation: MeasuredCuration) -> float:
    return curation.seconds


def _get_decisions(curation: MeasuredCuration) -> float:
    return float(curation.decisions)


def _sample_means(
    curations: Iterable[MeasuredCuration],
    get_value: Callable[[MeasuredCuration], float],
    samples: int,
    rng: np.random.Generator,
) -> Floats:
    """float [2, samples]: the mean with help and that without; NaN in samples without a curation of the arm."""
    sums: dict[int, list[float]] = {}
    for curation in curations:
        row = sums.setdefault(curation.article, [0.0, 0.0, 0.0, 0.0])
        column = 0 if curation.with_help else 2
        row[column] += 1
        row[column + 1] += get_value(curation)
    if not sums:
        return np.full((2, samples), np.nan)
    table = np.array([sums[article] for article in sorted(sums)])
    totals = np.concatenate([rows @ table for rows in iter_bootstrap_weight_batches(len(table), samples, rng)])
    with np.errstate(invalid="ignore"):
        means: Floats = np.stack([totals[:, 1] / totals[:, 0], totals[:, 3] / totals[:, 2]])
    return means


def _build_mean(values: Sequence[float], articles: int, sampled: Floats) -> MeasuredMean | None:
    if not values:
        return None
    deviation = stdev(values) if len(values) > 1 else None
    interval = _build_interval(sampled) if articles > 1 else None
    return MeasuredMean(mean(values), deviation, median(values), interval)


def _build_difference(first: MeasuredMean | None, second: MeasuredMean | None, sampled: Floats) -> ArmDifference | None:
    """Without an interval if one of the arms has none."""
    if first is None or second is None:
        return None
    interval = _build_interval(sampled[0] - sampled[1]) if first.interval and second.interval else None
    return ArmDifference(first.mean - second.mean, interval)


def _build_interval(sampled: Floats) -> ConfidenceInterval:
    """Samples in which the figure is undefined are left out; with two articles in each arm, it is defined in some."""
    return percentile_interval(sampled[~np.isnan(sampled)])
