"""Time and decisions per article in both arms, beside an independent computation sample by sample."""

from statistics import mean

import numpy as np
import pytest

from evaluation.analyses.curators.arm_figures import MeasuredCuration, compare_arms

CURATIONS = [
    MeasuredCuration(1, True, 120.0, 8),
    MeasuredCuration(1, False, 300.0, 5),
    MeasuredCuration(2, True, 60.0, 4),
    MeasuredCuration(3, False, 240.0, 6),
    MeasuredCuration(3, True, 90.0, 9),
    MeasuredCuration(4, False, 600.0, 12),
]


def draw_differences(samples, seed):
    """The differences of the means of seconds: articles are drawn one by one, and what was curated of them listed."""
    rng, articles = np.random.default_rng(seed), [1, 2, 3, 4]
    differences = []
    for drawn in rng.integers(0, 4, (samples, 4)):
        curated = [each for number in drawn for each in CURATIONS if each.article == articles[number]]
        arms = [[each.seconds for each in curated if each.with_help is arm] for arm in (True, False)]
        if all(arms):
            differences.append(mean(arms[0]) - mean(arms[1]))
    return differences


def test_it_computes_textbook_figures():
    first, second = compare_arms(CURATIONS, 100, 1).arms
    assert (first.with_help, first.curations, first.articles) == (True, 3, 3)
    assert (first.seconds.mean, first.seconds.median) == (90.0, 90.0)
    # The squared deviations 900, 0 and 900, divided by 2.
    assert first.seconds.sd == pytest.approx(30.0)
    assert (second.seconds.mean, second.seconds.median) == (380.0, 300.0)
    assert second.decisions.mean == pytest.approx(23 / 3)


def test_it_gives_the_interval_of_the_difference_over_resampled_articles():
    # 200 samples are one batch, drawn at once.
    found = compare_arms(CURATIONS, 200, 7).seconds
    assert found.value == 90.0 - 380.0
    low, high = np.quantile(draw_differences(200, 7), [0.025, 0.975])
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_it_keeps_all_curations_of_an_article_together():
    """Two articles, in each of which help saves 100 s: the difference does not depend on which are drawn."""
    curations = [
        MeasuredCuration(article, arm, seconds - 100 * arm, 5)
        for article, seconds in ((1, 200.0), (2, 900.0))
        for arm in (True, False)
    ]
    difference = compare_arms(curations, 300, 1).seconds
    assert (difference.value, *difference.interval) == (-100.0, -100.0, -100.0)


def test_it_compares_nothing_without_a_second_arm():
    comparison = compare_arms([CURATIONS[0]], 50, 1)
    assert (comparison.seconds, comparison.decisions) == (None, None)
    first, second = comparison.arms
    assert (first.seconds.mean, first.seconds.sd, second.seconds) == (120.0, None, None)
    # One article says nothing about others.
    assert first.seconds.interval is None
    assert compare_arms(CURATIONS[:2], 50, 1).seconds.interval is None
    assert compare_arms([], 50, 1).arms[0].curations == 0
