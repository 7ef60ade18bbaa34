"""Mentions by their place in the text: which found span is which right one, each used once.

Spans are half-open. Where several pairings are possible, as many spans as can be are paired, and among those pairings
the surest found spans have the first claim.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from evaluation.measures.counts import Counts

SpanMatch = Literal["exact", "start", "end", "either", "overlap"]


class Span(NamedTuple):
    """A piece of text from start up to and without end, 0 <= start < end."""

    start: int
    end: int


def matches(right: Span, found: Span, how: SpanMatch) -> bool:
    """Whether the two count as the same: equal; same start; same end; one of both; or sharing a character."""
    match how:
        case "exact":
            return right == found
        case "start":
            return right.start == found.start
        case "end":
            return right.end == found.end
        case "either":
            return right.start == found.start or right.end == found.end
        case "overlap":
            return right.start < found.end and found.start < right.end


def candidates(right: Sequence[Span], found: Sequence[Span], how: SpanMatch) -> list[list[int]]:
    """[found][choices]: the places of the right spans that each found span may stand for."""
    if how == "overlap":
        return overlapping(right, found)
    keys = {"exact": ("both",), "start": ("start",), "end": ("end",), "either": ("start", "end")}[how]
    index: defaultdict[tuple[str, object], list[int]] = defaultdict(list)
    for place, span in enumerate(right):
        for key in keys:
            index[key, part(span, key)].append(place)
    return [list(dict.fromkeys(place for key in keys for place in index[key, part(span, key)])) for span in found]


def part(span: Span, key: str) -> object:
    return span if key == "both" else getattr(span, key)


def overlapping(right: Sequence[Span], found: Sequence[Span]) -> list[list[int]]:
    """As candidates, for spans that share a character; looks only at right spans that start near enough."""
    order = sorted(range(len(right)), key=lambda place: right[place].start)
    starts = [right[place].start for place in order]
    longest = max((span.end - span.start for span in right), default=0)
    near = [order[bisect_right(starts, own.start - longest) : bisect_left(starts, own.end)] for own in found]
    return [
        sorted(place for place in places if right[place].end > own.start)
        for own, places in zip(found, near, strict=True)
    ]


def pairing(choices: Sequence[Sequence[int]]) -> dict[int, int]:
    """The largest one-to-one pairing {found: right} that respects choices [found][right].

    Found spans claim in their order, and one once paired stays paired, though maybe with another right span: augmenting
    paths (Kuhn 1955), without recursion because a list may be long.
    """
    owner: dict[int, int] = {}
    held: dict[int, int] = {}
    for found, own_choices in enumerate(choices):
        if not own_choices:
            continue
        if (first := own_choices[0]) not in owner:
            owner[first], held[found] = found, first
            continue
        reached = search(found, choices, owner)
        right = next((place for place in reversed(reached) if place not in owner), None)
        while right is not None:
            own = reached[right]
            owner[right], held[own], right = own, right, held.get(own)
    return held


def search(found: int, choices: Sequence[Sequence[int]], owner: Mapping[int, int]) -> dict[int, int]:
    """{right: found span from which it was reached}, breadth first from `found`, up to the first free right span."""
    reached: dict[int, int] = {}
    queue = [found]
    for own in queue:
        for right in choices[own]:
            if right not in reached:
                reached[right] = own
                if right not in owner:
                    return reached
                queue.append(owner[right])
    return reached


def span_hits(right: Sequence[Span], found: Sequence[Span], how: SpanMatch = "exact") -> list[bool]:
    """Whether each found span, best first, is right; as many as can be at once, each right span once."""
    paired = pairing(candidates(right, found, how))
    return [place in paired for place in range(len(found))]


def span_counts(
    right: Mapping[str, Sequence[Span]], found: Mapping[str, Sequence[Span]], how: SpanMatch = "exact"
) -> Counts:
    """Counts over all documents of either; a document of only one side has only misses or only false alarms."""
    return total(
        counts_of(span_hits(right.get(name, ()), found.get(name, ()), how), len(right.get(name, ())))
        for name in right.keys() | found.keys()
    )


def counts_of(hits: Sequence[bool], right: int) -> Counts:
    tp = sum(hits)
    return Counts(tp=tp, fp=len(hits) - tp, fn=right - tp)


def total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())
