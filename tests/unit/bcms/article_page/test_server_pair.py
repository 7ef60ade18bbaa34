"""Which two servers are compared."""

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
