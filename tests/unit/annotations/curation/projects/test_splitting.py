"""Articles are split evenly among curators, with an overlap in which every two of them meet equally often."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.curation.projects.splitting import iter_balanced_pairs, split_articles


def spread(counts):
    return max(counts) - min(counts)


@given(st.integers(2, 15))
def test_it_lists_every_pair_once_and_nobody_gets_ahead(size):
    pairs = list(iter_balanced_pairs(range(size)))
    assert sorted(tuple(sorted(pair)) for pair in pairs) == list(combinations(range(size), 2))
    loads = Counter(dict.fromkeys(range(size), 0))
    for pair in pairs:
        loads.update(pair)
        assert spread(loads.values()) <= 1


@given(st.integers(0, 150), st.integers(2, 9), st.floats(0, 100), st.integers(0, 10**6))
def test_it_splits_evenly_with_the_overlap_that_was_asked_for(number, size, overlap, seed):
    articles, curators = list(range(1000, 1000 + number)), list(range(size))
    split = split_articles(articles, curators, overlap, seed)
    assert list(split) == articles
    shared = [tuple(sorted(people)) for people in split.values() if len(people) == 2]
    assert abs(len(shared) - number * overlap / 100) <= 0.5
    assert all(len(set(people)) == len(people) in (1, 2) for people in split.values())
    loads = Counter(dict.fromkeys(curators, 0))
    for people in split.values():
        loads.update(people)
    assert spread(loads.values()) <= 1
    meetings = Counter(dict.fromkeys(combinations(curators, 2), 0))
    meetings.update(shared)
    assert spread(meetings.values()) <= 1


def test_it_splits_the_same_way_with_the_same_seed_only():
    articles = list(range(40))
    assert split_articles(articles, [1, 2, 3], 50, 7) == split_articles(articles, [1, 2, 3], 50, 7)
    assert split_articles(articles, [1, 2, 3], 50, 7) != split_articles(articles, [1, 2, 3], 50, 8)


def test_it_gives_everything_to_a_single_curator_and_refuses_what_nobody_can_do():
    assert split_articles([1, 2], [9], 0, 1) == {1: (9,), 2: (9,)}
    with pytest.raises(ValueError, match="two curators"):
        split_articles([1], [9], 10, 1)
    with pytest.raises(ValueError, match="no curator"):
        split_articles([1], [], 0, 1)
    with pytest.raises(ValueError, match="0 to 100"):
        split_articles([1], [9, 8], 101, 1)
