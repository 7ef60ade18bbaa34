"""Confidence intervals of the agreement of two producers: articles are resampled, each with all of its instances.

Instances of one article are not independent. Source: the percentile bootstrap of clusters in Davison and Hinkley
(1997), 3.8.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TypeVar

import numpy as np

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    intervals_over_defined_samples,
    iter_bootstrap_weight_batches,
)
from evaluation.measures.columns import Booleans, Floats
from evaluation.measures.lists.ranking import divide_arrays

# The figures of PairwiseAgreement.
AGREEMENT_FIGURES = ("joint", "kappa", "f1")
# A single block is the same in every sample.
MIN_BLOCKS = 2
# Articles are divided into at most so many blocks, so that a large corpus does not make more numbers.
MAX_BLOCKS = 500
# Producers may share different numbers of blocks with each other. A thousand samples of a thousand blocks take 8 MB.
KEPT_WEIGHTS = 4

Labels = TypeVar("Labels", bound=tuple[Hashable, ...])
Flags = TypeVar("Flags", bound=tuple[bool, ...])
IntervalsByFigure = Mapping[str, ConfidenceInterval]
# float [samples, blocks]: how often each of so many blocks is drawn.
WeightSource = Callable[[int], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class BlockPatterns:
    """Instances by the labels that raters give them, in blocks of articles that all of these raters answered.

    labels: bool [patterns, raters]; numbers: float [blocks, patterns], number of instances. A block is an article, or
    several that are resampled together.
    """

    labels: Booleans
    numbers: Floats


def build_weight_source(samples: int, seed: int) -> WeightSource:
    """Weights of bootstrap samples: the same for each number of blocks, and drawn once for the latest numbers."""

    def draw(blocks: int) -> Floats:
        return np.concatenate(list(iter_bootstrap_weight_batches(blocks, samples, np.random.default_rng(seed))))

    return lru_cache(KEPT_WEIGHTS)(draw)


def group_patterns_by_article(counts_of_articles: Iterable[Mapping[Flags, int]], raters: int) -> BlockPatterns:
    """counts_of_articles: {labels by each of so many raters: number of instances} of each article that all answered.

    A block is an article; of more than MAX_BLOCKS articles, every MAX_BLOCKS-th is in the same one.
    """
    patterns, numbers = _count_labels_by_block(counts_of_articles)
    return BlockPatterns(np.array(patterns, dtype=np.bool_).reshape(-1, raters), numbers)


def _count_labels_by_block(counts_of_articles: Iterable[Mapping[Labels, int]]) -> tuple[list[Labels], Floats]:
    """The different labels, and float [blocks, labels], the number of instances that have them."""
    counts = list(counts_of_articles)
    indexes = {labels: index for index, labels in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
    numbers = np.zeros((min(len(counts), MAX_BLOCKS), len(indexes)))
    for place, of_article in enumerate(counts):
        for labels, number in of_article.items():
            numbers[place % MAX_BLOCKS, indexes[labels]] += number
    return list(indexes), numbers


def bootstrap_label_agreement_intervals(
    first: Mapping[str, bool], second: Mapping[str, bool], get_weights: WeightSource
) -> IntervalsByFigure:
    """95 % intervals of two producers' agreement on the articles that both labelled, in the order of the first; both
    {article: relevant}.
    """
    shared = [(relevant, second[article]) for article, relevant in first.items() if article in second]
    return bootstrap_pair_agreement_intervals([{labels: 1} for labels in shared], get_weights, with_kappa=True)


def bootstrap_pair_agreement_intervals(
    counts_of_articles: Iterable[Mapping[Flags, int]], get_weights: WeightSource, *, with_kappa: bool
) -> IntervalsByFigure:
    """95 % intervals of two raters' agreement; counts_of_articles: {labels by both: number of instances} of each."""
    patterns = group_patterns_by_article(counts_of_articles, 2)
    return bootstrap_agreement_intervals(patterns, [(0, 1)], get_weights, with_kappa=with_kappa)[0, 1]


def bootstrap_nominal_agreement_intervals(
    counts_of_articles: Iterable[Mapping[Labels, int]], get_weights: WeightSource
) -> IntervalsByFigure:
    """95 % intervals of the joint probability and the kappa of two raters who choose among any number of labels.

    counts_of_articles: {label by the first, label by the second: number of instances} of each. Figures without an
    interval as in bootstrap_agreement_intervals.
    """
    pairs, numbers = _count_labels_by_block(filter(None, counts_of_articles))
    if len(numbers) < MIN_BLOCKS:
        return {}
    by_first, by_second = defaultdict[Hashable, list[int]](list), defaultdict[Hashable, list[int]](list)
    for index, (first, second) in enumerate(pairs):
        by_first[first].append(index)
        by_second[second].append(index)
    weights = get_weights(len(numbers))

    def count_per_sample(indexes: Sequence[int]) -> Floats:
        counts: Floats = weights @ numbers[:, indexes].sum(axis=1)
        return counts

    size = weights @ numbers.sum(axis=1)
    agreed = count_per_sample([index for index, (first, second) in enumerate(pairs) if first == second])
    chance = np.zeros(len(weights))
    for label in by_first.keys() & by_second.keys():
        chance += count_per_sample(by_first[label]) * count_per_sample(by_second[label])
    figures = np.array([divide_arrays(agreed, size, np.nan), _compute_kappa(size, agreed, chance)])
    found = zip(("joint", "kappa"), intervals_over_defined_samples(figures), strict=True)
    return {name: interval for name, interval in found if interval is not None}


def bootstrap_agreement_intervals(
    patterns: BlockPatterns, pairs: Sequence[tuple[int, int]], get_weights: WeightSource, *, with_kappa: bool
) -> dict[tuple[int, int], IntervalsByFigure]:
    """{pair: {figure: 95 % interval}} of AGREEMENT_FIGURES; pairs: of the indexes of two raters.

    Samples in which a figure is 0/0 are left out; a figure that is so in all samples has no interval. No figure has one
    with fewer than MIN_BLOCKS blocks that have an instance: all samples would be alike. with_kappa: whether it is
    meaningful here.
    """
    numbers = patterns.numbers[patterns.numbers.any(axis=1)]
    blocks, raters = len(numbers), patterns.labels.shape[1]
    if blocks < MIN_BLOCKS:
        return {pair: {} for pair in pairs}
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    labels = patterns.labels
    # The columns: all instances, those of each rater, and those of every two raters.
    columns = np.concatenate([np.ones((len(labels), 1)), labels, labels[:, first] & labels[:, second]], axis=1)
    sums = (get_weights(blocks) @ (numbers @ columns)).T
    own = sums[1 : 1 + raters]
    figures = _compute_figures_per_sample(sums[0], own[first], own[second], sums[1 + raters :], with_kappa=with_kappa)
    intervals = {name: intervals_over_defined_samples(sampled) for name, sampled in figures.items()}
    return {
        pair: {name: found for name, of_pairs in intervals.items() if (found := of_pairs[index]) is not None}
        for index, pair in enumerate(pairs)
    }


def _compute_figures_per_sample(
    size: Floats, first: Floats, second: Floats, both: Floats, *, with_kappa: bool
) -> dict[str, Floats]:
    """{figure: float [pairs, samples]}, NaN where it is 0/0.

    size: float [samples], instances; first, second, both: float [pairs, samples], instances that the first, the second
    and both raters of a pair report.
    """
    agreed = size - first - second + 2 * both
    figures = {"joint": divide_arrays(agreed, np.broadcast_to(size, agreed.shape), np.nan)}
    if with_kappa:
        chance = first * second + (size - first) * (size - second)
        figures["kappa"] = _compute_kappa(size, agreed, chance)
    return figures | {"f1": divide_arrays(2 * both, first + second, np.nan)}


def _compute_kappa(size: Floats, agreed: Floats, chance: Floats) -> Floats:
    """NaN where it is 0/0. chance: instances on which raters would agree by chance, times the size."""
    return divide_arrays(size * agreed - chance, size * size - chance, np.nan)
