"""Intervals of agreement: the fast way over blocks against drawing the articles and counting their instances anew."""

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest

from evaluation.agreement.answer_blocks import PACKED_BLOCK, count_blocks, group_patterns_by_block
from evaluation.analyses.significance.agreement_intervals import (
    AGREEMENT_FIGURES,
    MAX_BLOCKS,
    BlockPatterns,
    bootstrap_agreement_intervals,
    bootstrap_label_agreement_intervals,
    build_weight_source,
    group_patterns_by_article,
)
from evaluation.analyses.significance.confidence_intervals import iter_bootstrap_weight_batches
from evaluation.measures.agreement import compute_agreement_from_label_pair_counts

SAMPLES, SEED, RATERS = 40, 3, 3
PAIRS = list(combinations(range(RATERS), 2))


def draw_articles(random, number):
    """The labels of each instance of each article, one to five; at least one rater reports each."""
    patterns = [labels for labels in np.ndindex(*[2] * RATERS) if any(labels)]
    return [
        [tuple(map(bool, labels)) for labels in random.choices(patterns, k=random.randint(1, 5))] for _ in range(number)
    ]


def group_articles(labels_of_articles, raters):
    """labels_of_articles: for each article, the labels of each of its instances."""
    return group_patterns_by_article(map(Counter, labels_of_articles), raters)


def bootstrap_in_plain_python(articles, pair, *, with_kappa):
    """{figure: (low, high)} over the samples in which it is defined."""
    values = {name: [] for name in AGREEMENT_FIGURES}
    (weights,) = iter_bootstrap_weight_batches(len(articles), SAMPLES, np.random.default_rng(SEED))
    for copies in weights:
        counts = Counter()
        for instances, times in zip(articles, copies, strict=True):
            for labels in instances * int(times):
                counts[labels[pair[0]], labels[pair[1]]] += 1
        agreement = compute_agreement_from_label_pair_counts(counts, with_kappa=with_kappa)
        for name, of_samples in values.items():
            if getattr(agreement, name) is not None:
                of_samples.append(getattr(agreement, name))
    return {
        name: tuple(np.quantile(of_samples, [0.025, 0.975]).round(9))
        for name, of_samples in values.items()
        if of_samples
    }


@pytest.mark.parametrize("with_kappa", [False, True])
@pytest.mark.parametrize("number", [2, 3, 25])
def test_it_equals_articles_that_are_drawn_with_all_of_their_instances(number, with_kappa):
    articles = draw_articles(Random(number), number)
    intervals = bootstrap_agreement_intervals(
        group_articles(articles, RATERS), PAIRS, build_weight_source(SAMPLES, SEED), with_kappa=with_kappa
    )
    assert intervals == {pair: bootstrap_in_plain_python(articles, pair, with_kappa=with_kappa) for pair in PAIRS}
    assert len(intervals[0, 1]) == 2 + with_kappa


@pytest.mark.parametrize("articles", [[], [[(True, False)] * 9]])
def test_one_article_has_no_interval(articles):
    patterns = group_articles(articles, 2)
    assert bootstrap_agreement_intervals(patterns, [(0, 1)], build_weight_source(9, 1), with_kappa=True) == {(0, 1): {}}


def test_articles_without_instances_are_not_drawn():
    articles = draw_articles(Random(4), 6)
    found, expected = (
        bootstrap_agreement_intervals(
            group_articles(own, RATERS), PAIRS, build_weight_source(SAMPLES, SEED), with_kappa=True
        )
        for own in ([[], *articles[:3], [], [], *articles[3:]], articles)
    )
    assert found == expected
    patterns = group_articles([[(True, False), (True, True)], [], []], 2)
    assert bootstrap_agreement_intervals(patterns, [(0, 1)], build_weight_source(9, 1), with_kappa=True) == {(0, 1): {}}


def test_a_figure_that_no_sample_defines_has_no_interval():
    patterns = group_articles([[(False, False)], [(False, False)]], 2)
    found = bootstrap_agreement_intervals(patterns, [(0, 1)], build_weight_source(9, 1), with_kappa=True)
    assert found == {(0, 1): {"joint": (1.0, 1.0)}}


def test_labels_are_compared_on_the_articles_that_both_gave_one_to():
    random = Random(5)
    first = {f"a{number}": random.random() < 0.6 for number in range(30)}
    second = {f"a{number}": random.random() < 0.4 for number in range(45, 10, -1)}
    shared = [article for article in first if article in second]
    assert len(shared) == 19
    intervals = bootstrap_label_agreement_intervals(first, second, build_weight_source(SAMPLES, SEED))
    articles = [[(first[article], second[article])] for article in shared]
    assert intervals == bootstrap_in_plain_python(articles, (0, 1), with_kappa=True)
    assert list(intervals) == list(AGREEMENT_FIGURES)


@pytest.mark.parametrize("second", [{}, {"c": True}, {"a": True, "c": False}])
def test_labels_of_fewer_than_two_common_articles_have_no_intervals(second):
    first = {"a": True, "b": False}
    assert bootstrap_label_agreement_intervals(first, second, build_weight_source(SAMPLES, SEED)) == {}


def test_equal_labels_have_the_interval_of_certainty():
    labels = {str(number): number % 3 == 0 for number in range(200)}
    intervals = bootstrap_label_agreement_intervals(labels, dict(labels), build_weight_source(SAMPLES, SEED))
    assert intervals == dict.fromkeys(AGREEMENT_FIGURES, (1.0, 1.0))


def test_articles_of_a_large_corpus_are_resampled_in_blocks():
    articles = [{(True, number % 2 == 0): 1} for number in range(MAX_BLOCKS + 3)]
    patterns = group_patterns_by_article(articles, 2)
    assert len(patterns.numbers) == MAX_BLOCKS
    assert patterns.numbers.sum(axis=1).tolist() == [2, 2, 2, *[1] * (MAX_BLOCKS - 3)]


def test_weights_of_a_number_of_blocks_are_drawn_once_and_the_same_each_time():
    get_weights = build_weight_source(SAMPLES, SEED)
    assert get_weights(5) is get_weights(5)
    assert np.array_equal(get_weights(5), build_weight_source(SAMPLES, SEED)(5))
    assert get_weights(5).shape == (SAMPLES, 5) and set(get_weights(5).sum(axis=1)) == {5.0}


def test_items_are_grouped_by_the_blocks_of_the_articles_that_all_answered():
    """Raters 0 and 2 answered the articles of blocks 0, 1 and 3, rater 0 alone those of blocks 1 and 2."""
    articles = count_blocks([(0b101, 0, pack(0, 1, 1, 3)), (0b001, 0, pack(1, 2))])
    items = count_blocks(
        [(0b101, 0b101, pack(0, 1, 1)), (0b101, 0b010, pack(0)), (0b101, 0b001, pack(1)), (0b001, 0b001, pack(1, 2))]
    )
    reported = group_patterns_by_block(articles, items, (0, 2), {0b101}, only_reported=True)
    assert read_patterns(reported) == [{(True, True): 1}, {(True, True): 2, (True, False): 1}, {}]
    every = group_patterns_by_block(articles, items, (0, 2), {0b101}, only_reported=False)
    assert read_patterns(every)[0] == {(True, True): 1, (False, False): 1}


def test_nothing_counted_has_no_blocks():
    nothing = count_blocks([])
    assert len(group_patterns_by_block(nothing, nothing, (0, 1), set(), only_reported=True).numbers) == 0


def pack(*blocks):
    return np.array(blocks, dtype=PACKED_BLOCK).tobytes()


def read_patterns(patterns: BlockPatterns):
    labels = [tuple(row) for row in patterns.labels.tolist()]
    return [
        {row: int(number) for row, number in zip(labels, numbers, strict=True) if number}
        for numbers in patterns.numbers
    ]
