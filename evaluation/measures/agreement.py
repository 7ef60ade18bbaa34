"""Inter-annotator agreement: joint probability, Cohen's kappa of two producers, Fleiss' kappa of more, and F1.

Instances are the articles that all producers labelled or, for identifiers, the union of what they report for each
article. In that union, two producers alone never agree on "no", so their kappa is meaningless and is not given.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from typing import TypeVar

from evaluation.measures.confusion_counts import divide_or_undefined

RaterLabel = Hashable
LabelType = TypeVar("LabelType", bound=Hashable)
# Number of instances by the labels that two producers give them.
LabelPairCounts = Mapping[tuple[LabelType, LabelType], int]
# Number of items by which producers report them: one flag for each producer.
PresenceCounts = Mapping[tuple[bool, ...], int]


@dataclass(frozen=True, slots=True)
class PairwiseAgreement:
    """Agreement of two producers over their instances. f1 scores one against the other and is symmetric.

    A figure is None where it is 0/0. kappa is also None for identifiers without a third producer.
    """

    instances: int
    joint: float | None
    kappa: float | None
    f1: float | None


def joint_probability_of_agreement(
    first_labels: Sequence[RaterLabel], second_labels: Sequence[RaterLabel], undefined: float = 0.0
) -> float:
    """JPA in [0, 1]: the share of instances with the same label; both [instances]; `undefined` without an instance.

    ValueError when the two differ in length.
    """
    return joint_probability_from_counts(Counter(zip(first_labels, second_labels, strict=True)), undefined)


def joint_probability_from_counts(pairs: LabelPairCounts[LabelType], undefined: float = 0.0) -> float:
    """JPA in [0, 1] of instances counted by their two labels; `undefined` without an instance."""
    return divide_or_undefined(
        sum(number for (a, b), number in pairs.items() if a == b), sum(pairs.values()), undefined
    )


def cohen_kappa(
    first_labels: Sequence[RaterLabel], second_labels: Sequence[RaterLabel], undefined: float = 0.0
) -> float:
    """Cohen's kappa in [-1, 1], (observed - expected) / (1 - expected) agreement; both [instances].

    `undefined` without an instance, or when both give every instance the same one label. ValueError when they differ
    in length.
    """
    return cohen_kappa_from_counts(Counter(zip(first_labels, second_labels, strict=True)), undefined)


def cohen_kappa_from_counts(pairs: LabelPairCounts[LabelType], undefined: float = 0.0) -> float:
    """Cohen's kappa in [-1, 1] of instances counted by their two labels.

    `undefined` without an instance, or when both give every instance the same one label.
    """
    size, agreed = sum(pairs.values()), 0
    first_totals, second_totals = Counter[LabelType](), Counter[LabelType]()
    for (a, b), number in pairs.items():
        agreed += number if a == b else 0
        first_totals[a] += number
        second_totals[b] += number
    chance = sum(number * second_totals[label] for label, number in first_totals.items())
    return divide_or_undefined(size * agreed - chance, size * size - chance, undefined)


def fleiss_kappa(labels_by_instance: Sequence[Sequence[RaterLabel]], undefined: float = 0.0) -> float:
    """Fleiss' kappa in [-1, 1] of two or more raters; labels_by_instance [instances][raters], as many raters for each
    instance.

    `undefined` without an instance, or when only one label is used. ValueError for fewer than two raters, or for
    instances with different numbers of raters.
    """
    return fleiss_kappa_from_counts(Counter(map(tuple, labels_by_instance)), undefined)


def fleiss_kappa_from_counts(
    instance_count_by_labels: Mapping[tuple[LabelType, ...], int], undefined: float = 0.0
) -> float:
    """Fleiss' kappa in [-1, 1] of instances counted by the labels of all raters.

    `undefined` without an instance, or when only one label is used. ValueError for fewer than two raters, or for keys
    of different lengths.
    """
    if not instance_count_by_labels:
        return undefined
    raters, instances = len(next(iter(instance_count_by_labels))), sum(instance_count_by_labels.values())
    if raters < 2 or any(len(row) != raters for row in instance_count_by_labels):
        raise ValueError("Fleiss' kappa needs two or more raters, and the same number for every instance.")
    pairs, totals = 0, Counter[LabelType]()
    for row, times in instance_count_by_labels.items():
        for label, number in Counter(row).items():
            pairs += times * number * (number - 1)
            totals[label] += times * number
    observed = pairs / (instances * raters * (raters - 1))
    if len(totals) == 1:
        return undefined
    expected = sum(number * number for number in totals.values()) / (instances * raters) ** 2
    return (observed - expected) / (1 - expected)


def pairwise_agreement_on_shared_articles(
    first_relevant_by_article: Mapping[str, bool], second_relevant_by_article: Mapping[str, bool]
) -> PairwiseAgreement:
    """Agreement of two producers on the articles that both labelled (ACT); both {article: relevant}."""
    articles = [article for article in first_relevant_by_article if article in second_relevant_by_article]
    return compute_agreement_of_two_labellings(
        [first_relevant_by_article[article] for article in articles],
        [second_relevant_by_article[article] for article in articles],
        with_kappa=True,
    )


def _f1_from_counts(pairs: LabelPairCounts[bool], undefined: float = 0.0) -> float:
    """F1 of the positive labels in [0, 1] of instances counted by their two labels; `undefined` without a positive."""
    positive = sum((a + b) * number for (a, b), number in pairs.items())
    return divide_or_undefined(2 * pairs.get((True, True), 0), positive, undefined)


ItemsByArticle = Mapping[str, Collection[Hashable]]


def pairwise_agreement_without_kappa_for_two(
    presence_counts: PresenceCounts, producer_count: int
) -> dict[tuple[int, int], PairwiseAgreement]:
    """Agreement of every two producers, by their indexes, from the counts of count_shared_article_items_by_presence.

    producer_count: how many there are. With two producers alone, kappa is None.
    """
    has_third_producer = producer_count > 2
    return {
        (a, b): compute_agreement_from_label_pair_counts(
            count_items_by_two_producers_presence(presence_counts, a, b), with_kappa=has_third_producer
        )
        for a, b in combinations(range(producer_count), 2)
    }


def count_items_by_two_producers_presence(
    presence_counts: PresenceCounts, first_producer_index: int, second_producer_index: int
) -> Counter[tuple[bool, bool]]:
    """Number of items by whether each of two producers, given by their indexes, reports them."""
    pairs = Counter[tuple[bool, bool]]()
    for row, number in presence_counts.items():
        pairs[row[first_producer_index], row[second_producer_index]] += number
    return pairs


def compute_agreement_of_two_labellings(
    first_labels: Sequence[bool], second_labels: Sequence[bool], *, with_kappa: bool
) -> PairwiseAgreement:
    return compute_agreement_from_label_pair_counts(
        Counter(zip(first_labels, second_labels, strict=True)), with_kappa=with_kappa
    )


def compute_agreement_from_label_pair_counts(
    label_pair_counts: LabelPairCounts[bool], *, with_kappa: bool
) -> PairwiseAgreement:
    """Agreement of two producers, from instances counted by their two labels; with_kappa: whether it is meaningful
    here.
    """
    return PairwiseAgreement(
        sum(label_pair_counts.values()),
        convert_nan_to_none(joint_probability_from_counts(label_pair_counts, nan)),
        convert_nan_to_none(cohen_kappa_from_counts(label_pair_counts, nan)) if with_kappa else None,
        convert_nan_to_none(_f1_from_counts(label_pair_counts, nan)),
    )


def add_up_counts(counts_of_articles: Iterable[Mapping[LabelType, int]]) -> Counter[LabelType]:
    """The sum of {labels: number of instances} of each article."""
    added = Counter[LabelType]()
    for counts in counts_of_articles:
        added.update(counts)
    return added


def convert_nan_to_none(value: float) -> float | None:
    return None if isnan(value) else value


def count_shared_article_items_by_presence(
    items_by_article_of_producers: Sequence[ItemsByArticle],
) -> Counter[tuple[bool, ...]]:
    """{whether each producer reports the item: number of such items}, over the articles that all producers have.

    items_by_article_of_producers: {article: items} of each.
    """
    rows = Counter[tuple[bool, ...]]()
    shared = (
        [
            article
            for article in items_by_article_of_producers[0]
            if all(article in other for other in items_by_article_of_producers)
        ]
        if items_by_article_of_producers
        else []
    )
    for article in shared:
        item_sets = [frozenset(producer[article]) for producer in items_by_article_of_producers]
        rows.update(tuple(item in items for items in item_sets) for item in frozenset().union(*item_sets))
    return rows
