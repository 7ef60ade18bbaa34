"""Compare producers over a corpus: pairwise agreement, agreement of each with itself, and overlap."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from django.core.cache import cache

from annotations.articles.models import Corpus
from annotations.data_sets.models import DataSet
from annotations.schema import Kind
from bcms.lib.version import VERSION
from evaluation.agreement.answer_counts import AnswerCounts, count_current_and_earlier_answers
from evaluation.agreement.candidates import ComparisonCandidate, compute_answers_fingerprint
from evaluation.analyses.overlap import Overlap, build_overlap_from_presence_with_gold, overlap_from_presence
from evaluation.analyses.producer_agreement import (
    ProducerAgreement,
    add_fleiss_kappa_if_over_two_producers,
    compute_agreement_from_presence,
)
from evaluation.measures.agreement import (
    PairwiseAgreement,
    compute_agreement_from_label_pair_counts,
    count_items_by_two_producers_presence,
)

COMPARISON_CACHE_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Agreement of a producer with its own earlier answers."""

    name: str
    agreement: PairwiseAgreement


@dataclass(frozen=True, slots=True)
class ProducerComparison:
    """articles: number of articles that every producer answered, over which the overlap is computed.

    agreements and overlap are None for a single producer; the overlap includes the gold standard if one was given.
    """

    articles: int
    agreements: ProducerAgreement | None
    itself: Sequence[SelfAgreement]
    overlap: Overlap | None


def get_cached_comparison(
    corpus: Corpus,
    kind: Kind,
    producers: Sequence[ComparisonCandidate],
    gold_for_overlap: ComparisonCandidate | None = None,
) -> ProducerComparison:
    """compare_producers_and_their_earlier_answers, from a cache if the annotations have not changed; 2 quick queries
    tell whether they have.
    """
    compared = [*producers, *([] if gold_for_overlap is None else [gold_for_overlap])]
    state = compute_answers_fingerprint(corpus, kind, [producer.id for producer in compared])
    names = [(producer.id, producer.name) for producer in compared]
    key_parts = (VERSION, corpus.pk, kind, names, gold_for_overlap is None, state)
    key = f"comparison:{sha256(repr(key_parts).encode()).hexdigest()}"
    comparison: ProducerComparison | None = cache.get(key)
    if comparison is None:
        comparison = compare_producers_and_their_earlier_answers(corpus, kind, producers, gold_for_overlap)
        cache.set(key, comparison, COMPARISON_CACHE_SECONDS)
    return comparison


def compare_producers_and_their_earlier_answers(
    corpus: Corpus,
    kind: Kind,
    producers: Sequence[ComparisonCandidate],
    gold_for_overlap: ComparisonCandidate | None = None,
) -> ProducerComparison:
    """Compare one or more producers over the articles of a corpus, in 1 query. gold_for_overlap: compare the overlap
    with it.
    """
    number, names = len(producers), [producer.name for producer in producers]
    counts = count_current_and_earlier_answers(
        corpus, kind, [producer.id for producer in producers], gold_for_overlap.id if gold_for_overlap else None
    )
    shared = counts.count_common_articles(range(number))
    itself = [
        SelfAgreement(name, _compute_agreement_of_pair(kind, counts, (number + position, position)))
        for position, name in enumerate(names)
        if counts.has_answered(number + position)
    ]
    if number < 2:
        return ProducerComparison(shared, None, itself, None)
    return ProducerComparison(
        shared,
        _compute_pairwise_agreements(kind, names, counts, shared),
        itself,
        _compute_producer_overlap(counts, number, gold_for_overlap),
    )


def compute_agreement_of_producers(
    articles: Corpus | DataSet, kind: Kind, producers: Sequence[tuple[int, str]]
) -> ProducerAgreement:
    """Agreement of every two of these producers, given by id and name, and of all: 1 query."""
    counts = count_current_and_earlier_answers(articles, kind, [producer for producer, _ in producers])
    shared = counts.count_common_articles(range(len(producers)))
    return _compute_pairwise_agreements(kind, [name for _, name in producers], counts, shared)


def _compute_pairwise_agreements(
    kind: Kind, names: Sequence[str], counts: AnswerCounts, shared: int
) -> ProducerAgreement:
    """Agreement of every two producers, and of all. shared: number of articles that all of them answered."""
    raters = range(len(names))
    if kind != Kind.CLASSIFICATION:
        return compute_agreement_from_presence(names, counts.count_item_patterns(raters), shared)
    pairs = {pair: _compute_agreement_of_pair(kind, counts, pair) for pair in combinations(raters, 2)}
    return add_fleiss_kappa_if_over_two_producers(names, pairs, counts.count_label_patterns(raters), shared)


def _compute_agreement_of_pair(kind: Kind, counts: AnswerCounts, raters: tuple[int, int]) -> PairwiseAgreement:
    """Agreement of two raters over the articles that both answered.

    There is no kappa for items, as there are none that neither reports.
    """
    is_classification = kind == Kind.CLASSIFICATION
    patterns = counts.count_label_patterns(raters) if is_classification else counts.count_item_patterns(raters)
    return compute_agreement_from_label_pair_counts(
        count_items_by_two_producers_presence(patterns, 0, 1), with_kappa=is_classification
    )


def _compute_producer_overlap(counts: AnswerCounts, number: int, gold: ComparisonCandidate | None) -> Overlap:
    """Overlap over the articles that all producers answered, and that the gold standard contains if there is one.

    With a gold standard only items in the databases that it uses are counted, as in scores.
    """
    raters = range(number)
    if gold is None:
        return overlap_from_presence(counts.count_item_patterns(raters))
    return build_overlap_from_presence_with_gold(counts.keep_scored().count_item_patterns([*raters, 2 * number]))
