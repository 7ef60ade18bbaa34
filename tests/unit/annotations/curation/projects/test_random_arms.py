"""Random assignment of articles to the arms of an experiment: balanced in every block, fair, reproducible."""

from collections import Counter
from itertools import product
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.curation.projects.random_arms import draw_arms
from annotations.curation.projects.splitting import split_articles
from annotations.curation.states import CurationArm

WITH, WITHOUT = CurationArm.WITH_HELP, CurationArm.WITHOUT_HELP
PAIRS = st.sets(st.tuples(st.integers(1, 8), st.integers(101, 112)), max_size=60).map(sorted)


def list_differences(arms):
    """{block: pairs with help less pairs without}."""
    differences = Counter()
    for (curator, article), arm in arms.items():
        for block in (("curator", curator), ("article", article)):
            differences[block] += 1 if arm is WITH else -1
    return differences


@given(PAIRS, st.integers(0, 1000))
def test_it_balances_every_curator_and_every_article(pairs, seed):
    arms = draw_arms(pairs, {}, seed)
    assert list(arms) == pairs
    assert all(abs(difference) <= 1 for difference in list_differences(arms).values())


def test_it_gives_an_article_of_two_curators_once_with_help_and_once_without():
    split = split_articles(list(range(101, 121)), [1, 2, 3, 4], 100, 7)
    pairs = [(curator, article) for article, curators in split.items() for curator in curators]
    differences = list_differences(draw_arms(pairs, {}, 7))
    assert set(differences.values()) == {0}
    assert len(differences) == 24


def test_it_draws_the_same_again_for_the_same_seed_and_another_for_another():
    pairs = list(product((1, 2, 3), range(101, 111)))
    assert draw_arms(pairs, {}, 5) == draw_arms(pairs, {}, 5)
    assert draw_arms(pairs, {}, 5) != draw_arms(pairs, {}, 6)


@pytest.mark.parametrize("pairs", [[(1, 101)], [(1, article) for article in range(101, 105)]])
def test_it_gives_each_pair_either_arm_equally_often(pairs):
    """400 draws: the count of a fair coin is within 4 standard deviations, 40, of 200."""
    counts = Counter()
    for seed in range(400):
        counts.update(pair for pair, arm in draw_arms(pairs, {}, seed).items() if arm is WITH)
    assert all(160 <= counts[pair] <= 240 for pair in pairs)


def test_it_draws_every_half_of_a_block_about_equally_often():
    """4 articles of one curator: 6 halves. Chi-squared of 5 degrees of freedom stays below its 0.999 quantile."""
    pairs, draws = [(1, article) for article in range(101, 105)], 600
    counts = Counter(
        tuple(pair for pair, arm in draw_arms(pairs, {}, seed).items() if arm is WITH) for seed in range(draws)
    )
    expected = draws / comb(4, 2)
    assert len(counts) == 6
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20.5


def test_it_makes_up_for_a_difference_that_is_there_already():
    earlier = {(1, 101): WITH, (2, 102): WITHOUT}
    assert draw_arms([(1, 103)], earlier, 1) == {(1, 103): WITHOUT}
    assert draw_arms([(2, 103)], earlier, 1) == {(2, 103): WITH}
    assert draw_arms([(3, 101)], earlier, 1) == {(3, 101): WITHOUT}


def test_it_stays_balanced_when_articles_are_taken_one_at_a_time():
    random, arms = Random(3), {}
    order = random.sample(list(product((1, 2, 3), range(101, 121))), 60)
    for pair in order:
        arms |= draw_arms([pair], arms, 9)
    differences = list_differences(arms)
    assert all(abs(differences["curator", curator]) <= 2 for curator in (1, 2, 3))
