"""Agreement between annotators: joint probability, Cohen's kappa of two, Fleiss' kappa of more, and F1 beside them.

Instances are articles that all labelled, or, for identifiers, the union of what all given
producers report for each article; there two producers alone never both say no, so that kappa says nothing.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

from evaluation.measures.counts import ratio

Label = Hashable


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
    return ratio(sum(a == b for a, b in zip(first, second, strict=True)), len(first), undefined)


def cohen_kappa(first: Sequence[Label], second: Sequence[Label], undefined: float = 0.0) -> float:
    """Cohen's kappa in [-1, 1], (observed - expected) / (1 - expected) agreement; both [instances].

    `undefined` when both give one and the same label throughout, or without an instance. ValueError when they differ
    in length.
    """
    size = len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True))
    ours, theirs = Counter(first), Counter(second)
    chance = sum(number * theirs[label] for label, number in ours.items())
    return ratio(size * agreed - chance, size * size - chance, undefined)


def fleiss_kappa(labels: Sequence[Sequence[Label]], undefined: float = 0.0) -> float:
    """Fleiss' kappa in [-1, 1] of two or more raters; labels [instances][raters], as many raters for each instance.

    `undefined` when only one label is ever given, or without an instance. ValueError for fewer than two raters or
    instances with different numbers of them.
    """
    if not labels:
        return undefined
    raters = len(labels[0])
    if raters < 2 or any(len(row) != raters for row in labels):
        raise ValueError("Fleiss' kappa needs the same number of raters, two or more, for every instance.")
    # Few rows are different, however many there are.
    pairs, totals = 0, Counter[Label]()
    for row, times in Counter(map(tuple, labels)).items():
        for label, number in Counter(row).items():
            pairs += times * number * (number - 1)
            totals[label] += times * number
    observed = pairs / (len(labels) * raters * (raters - 1))
    if len(totals) == 1:
        return undefined
    expected = sum(number * number for number in totals.values()) / (len(labels) * raters) ** 2
    return (observed - expected) / (1 - expected)


def label_agreement(first: Mapping[str, bool], second: Mapping[str, bool]) -> Agreement:
    """Agreement of two producers on the articles that both labelled relevant or not (ACT)."""
    articles = [article for article in first if article in second]
    return pair_agreement([first[own] for own in articles], [second[own] for own in articles], kappa=True)


def f1_of_labels(first: Sequence[bool], second: Sequence[bool], undefined: float = 0.0) -> float:
    """F1 of the positive labels in [0, 1]; `undefined` when neither gives one."""
    both = sum(a and b for a, b in zip(first, second, strict=True))
    return ratio(2 * both, sum(first) + sum(second), undefined)


Reported = Mapping[str, Collection[Hashable]]


def item_agreement(producers: Sequence[Reported]) -> dict[tuple[int, int], Agreement]:
    """Agreement of every two of the producers, each {article: items}, by their places in the sequence.

    Instances are the union of what all of them report for an article that all of them have.
    """
    return presence_agreement(presence(producers), len(producers))


def presence_agreement(table: Sequence[Sequence[bool]], producers: int) -> dict[tuple[int, int], Agreement]:
    """The same of the rows of presence()."""
    told = producers > 2
    columns = list(zip(*table, strict=True)) or [()] * producers
    return {(a, b): pair_agreement(columns[a], columns[b], kappa=told) for a, b in combinations(range(producers), 2)}


def pair_agreement(first: Sequence[bool], second: Sequence[bool], *, kappa: bool) -> Agreement:
    return Agreement(
        len(first),
        defined(joint_probability(first, second, nan)),
        defined(cohen_kappa(first, second, nan)) if kappa else None,
        defined(f1_of_labels(first, second, nan)),
    )


def defined(value: float) -> float | None:
    return None if isnan(value) else value


def presence(producers: Sequence[Reported]) -> list[tuple[bool, ...]]:
    """[instances][producers]: whether each reports the item, for all items of any of them, article by article.

    Rows can go to fleiss_kappa as they are.
    """
    if not producers:
        return []
    shared = [article for article in producers[0] if all(article in other for other in producers)]
    table = []
    for article in shared:
        sets = [frozenset(producer[article]) for producer in producers]
        table += [tuple(item in own for own in sets) for item in frozenset().union(*sets)]
    return table
