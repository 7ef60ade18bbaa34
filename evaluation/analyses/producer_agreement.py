"""Inter-annotator agreement of two or more producers: pairwise, and of all together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import nan

from evaluation.analyses.significance.agreement_intervals import (
    IntervalsByFigure,
    WeightSource,
    bootstrap_agreement_intervals,
    bootstrap_label_agreement_intervals,
    group_patterns_by_article,
)
from evaluation.measures.agreement import (
    ItemsByArticle,
    PairwiseAgreement,
    PresenceCounts,
    convert_nan_to_none,
    count_shared_article_items_by_presence,
    fleiss_kappa_from_counts,
    pairwise_agreement_on_shared_articles,
    pairwise_agreement_without_kappa_for_two,
)


@dataclass(frozen=True, slots=True)
class ProducerAgreement:
    """pairs: by the indexes of two producers; fleiss: kappa of all, None for two producers or where it is 0/0.

    articles: number of articles that all producers have; instances: number of items that they report for these, or, for
    classifications, of the articles themselves. intervals: 95 % intervals of the figures of pairs, where they were
    computed.
    """

    names: Sequence[str]
    pairs: Mapping[tuple[int, int], PairwiseAgreement]
    fleiss: float | None
    instances: int
    articles: int
    intervals: Mapping[tuple[int, int], IntervalsByFigure] = field(default_factory=dict)

    @property
    def mean_f1(self) -> float | None:
        """The mean F1 of the pairs, without those for which it is 0/0; None if it is so for all."""
        figures = [pair.f1 for pair in self.pairs.values() if pair.f1 is not None]
        return sum(figures) / len(figures) if figures else None


def compute_agreement_on_article_labels(
    producer_names: Sequence[str], labels_of_producers: Sequence[Mapping[str, bool]]
) -> ProducerAgreement:
    """Agreement of classifications, {article: relevant} of each producer.

    Pairwise figures are over the articles that both producers have, Fleiss' kappa over those that all have.
    """
    pairs = {
        (a, b): pairwise_agreement_on_shared_articles(labels_of_producers[a], labels_of_producers[b])
        for a, b in combinations(range(len(labels_of_producers)), 2)
    }
    shared = [
        article
        for article in labels_of_producers[0]
        if all(article in producer_labels for producer_labels in labels_of_producers)
    ]
    rows = Counter(tuple(producer_labels[article] for producer_labels in labels_of_producers) for article in shared)
    return add_fleiss_kappa_if_over_two_producers(producer_names, pairs, rows, len(shared))


def compute_agreement_on_shared_article_items(
    producer_names: Sequence[str], reported_items_of_producers: Sequence[ItemsByArticle]
) -> ProducerAgreement:
    """Agreement on items, {article: items} of each producer, over the union of items of the articles that all have.

    Include an article for which a producer reports nothing, with no items; otherwise such disagreement is not counted.
    """
    articles = sum(
        all(article in items_by_article for items_by_article in reported_items_of_producers)
        for article in reported_items_of_producers[0]
    )
    return compute_agreement_from_presence(
        producer_names, count_shared_article_items_by_presence(reported_items_of_producers), articles
    )


def compute_label_agreement_with_intervals(
    producer_names: Sequence[str], labels_of_producers: Sequence[Mapping[str, bool]], get_weights: WeightSource
) -> ProducerAgreement:
    """compute_agreement_on_article_labels, with intervals over the articles in the order of their names."""
    in_order = [dict(sorted(labels.items())) for labels in labels_of_producers]
    agreement = compute_agreement_on_article_labels(producer_names, in_order)
    intervals = {
        (a, b): bootstrap_label_agreement_intervals(in_order[a], in_order[b], get_weights) for a, b in agreement.pairs
    }
    return replace(agreement, intervals=intervals)


def compute_item_agreement_with_intervals(
    producer_names: Sequence[str], reported_items_of_producers: Sequence[ItemsByArticle], get_weights: WeightSource
) -> ProducerAgreement:
    """compute_agreement_on_shared_article_items, with intervals over the articles in the order of their names."""
    agreement = compute_agreement_on_shared_article_items(producer_names, reported_items_of_producers)
    shared = sorted(frozenset(reported_items_of_producers[0]).intersection(*reported_items_of_producers))
    counts = (
        count_shared_article_items_by_presence([{article: items[article]} for items in reported_items_of_producers])
        for article in shared
    )
    number = len(producer_names)
    intervals = bootstrap_agreement_intervals(
        group_patterns_by_article(counts, number), list(agreement.pairs), get_weights, with_kappa=number > 2
    )
    return replace(agreement, intervals=intervals)


def compute_agreement_from_presence(
    producer_names: Sequence[str], presence_counts: PresenceCounts, article_count: int
) -> ProducerAgreement:
    """Agreement from the number of items by which producers report them."""
    return add_fleiss_kappa_if_over_two_producers(
        producer_names,
        pairwise_agreement_without_kappa_for_two(presence_counts, len(producer_names)),
        presence_counts,
        article_count,
    )


def add_fleiss_kappa_if_over_two_producers(
    producer_names: Sequence[str],
    agreement_by_pair: Mapping[tuple[int, int], PairwiseAgreement],
    instance_count_by_labels: PresenceCounts,
    article_count: int,
) -> ProducerAgreement:
    """Add Fleiss' kappa; instance_count_by_labels: {label by each producer: number of instances}."""
    fleiss = (
        convert_nan_to_none(fleiss_kappa_from_counts(instance_count_by_labels, nan))
        if len(producer_names) > 2
        else None
    )
    return ProducerAgreement(
        list(producer_names), agreement_by_pair, fleiss, sum(instance_count_by_labels.values()), article_count
    )
