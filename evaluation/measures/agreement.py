"""Agreement between annotators: joint probability, Cohen's kappa of two, Fleiss' kappa of more, and F1 beside them.

Instances are articles that all labelled, or, for identifiers, the union of what all given
producers report for each article; there two producers alone never both say no, so that kappa says nothing.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from typing import TypeVar

from evaluation.measures.counts import ratio

Label = Hashable
Given = TypeVar("Given", bound=Hashable)
# Instances counted by the labels that two give them.
Pairs = Mapping[tuple[Given, Given], int]
# Items counted by which of several producers report them, one place for each.
Rows = Mapping[tuple[bool, ...], int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two producers agree over their instances; f1 takes one as the gold standard of the other, and is symmetric.

    Each is None where it is 0/0; kappa also where it says nothing: identifiers without a third producer.
    """

    instances: int
    joint: float | None
    kappa: float | None
    f1: float | None


def joint_probability(first: Sequence[Label], second: Sequence[Label], undefined: float = 0.0) -> float:
    """JPA in [0, 1]: the share of instances with the same label; both [instances]; `undefined` without an instance.

    ValueError when the two differ in length.
    """
    return joint_of(Counter(zip(first, second, strict=True)), undefined)


def joint_of(pairs: Pairs[Given], undefined: float = 0.0) -> float:
    """The same of instances counted by their two labels."""
    return ratio(sum(number for (a, b), number in pairs.items() if a == b), sum(pairs.values()), undefined)


def cohen_kappa(first: Sequence[Label], second: Sequence[Label], undefined: float = 0.0) -> float:
    """Cohen's kappa in [-1, 1], (observed - expected) / (1 - expected) agreement; both [instances].

    `undefined` when both give one and the same label throughout, or without an instance. ValueError when they differ
    in length.
    """
    return kappa_of(Counter(zip(first, second, strict=True)), undefined)


def kappa_of(pairs: Pairs[Given], undefined: float = 0.0) -> float:
    """The same of instances counted by their two labels."""
    size, agreed = sum(pairs.values()), 0
    ours, theirs = Counter[Given](), Counter[Given]()
    for (a, b), number in pairs.items():
        agreed += number if a == b else 0
        ours[a] += number
        theirs[b] += number
    chance = sum(number * theirs[label] for label, number in ours.items())
    return ratio(size * agreed - chance, size * size - chance, undefined)


def fleiss_kappa(labels: Sequence[Sequence[Label]], undefined: float = 0.0) -> float:
    """Fleiss' kappa in [-1, 1] of two or more raters; labels [instances][raters], as many raters for each instance.

    `undefined` when only one label is ever given, or without an instance. ValueError for fewer than two raters or
    instances with different numbers of them.
    """
    return fleiss_of(Counter(map(tuple, labels)), undefined)


def fleiss_of(rows: Mapping[tuple[Given, ...], int], undefined: float = 0.0) -> float:
    """The same of instances counted by the labels of all raters."""
    if not rows:
        return undefined
    raters, instances = len(next(iter(rows))), sum(rows.values())
    if raters < 2 or any(len(row) != raters for row in rows):
        raise ValueError("Fleiss' kappa needs the same number of raters, two or more, for every instance.")
    pairs, totals = 0, Counter[Given]()
    for row, times in rows.items():
        for label, number in Counter(row).items():
            pairs += times * number * (number - 1)
            totals[label] += times * number
    observed = pairs / (instances * raters * (raters - 1))
    if len(totals) == 1:
        return undefined
    expected = sum(number * number for number in totals.values()) / (instances * raters) ** 2
    return (observed - expected) / (1 - expected)


def label_agreement(first: Mapping[str, bool], second: Mapping[str, bool]) -> Agreement:
    """Agreement of two producers on the articles that both labelled relevant or not (ACT)."""
    articles = [article for article in first if article in second]
    return pair_agreement([first[own] for own in articles], [second[own] for own in articles], kappa=True)


def f1_of_labels(first: Sequence[bool], second: Sequence[bool], undefined: float = 0.0) -> float:
    """F1 of the positive labels in [0, 1], both [instances]; `undefined` when neither gives one.

    ValueError when they differ in length.
    """
    return f1_of(Counter(zip(first, second, strict=True)), undefined)


def f1_of(pairs: Pairs[bool], undefined: float = 0.0) -> float:
    """The same of instances counted by their two labels."""
    positive = sum((a + b) * number for (a, b), number in pairs.items())
    return ratio(2 * pairs.get((True, True), 0), positive, undefined)


Reported = Mapping[str, Collection[Hashable]]


def item_agreement(producers: Sequence[Reported]) -> dict[tuple[int, int], Agreement]:
    """Agreement of every two of the producers, each {article: items}, by their places in the sequence.

    Instances are the union of what all of them report for an article that all of them have.
    """
    return presence_agreement(presence(producers), len(producers))


def presence_agreement(rows: Rows, producers: int) -> dict[tuple[int, int], Agreement]:
    """The same of the rows of presence()."""
    told = producers > 2
    return {(a, b): counted_agreement(pairs_in(rows, a, b), kappa=told) for a, b in combinations(range(producers), 2)}


def pairs_in(rows: Rows, first: int, second: int) -> Counter[tuple[bool, bool]]:
    """The instances counted by what two of the producers say, by their places."""
    pairs = Counter[tuple[bool, bool]]()
    for row, number in rows.items():
        pairs[row[first], row[second]] += number
    return pairs


def pair_agreement(first: Sequence[bool], second: Sequence[bool], *, kappa: bool) -> Agreement:
    return counted_agreement(Counter(zip(first, second, strict=True)), kappa=kappa)


def counted_agreement(pairs: Pairs[bool], *, kappa: bool) -> Agreement:
    """Of two producers, from instances counted by what the two say; kappa: whether it says something here."""
    return Agreement(
        sum(pairs.values()),
        defined(joint_of(pairs, nan)),
        defined(kappa_of(pairs, nan)) if kappa else None,
        defined(f1_of(pairs, nan)),
    )


def defined(value: float) -> float | None:
    return None if isnan(value) else value


def presence(producers: Sequence[Reported]) -> Counter[tuple[bool, ...]]:
    """How many items of the articles that all have are reported by whom: {whether each reports it: number}."""
    rows = Counter[tuple[bool, ...]]()
    shared = [article for article in producers[0] if all(article in other for other in producers)] if producers else []
    for article in shared:
        sets = [frozenset(producer[article]) for producer in producers]
        rows.update(tuple(item in own for own in sets) for item in frozenset().union(*sets))
    return rows
