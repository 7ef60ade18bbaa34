"""Which two servers are compared if the reader has not chosen both."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from annotations.schema import Kind


def complete_server_pair(asked: Sequence[str], kinds: Mapping[str, Collection[Kind]]) -> list[str]:
    """The slugs of two servers: those asked for, then the first that have the most kinds of annotations in common.

    kinds: what each server that answered has annotated, in the order in which servers are preferred; asked is among its
    slugs. There are fewer than two if fewer have answered.
    """
    chosen = list(dict.fromkeys(asked))[:2]
    if len(chosen) == 2 or len(kinds) < 2:
        return chosen or list(kinds)
    pairs = (
        [(*chosen, slug) for slug in kinds if slug not in chosen]
        if chosen
        else combinations(_list_first_two_with_equal_kinds(kinds), 2)
    )
    return list(max(pairs, key=lambda pair: len({*kinds[pair[0]]} & {*kinds[pair[1]]})))


def _list_first_two_with_equal_kinds(kinds: Mapping[str, Collection[Kind]]) -> list[str]:
    """The servers of which one pair is the first of all with the most in common: hundreds of others need no look."""
    found: dict[frozenset[Kind], list[str]] = {}
    for slug, own in kinds.items():
        found.setdefault(frozenset(own), []).append(slug)
    kept = {slug for slugs in found.values() for slug in slugs[:2]}
    return [slug for slug in kinds if slug in kept]
