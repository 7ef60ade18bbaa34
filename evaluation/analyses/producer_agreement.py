"""Inter-annotator agreement of two or more producers: pairwise, and of all together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

from evaluation.measures.agreement import (
    ItemsByArticle,
    PairwiseAgreement,
    PresenceCounts,
    convert_nan_to_none,
    count_item_presence,
    fleiss_kappa_from_counts,
    label_agreement,
    pairwise_agreement_from_presence,
)


@dataclass(frozen=True, slots=True)
class ProducerAgreement:
    """pairs: by the indexes of two producers; fleiss: kappa of all, None for two producers or where it is 0/0.

    articles: number of articles that all producers have; instances: number of items that they report for these, or, for
    classifications, of the articles themselves.
    """

    names: Sequence[str]
    pairs: Mapping[tuple[int, int], PairwiseAgreement]
    fleiss: float | None
    instances: int
    articles: int


def compute_agreement_on_labels(names: Sequence[str], labels: Sequence[Mapping[str, bool]]) -> ProducerAgreement:
    """Agreement of classifications, {article: relevant} of each producer.

    Pairwise figures are over the articles that both producers have, Fleiss' kappa over those that all have.
    """
    pairs = {(a, b): label_agreement(labels[a], labels[b]) for a, b in combinations(range(len(labels)), 2)}
    shared = [article for article in labels[0] if all(article in producer_labels for producer_labels in labels)]
    rows = Counter(tuple(producer_labels[article] for producer_labels in labels) for article in shared)
    return build_producer_agreement(names, pairs, rows, len(shared))


def compute_agreement_on_items(names: Sequence[str], reported: Sequence[ItemsByArticle]) -> ProducerAgreement:
    """Agreement on items, {article: items} of each producer, over the union of items of the articles that all have.

    Include an article for which a producer reports nothing, with no items; otherwise such disagreement is not counted.
    """
    articles = sum(all(article in items_by_article for items_by_article in reported) for article in reported[0])
    return compute_agreement_from_presence(names, count_item_presence(reported), articles)


def compute_agreement_from_presence(names: Sequence[str], rows: PresenceCounts, articles: int) -> ProducerAgreement:
    """Agreement from the number of items by which producers report them."""
    return build_producer_agreement(names, pairwise_agreement_from_presence(rows, len(names)), rows, articles)


def build_producer_agreement(
    names: Sequence[str], pairs: Mapping[tuple[int, int], PairwiseAgreement], rows: PresenceCounts, articles: int
) -> ProducerAgreement:
    """Add Fleiss' kappa; rows: {label by each producer: number of instances}."""
    fleiss = convert_nan_to_none(fleiss_kappa_from_counts(rows, nan)) if len(names) > 2 else None
    return ProducerAgreement(list(names), pairs, fleiss, sum(rows.values()), articles)
