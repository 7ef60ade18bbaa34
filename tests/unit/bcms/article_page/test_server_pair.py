"""Which two servers are compared."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from annotations.schema import Kind
from bcms.article_page.comparison.server_pair import complete_server_pair

KINDS = {
    "genes": {Kind.NORMALIZATION},
    "words": {Kind.MENTION},
    "all": {Kind.MENTION, Kind.NORMALIZATION},
    "more": {Kind.MENTION, Kind.NORMALIZATION, Kind.TAXON},
    "pairs": {Kind.PAIR},
}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ([], ["all", "more"]),
        (["words"], ["words", "all"]),
        (["more"], ["more", "all"]),
        (["pairs"], ["pairs", "genes"]),
        (["pairs", "pairs"], ["pairs", "genes"]),
        (["words", "genes", "all"], ["words", "genes"]),
    ],
)
def test_servers_with_the_most_kinds_in_common_are_added(asked, expected):
    assert complete_server_pair(asked, KINDS) == expected


def test_there_are_fewer_than_two_if_fewer_have_answered():
    assert complete_server_pair([], {"genes": {Kind.NORMALIZATION}}) == ["genes"]
    assert complete_server_pair(["genes"], {"genes": {Kind.NORMALIZATION}}) == ["genes"]
    assert complete_server_pair([], {}) == []


@pytest.mark.parametrize("seed", range(20))
def test_many_servers_have_the_same_pair_as_if_each_was_compared_with_each(seed):
    chance = Random(seed)
    chosen = list(Kind)[: chance.randint(2, 5)]
    kinds = {f"s{number}": chance.sample(chosen, chance.randint(1, len(chosen))) for number in range(12)}
    every_pair = list(combinations(kinds, 2))
    common = [len({*kinds[first]} & {*kinds[second]}) for first, second in every_pair]
    assert complete_server_pair([], kinds) == [*every_pair[common.index(max(common))]]


def test_a_thousand_servers_are_not_compared_each_with_each():
    looks = Counter()

    class Watched(dict):
        def __getitem__(self, slug):
            looks["kinds"] += 1
            return super().__getitem__(slug)

    complete_server_pair([], Watched({f"s{number}": [Kind.MENTION] for number in range(1000)}))
    assert looks["kinds"] == 2
