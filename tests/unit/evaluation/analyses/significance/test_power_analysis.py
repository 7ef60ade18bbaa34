"""What a test set can resolve: against the formula by hand, and against simulated challenges."""

import numpy as np
import pytest

from evaluation.analyses.significance.power import (
    deviation_if_articles_differ_by_one,
    pooled_deviation_of_unequal_run_pairs,
    required_articles,
    smallest_detectable_difference_capped_at_one,
)

SIGNS = 1000
ROUNDS = 400


def test_it_is_the_textbook_formula():
    # (1.959964 + 0.841621) * 0.5 / sqrt(100)
    assert smallest_detectable_difference_capped_at_one(100, 0.5) == pytest.approx(0.14008, abs=1e-5)
    assert smallest_detectable_difference_capped_at_one(400, 0.5) == pytest.approx(0.07004, abs=1e-5)
    assert smallest_detectable_difference_capped_at_one(100, 0.5, power=0.9) == pytest.approx(0.16207, abs=1e-5)


def test_it_can_tell_nothing_with_fewer_than_six_articles():
    assert smallest_detectable_difference_capped_at_one(5, 0.1) is None
    assert smallest_detectable_difference_capped_at_one(0, 0.1) is None
    assert smallest_detectable_difference_capped_at_one(6, 0.1) is not None


def test_it_is_never_more_than_the_whole_scale():
    assert smallest_detectable_difference_capped_at_one(6, 0.9) == 1.0
    assert smallest_detectable_difference_capped_at_one(10, 0.0) == 0.0


def test_it_refuses_what_no_spread_and_no_difference_is():
    with pytest.raises(ValueError, match="0 or more, not -1"):
        smallest_detectable_difference_capped_at_one(10, -1)
    with pytest.raises(ValueError, match="at most 1, not 0"):
        required_articles(0, 0.5)


@pytest.mark.parametrize(("difference", "spread"), [(0.05, 0.45), (0.1, 0.3), (0.5, 0.2)])
def test_it_says_how_many_articles_are_needed(difference, spread):
    number = required_articles(difference, spread)
    assert smallest_detectable_difference_capped_at_one(number, spread) <= difference
    assert number == 6 or smallest_detectable_difference_capped_at_one(number - 1, spread) > difference


def test_it_pools_the_spread_of_all_pairs_of_runs():
    runs = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    # The first and the third are alike; the others differ by 0, 1, -1, 0: a variance of 2/3.
    assert pooled_deviation_of_unequal_run_pairs(runs) == pytest.approx((2 / 3) ** 0.5)


@pytest.mark.parametrize("runs", [[], [[1, 0]], [[1], [0]], [[1, 0], [1, 0]]])
def test_it_says_so_when_the_runs_tell_no_spread(runs):
    assert pooled_deviation_of_unequal_run_pairs(runs) is None


def test_it_refuses_runs_over_different_articles():
    with pytest.raises(ValueError):
        pooled_deviation_of_unequal_run_pairs([[1, 0], [1]])


def randomization_p(differences, signs):
    """Two-sided, by sums of differences with random signs: a slow textbook version."""
    seen = abs(differences.sum())
    return (1 + int((np.abs(signs @ differences) >= seen - 1e-12).sum())) / (len(signs) + 1)


def simulate_power(articles, difference, disagreement):
    """How often a randomization test finds a difference between two runs that are right or wrong in each article."""
    generator = np.random.default_rng(20260101)
    signs = generator.choice((-1.0, 1.0), size=(SIGNS, articles))
    chances = [(disagreement + difference) / 2, (disagreement - difference) / 2, 1 - disagreement]
    draws = generator.choice((1.0, -1.0, 0.0), size=(ROUNDS, articles), p=chances)
    return np.mean([randomization_p(row, signs) <= 0.05 for row in draws])


@pytest.mark.parametrize(("articles", "disagreement"), [(100, 0.2), (400, 0.2), (400, 0.4)])
def test_it_has_the_power_that_it_says_in_simulated_challenges(articles, disagreement):
    difference = smallest_detectable_difference_capped_at_one(
        articles, deviation_if_articles_differ_by_one(disagreement)
    )
    # The standard error of 400 rounds is 0.02, and sums of ones are never significant at just 0.05 but a little below.
    assert 0.72 <= simulate_power(articles, difference, disagreement) <= 0.88
