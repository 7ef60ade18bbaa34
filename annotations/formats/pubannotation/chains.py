"""Joins the fragments of discontinuous mentions, which PubAnnotation can chain by relations.

The relation `_lexicallyChainedTo` leads from a denotation (subj) to a fragment of it (obj), and from there to the next
one. The object of a fragment is `_FRAGMENT`. Source: https://www.pubannotation.org/docs/annotation-format/
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

CHAIN_PREDICATE, FRAGMENT_OBJECT = "_lexicallyChainedTo", "_FRAGMENT"
# One more than the parts that a mention may have, so that longer chains break that rule.
MOST_FRAGMENTS = 101


@dataclass(frozen=True, slots=True)
class FragmentChains:
    """The chains of a document.

    fragments: {id of the denotation where a chain begins: ids of its fragments, at most MOST_FRAGMENTS}; heads: {id of
    such a fragment: ids of the denotations that it belongs to}; chained: ids of all fragments; circular: ids of
    denotations that only belong to chains without a beginning.
    """

    fragments: Mapping[str, Sequence[str]] = field(default_factory=dict)
    heads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    chained: frozenset[str] = frozenset()
    circular: frozenset[str] = frozenset()


def join_chains(links: Iterable[tuple[str, str]]) -> FragmentChains:
    """The chains made of links, (subj, obj). Takes time in proportion to the links, as long chains are cut off."""
    following: dict[str, list[str]] = {}
    for subject, fragment in links:
        following.setdefault(subject, []).append(fragment)
    chained = {fragment for fragments in following.values() for fragment in fragments}
    roots = [subject for subject in following if subject not in chained]
    fragments = {root: _list_reached(following, [root], MOST_FRAGMENTS) for root in roots}
    heads: dict[str, list[str]] = {}
    for root in roots:
        for fragment in fragments[root]:
            heads.setdefault(fragment, []).append(root)
    reached = {*roots, *_list_reached(following, roots, len(chained))}
    return FragmentChains(fragments, heads, frozenset(chained), frozenset({*following, *chained} - reached))


def _list_reached(following: Mapping[str, Sequence[str]], roots: Sequence[str], most: int) -> list[str]:
    """The ids that these lead to, each once, at most so many."""
    reached: dict[str, None] = {}
    waiting = list(reversed(roots))
    while waiting and len(reached) < most:
        for fragment in following.get(waiting.pop(), ()):
            if fragment not in reached:
                reached[fragment] = None
                waiting.append(fragment)
    return list(reached)[:most]
