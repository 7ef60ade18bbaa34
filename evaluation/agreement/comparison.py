"""Compare producers over a corpus: pairwise agreement, agreement of each with itself, and overlap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import combinations

from django.core.cache import cache

from annotations.articles.models import Corpus
from annotations.data_sets.models import DataSet
from annotations.schema import Kind
from bcms.lib.rest.limits import claim_slot
from bcms.lib.version import VERSION
from evaluation.agreement.answer_counts import AnswerCounts, count_current_and_earlier_answers, make_type_key
from evaluation.agreement.candidates import ComparisonCandidate, compute_answers_fingerprint
from evaluation.analyses.overlap import Overlap, build_overlap_from_presence_with_gold, overlap_from_presence
from evaluation.analyses.producer_agreement import (
    ProducerAgreement,
    add_fleiss_kappa_if_over_two_producers,
    compute_agreement_from_presence,
)
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import (
    IntervalsByFigure,
    WeightSource,
    bootstrap_agreement_intervals,
    build_weight_source,
)
from evaluation.measures.agreement import (
    PairwiseAgreement,
    compute_agreement_from_label_pair_counts,
    count_items_by_two_producers_presence,
)

COMPARISON_CACHE_SECONDS = 3600
# There are many choices of producers, and each that nobody has asked for keeps a thread and the database busy.
MOST_COMPARISONS_AT_ONCE = 2
BUSY = "The site is computing other comparisons."


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Agreement of a producer with its own earlier answers, and the 95 % intervals of its figures."""

    name: str
    agreement: PairwiseAgreement
    intervals: IntervalsByFigure


@dataclass(frozen=True, slots=True)
class ProducerComparison:
    """names: of the compared producers. articles: number of articles that every one of them answered, over which the
    overlap is computed.

    agreements and overlap are None for a single producer; the overlap includes the gold standard if one was given.
    by_type: {type: the comparison of the producers that report it, by what they report of it}, the type that most of
    them report first.
    """

    names: Sequence[str]
    articles: int
    agreements: ProducerAgreement | None
    itself: Sequence[SelfAgreement]
    overlap: Overlap | None
    by_type: Mapping[str, "ProducerComparison"] = field(default_factory=dict)

    def find_type(self, kind: Kind, spelling: str) -> str | None:
        """The name of a type in by_type, for any of its spellings; None for a type that is not compared."""
        key = make_type_key(kind, spelling)
        return next((name for name in self.by_type if make_type_key(kind, name) == key), None)


def get_cached_comparison(
    corpus: Corpus,
    kind: Kind,
    producers: Sequence[ComparisonCandidate],
    gold_for_overlap: ComparisonCandidate | None = None,
    most_at_once: int = MOST_COMPARISONS_AT_ONCE,
) -> ProducerComparison:
    """compare_producers_and_their_earlier_answers, from a cache if the annotations have not changed; 2 quick queries
    tell whether they have. TooManyRequests while most_at_once others are computed.
    """
    compared = [*producers, *([] if gold_for_overlap is None else [gold_for_overlap])]
    state = compute_answers_fingerprint(corpus, kind, [producer.id for producer in compared])
    names = [(producer.id, producer.name) for producer in compared]
    key_parts = (VERSION, corpus.pk, kind, names, gold_for_overlap is None, state)
    key = f"comparison-with-intervals:{sha256(repr(key_parts).encode()).hexdigest()}"
    comparison: ProducerComparison | None = cache.get(key)
    if comparison is None:
        with claim_slot("comparison", most_at_once, BUSY):
            comparison = compare_producers_and_their_earlier_answers(corpus, kind, producers, gold_for_overlap)
        cache.set(key, comparison, COMPARISON_CACHE_SECONDS)
    return comparison


def compare_producers_and_their_earlier_answers(
    corpus: Corpus,
    kind: Kind,
    producers: Sequence[ComparisonCandidate],
    gold_for_overlap: ComparisonCandidate | None = None,
) -> ProducerComparison:
    """Compare one or more producers over the articles of a corpus, and by each type; in 1 query, or 2 for kinds with
    types. gold_for_overlap: compare the overlap with it.
    """
    ids, names = [producer.id for producer in producers], [producer.name for producer in producers]
    gold_id = gold_for_overlap.id if gold_for_overlap else None
    counts = count_current_and_earlier_answers(corpus, kind, ids, gold_id)
    number, has_gold = len(producers), gold_for_overlap is not None
    get_weights = build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED)
    comparison = _compare_raters(kind, names, counts, range(number), has_gold, get_weights)
    raters_of_types = {
        name: [rater for rater in range(number) if own.has_reported(rater)] for name, own in counts.by_type.items()
    }
    by_type = {
        name: _compare_raters(kind, names, counts.by_type[name], raters, has_gold, get_weights)
        for name, raters in raters_of_types.items()
        if raters
    }
    return replace(comparison, by_type=by_type)


def _compare_raters(
    kind: Kind,
    names_of_all: Sequence[str],
    counts: AnswerCounts,
    raters: Sequence[int],
    has_gold: bool,
    get_weights: WeightSource,
) -> ProducerComparison:
    """Compare some of the producers, given by their numbers, by what was counted; names_of_all: of all producers.

    get_weights: of the bootstrap samples from which intervals are computed.
    """
    number, names = len(names_of_all), [names_of_all[rater] for rater in raters]
    shared = counts.count_common_articles(raters)
    itself = [
        SelfAgreement(
            names_of_all[rater],
            _compute_agreement_of_pair(kind, counts, (number + rater, rater)),
            _compute_intervals_of_pair(kind, counts, (number + rater, rater), get_weights),
        )
        for rater in raters
        if counts.has_answered(number + rater)
    ]
    if len(raters) < 2:
        return ProducerComparison(names, shared, None, itself, None)
    agreements = _compute_pairwise_agreements(kind, names, counts, raters)
    return ProducerComparison(
        names,
        shared,
        replace(agreements, intervals=_compute_pairwise_intervals(kind, counts, raters, get_weights)),
        itself,
        _compute_producer_overlap(counts, raters, 2 * number if has_gold else None),
    )


@dataclass(frozen=True, slots=True)
class TypeAgreement:
    """The agreement of the producers that report a type; producers: their positions among all that are compared."""

    name: str
    producers: Sequence[int]
    agreement: ProducerAgreement


def compute_agreement_of_producers(
    articles: Corpus | DataSet, kind: Kind, producers: Sequence[tuple[int, str]]
) -> tuple[ProducerAgreement, list[TypeAgreement]]:
    """Agreement of every two of these producers, given by id and name, and of all, and the same of each type that two
    of them report: 1 query, or 2 for kinds with types. Without intervals, which would take gigabytes for 25 producers.
    """
    names = [name for _, name in producers]
    counts = count_current_and_earlier_answers(articles, kind, [producer for producer, _ in producers])
    by_type = []
    for name, own in counts.by_type.items():
        raters = [rater for rater in range(len(names)) if own.has_reported(rater)]
        if len(raters) > 1:
            names_of_type = [names[rater] for rater in raters]
            of_type = _compute_pairwise_agreements(kind, names_of_type, own, raters)
            by_type.append(TypeAgreement(name, raters, of_type))
    return _compute_pairwise_agreements(kind, names, counts, range(len(names))), by_type


def _compute_pairwise_agreements(
    kind: Kind, names: Sequence[str], counts: AnswerCounts, raters: Sequence[int]
) -> ProducerAgreement:
    """Agreement of every two of these raters, whose names these are, and of all; without intervals."""
    shared = counts.count_common_articles(raters)
    if kind != Kind.CLASSIFICATION:
        return compute_agreement_from_presence(names, counts.count_item_patterns(raters), shared)
    agreements = {
        (a, b): _compute_agreement_of_pair(kind, counts, (raters[a], raters[b])) for a, b in _list_pairs(raters)
    }
    return add_fleiss_kappa_if_over_two_producers(names, agreements, counts.count_label_patterns(raters), shared)


def _list_pairs(raters: Sequence[int]) -> list[tuple[int, int]]:
    """Every two of these raters, by their indexes."""
    return list(combinations(range(len(raters)), 2))


def _compute_pairwise_intervals(
    kind: Kind, counts: AnswerCounts, raters: Sequence[int], get_weights: WeightSource
) -> dict[tuple[int, int], IntervalsByFigure]:
    """95 % intervals of what _compute_pairwise_agreements computes. Of items, it takes memory for each block and each
    set of raters that report the same item: 4 MB for 10 raters, which may be doubled by each further one.
    """
    if kind == Kind.CLASSIFICATION:
        return _compute_class_intervals(counts, raters, _list_pairs(raters), get_weights)
    patterns = counts.group_patterns_by_block(raters, counts.list_supersets(raters), only_reported=True)
    return bootstrap_agreement_intervals(patterns, _list_pairs(raters), get_weights, with_kappa=len(raters) > 2)


def _compute_class_intervals(
    counts: AnswerCounts, raters: Sequence[int], pairs: Sequence[tuple[int, int]], get_weights: WeightSource
) -> dict[tuple[int, int], IntervalsByFigure]:
    """95 % intervals of pairs, by the indexes of raters, each over the articles that both answered.

    Pairs that answered the same articles are resampled at once.
    """
    pairs_by_sets: dict[frozenset[int], list[tuple[int, int]]] = {}
    for a, b in pairs:
        pairs_by_sets.setdefault(counts.list_supersets((raters[a], raters[b])), []).append((a, b))
    intervals: dict[tuple[int, int], IntervalsByFigure] = {}
    for sets, alike in pairs_by_sets.items():
        patterns = counts.group_patterns_by_block(raters, sets, only_reported=False)
        intervals |= bootstrap_agreement_intervals(patterns, alike, get_weights, with_kappa=True)
    return intervals


def _compute_agreement_of_pair(kind: Kind, counts: AnswerCounts, raters: tuple[int, int]) -> PairwiseAgreement:
    """Agreement of two raters over the articles that both answered.

    There is no kappa for items, as there are none that neither reports.
    """
    is_classification = kind == Kind.CLASSIFICATION
    patterns = counts.count_label_patterns(raters) if is_classification else counts.count_item_patterns(raters)
    return compute_agreement_from_label_pair_counts(
        count_items_by_two_producers_presence(patterns, 0, 1), with_kappa=is_classification
    )


def _compute_intervals_of_pair(
    kind: Kind, counts: AnswerCounts, raters: tuple[int, int], get_weights: WeightSource
) -> IntervalsByFigure:
    """95 % intervals of what _compute_agreement_of_pair computes."""
    is_classification = kind == Kind.CLASSIFICATION
    sets = counts.list_supersets(raters)
    patterns = counts.group_patterns_by_block(raters, sets, only_reported=not is_classification)
    return bootstrap_agreement_intervals(patterns, [(0, 1)], get_weights, with_kappa=is_classification)[0, 1]


def _compute_producer_overlap(counts: AnswerCounts, raters: Sequence[int], gold: int | None) -> Overlap:
    """Overlap over the articles that all raters answered, and that the gold standard contains if it is a rater.

    With a gold standard only items in the databases that it uses are counted, as in scores.
    """
    if gold is None:
        return overlap_from_presence(counts.count_item_patterns(raters))
    return build_overlap_from_presence_with_gold(counts.keep_scored().count_item_patterns([*raters, gold]))
