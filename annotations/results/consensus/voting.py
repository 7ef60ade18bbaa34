"""The consensus of several producers on one article: one list of annotations, made by a rule.

Two annotations are the same if their keys are equal (AnnotationData.key: a pair has no direction), or if the tables of
identifiers say that they are of one gene or pair of genes (annotations.identifiers.gene_keys). Mentions may also be the
same if they overlap, or only if their types, or types and identifiers, are equal, too. A producer that makes the same
annotation twice has one vote, the more confident one. Every producer that annotated the kind counts as one that could
have agreed, even with an empty list; one that was not asked or did not answer is not in the mapping.

The confidence of an agreed annotation is the mean confidence of its voters that give one (weighted if votes are), None
if none does. It says how sure they are, not how many they are (see votes and support), and need not decrease with the
rank. The rank is the position in the list, ordered by votes (or weight), then confidence, then identifier. Mentions and
labels have the same order but no rank. Type, organism and links are those of most voters. Of several identifiers of one
gene the result has the one that most of the voters report, whatever their weights; of equally many, the first by
database, then by identifier.

With equal weights, strict spans and identifiers of different genes, the result equals an ensemble of
evaluation.analyses.ensemble. Pure; takes O(n log n) for n annotations, however they overlap.
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeVar

from annotations.entity_types import get_type_key
from annotations.identifiers.gene_keys import EntriesByIdentifier, get_gene_key, get_group_key
from annotations.results.consensus.methods import (
    SHARE_DIGITS,
    ConsensusRule,
    ListCutoff,
    MentionMatching,
    SpanMatching,
    VoteTally,
)
from annotations.schema import MENTION, AnnotationData, EntityId, Kind

UNRANKED = (Kind.MENTION, Kind.CLASSIFICATION, Kind.LABEL)
# The kinds in which several keys may be of one gene or pair of genes.
KINDS_WITH_GENES = (Kind.NORMALIZATION, Kind.ENTITY, Kind.PAIR, Kind.RELATION)
Ballot = Mapping[int, AnnotationData]
FieldValue = TypeVar("FieldValue", str, int, tuple[EntityId, ...])
VoteKey = TypeVar("VoteKey", bound=Hashable)


# Tuples, as a long article has thousands, and a dataclass takes several times longer to make.
class AgreedAnnotation(NamedTuple):
    """An annotation of the consensus, its producers, and their share of the weight of all that annotated the kind."""

    annotation: AnnotationData
    producers: Sequence[int]
    support: float


class _Candidate(NamedTuple):
    """seed: the producers of exactly this annotation; votes: these and the producers of what counts as the same."""

    seed: Ballot
    votes: Ballot


def build_consensus(
    kind: Kind,
    annotations_by_producer: Mapping[int, Sequence[AnnotationData]],
    rule: ConsensusRule,
    entries: EntriesByIdentifier,
) -> list[AgreedAnnotation]:
    """The annotations of one kind that the producers agree on, best first; empty if the rule needs more producers.

    annotations_by_producer maps each producer that annotated this kind to its annotations of it, with current
    identifiers; entries has those of their entries that are known, by database and identifier. For a classification the
    result has at most one annotation: yes if enough producers say yes, otherwise no; none if nobody classified the
    article.
    """
    if kind == Kind.CLASSIFICATION:
        return _decide_classification(annotations_by_producer, rule)
    lists = {
        producer: _cut_annotation_list(rows, rule.cuts.get(producer))
        for producer, rows in annotations_by_producer.items()
    }
    ballots = list(_iter_ballots(kind, lists, rule, entries))
    candidates = [_Candidate(ballot, ballot) for ballot in ballots]
    if kind == Kind.MENTION and rule.spans is SpanMatching.OVERLAPPING:
        candidates = [
            candidate
            for alike in _group_ballots_of_alike_mentions(ballots, rule, entries)
            for candidate in _merge_overlapping_mentions(alike, rule)
        ]
    agreed = _iter_agreed_annotations(candidates, annotations_by_producer, rule)
    ordered = sorted(agreed, key=lambda each: _consensus_order_key(each, rule))
    if kind in UNRANKED:
        return ordered
    return [each._replace(annotation=replace(each.annotation, rank=rank)) for rank, each in enumerate(ordered, 1)]


def _cut_annotation_list(annotations: Sequence[AnnotationData], cutoff: ListCutoff | None) -> Sequence[AnnotationData]:
    """The list up to the cut-off, ordered by rank, else by descending confidence; unchanged without a cut-off."""
    if cutoff is None:
        return annotations
    ordered = sorted(annotations, key=_cut_order_key)
    if cutoff.criterion == "rank":
        return ordered[: int(cutoff.value)]
    below = (position for position, each in enumerate(ordered) if (each.confidence or 0.0) < cutoff.value)
    return ordered[: next(below, len(ordered))]


def _cut_order_key(annotation: AnnotationData) -> tuple[bool, int, float]:
    return (annotation.rank is None, annotation.rank or 0, -(annotation.confidence or 0.0))


def _iter_ballots(
    kind: Kind, annotations: Mapping[int, Iterable[AnnotationData]], rule: ConsensusRule, entries: EntriesByIdentifier
) -> Iterator[Ballot]:
    """For each different annotation, the most confident one of every producer that makes it."""
    if kind not in KINDS_WITH_GENES:
        yield from _collect_votes(annotations, _choose_vote_key(kind, rule, entries)).values()
        return
    genes: dict[Hashable, dict[tuple[object, ...], Ballot]] = defaultdict(dict)
    for key, ballot in _collect_votes(annotations, lambda each: each.key).items():
        genes[get_group_key(next(iter(ballot.values())), entries)][key] = ballot
    for ballots_by_key in genes.values():
        yield from ballots_by_key.values() if len(ballots_by_key) == 1 else [_merge_gene_ballots(ballots_by_key)]


def _collect_votes(
    annotations: Mapping[int, Iterable[AnnotationData]], build_key: Callable[[AnnotationData], VoteKey]
) -> Mapping[VoteKey, Ballot]:
    """The ballots by key, in the order of the producers' ids and of their lists."""
    ballots: dict[VoteKey, dict[int, AnnotationData]] = defaultdict(dict)
    for producer in sorted(annotations):
        for annotation in annotations[producer]:
            _keep_more_confident_vote(ballots[build_key(annotation)], producer, annotation)
    return ballots


def _choose_vote_key(
    kind: Kind, rule: ConsensusRule, entries: EntriesByIdentifier
) -> Callable[[AnnotationData], Hashable]:
    """What is equal for votes for the same annotation."""
    if kind != MENTION or rule.match is MentionMatching.POSITION:
        return lambda annotation: annotation.key
    build_mention_key = _choose_mention_key(rule, entries)
    return lambda mention: (mention.key, build_mention_key(mention))


def _choose_mention_key(rule: ConsensusRule, entries: EntriesByIdentifier) -> Callable[[AnnotationData], Hashable]:
    """What has to be equal in mentions besides their positions; the same for all if nothing has to."""
    match rule.match:
        case MentionMatching.POSITION:
            return lambda _: ()
        case MentionMatching.TYPE:
            return lambda mention: get_type_key(mention.type)
        case _:
            return lambda mention: (
                get_type_key(mention.type),
                frozenset(get_gene_key(*each, entries) for each in mention.identifiers),
            )


def _group_ballots_of_alike_mentions(
    ballots: Iterable[Ballot], rule: ConsensusRule, entries: EntriesByIdentifier
) -> Iterable[Sequence[Ballot]]:
    """The ballots of mentions that may count as the same if they overlap."""
    build_mention_key = _choose_mention_key(rule, entries)
    groups: dict[Hashable, list[Ballot]] = defaultdict(list)
    for ballot in ballots:
        groups[build_mention_key(next(iter(ballot.values())))].append(ballot)
    return groups.values()


def _keep_more_confident_vote(ballot: dict[int, AnnotationData], producer: int, annotation: AnnotationData) -> None:
    if producer not in ballot or _confidence_or_zero(ballot[producer]) < _confidence_or_zero(annotation):
        ballot[producer] = annotation


def _merge_gene_ballots(ballots_by_key: Mapping[tuple[object, ...], Ballot]) -> Ballot:
    """One ballot for several identifiers of a gene or pair of genes, all votes for the one that most producers report.

    Of equally many it is the first by database, then by identifier.
    """
    ordered = sorted(ballots_by_key.items(), key=lambda item: (-len(item[1]), item[0]))
    chosen = next(iter(ordered[0][1].values()))
    merged: dict[int, AnnotationData] = {}
    for _, ballot in ordered:
        for producer, annotation in ballot.items():
            _keep_more_confident_vote(merged, producer, annotation)
    return {
        producer: replace(
            annotation,
            database=chosen.database,
            identifier=chosen.identifier,
            partner=chosen.partner,
            relation=chosen.relation,
        )
        for producer, annotation in merged.items()
    }


def _confidence_or_zero(annotation: AnnotationData) -> float:
    return annotation.confidence or 0.0


def _iter_agreed_annotations(
    candidates: Iterable[_Candidate], annotating: Collection[int], rule: ConsensusRule
) -> Iterator[AgreedAnnotation]:
    """What has enough votes, of the producers that annotated the kind."""
    total_weight = rule.sum_weights(annotating)

    # The same few groups of producers agree on thousands of annotations.
    @cache
    def count_votes(producers: tuple[int, ...]) -> tuple[list[int], float, bool]:
        support = _share_of_weight(rule.sum_weights(producers), total_weight)
        tally = VoteTally(len(producers), len(annotating), support)
        return sorted(producers), support, rule.method.has_enough_votes(tally, rule.threshold)

    for candidate in candidates:
        producers, support, is_enough = count_votes(tuple(candidate.votes))
        if is_enough:
            yield AgreedAnnotation(_merge_voters_annotations(candidate, rule), producers, support)


def _share_of_weight(weight: float, total_weight: float) -> float:
    return weight / total_weight if total_weight else 0.0


def _consensus_order_key(agreed: AgreedAnnotation, rule: ConsensusRule) -> tuple[object, ...]:
    each = agreed.annotation
    weight, confidence = round(rule.sum_weights(agreed.producers), SHARE_DIGITS), each.confidence or 0.0
    position = (each.start or 0, each.end or 0)
    flat = (each.database, each.identifier, each.partner, each.text, each.type)
    arguments = () if each.relation is None else each.relation.build_argument_keys()
    return (-weight, -confidence, *position, *flat, each.spans, arguments, each.is_directed, each.identifiers)


def _merge_voters_annotations(candidate: _Candidate, rule: ConsensusRule) -> AnnotationData:
    exact = list(candidate.seed.values())
    most_confident = max(exact, key=_confidence_or_zero)
    identifier, partner = most_confident.identifier, most_confident.partner
    if partner:
        identifier, partner = sorted((identifier, partner))
    # Every field by its position, which takes a third of the time of dataclasses.replace.
    return AnnotationData(
        most_confident.kind,
        _weighted_mean_confidence(candidate.votes, rule),
        None,
        most_confident.start,
        most_confident.end,
        most_confident.text,
        _choose_type_of_most([each.type for each in exact]),
        most_confident.database,
        identifier,
        partner,
        _most_common([each.taxon for each in exact]),
        most_confident.relevant,
        most_confident.spans,
        _most_common([each.identifiers for each in exact]) or (),
        most_confident.relation,
    )


def _weighted_mean_confidence(votes: Ballot, rule: ConsensusRule) -> float | None:
    """The weighted mean confidence of the votes that have one; None if none has, or their weights are 0."""
    if not rule.weights:
        given = [each.confidence for each in votes.values() if each.confidence is not None]
        return round(math.fsum(given) / len(given), SHARE_DIGITS) if given else None
    confidences = {producer: each.confidence for producer, each in votes.items() if each.confidence is not None}
    total_weight = rule.sum_weights(confidences)
    if not total_weight:
        return None
    weighted = (rule.weights.get(producer, 1.0) * confidence for producer, confidence in confidences.items())
    return round(math.fsum(weighted) / total_weight, SHARE_DIGITS)


def _choose_type_of_most(spellings: Sequence[str]) -> str:
    """The most frequent spelling of the type that most voters give, in any spelling; "" if none gives one."""
    given = [spelling for spelling in spellings if spelling]
    if not given or given.count(given[0]) == len(given):
        return given[0] if given else ""
    chosen = _most_common([get_type_key(spelling) for spelling in given])
    return _most_common([spelling for spelling in given if get_type_key(spelling) == chosen]) or ""


def _most_common(values: Sequence[FieldValue | None]) -> FieldValue | None:
    # Most producers agree on most annotations, of which a long article has thousands.
    if values and values.count(values[0]) == len(values):
        return values[0] or None
    counts = Counter(value for value in values if value)
    return min(counts, key=lambda value: (-counts[value], value), default=None)


def _decide_classification(
    annotations: Mapping[int, Sequence[AnnotationData]], rule: ConsensusRule
) -> list[AgreedAnnotation]:
    votes = {producer: rows[0] for producer, rows in annotations.items() if rows and rows[0].relevant is not None}
    if not votes:
        return []
    total_weight = rule.sum_weights(annotations)
    yes = {producer: vote for producer, vote in votes.items() if vote.relevant}
    tally = VoteTally(len(yes), len(annotations), _share_of_weight(rule.sum_weights(yes), total_weight))
    relevant = bool(yes) and rule.method.has_enough_votes(tally, rule.threshold)
    winning = {producer: vote for producer, vote in votes.items() if vote.relevant == relevant}
    annotation = AnnotationData(Kind.CLASSIFICATION, _weighted_mean_confidence(winning, rule), relevant=relevant)
    support = _share_of_weight(rule.sum_weights(winning), total_weight)
    return [AgreedAnnotation(annotation, sorted(winning), support)]


def _merge_overlapping_mentions(ballots: Sequence[Ballot], rule: ConsensusRule) -> list[_Candidate]:
    """The best mentions, each merged with all that overlap it and are not merged with a better one.

    Better: more votes (or weight), then higher confidence, then longer, then earlier. Therefore a chain of mentions,
    each overlapping the next, is not merged into one annotation, and no two of the results overlap.
    """
    by_position = sorted(ballots, key=_ballot_span)
    starts, ends = ([span[side] for span in map(_ballot_span, by_position)] for side in (0, 1))
    unmerged = _SpanEnds(ends)
    candidates = []
    for index in sorted(range(len(by_position)), key=lambda index: _merge_order_key(by_position[index], rule)):
        start, end = _ballot_span(by_position[index])
        if unmerged.has_end(index):
            overlapping = unmerged.take_overlapping(bisect_left(starts, end), start)
            candidates.append(_merge_candidate(by_position[index], [by_position[each] for each in overlapping]))
    return candidates


def _ballot_span(ballot: Ballot) -> tuple[int, int]:
    annotation = next(iter(ballot.values()))
    return annotation.start or 0, annotation.end or 0


def _merge_order_key(ballot: Ballot, rule: ConsensusRule) -> tuple[float, float, int, int]:
    start, end = _ballot_span(ballot)
    return (
        -round(rule.sum_weights(ballot), SHARE_DIGITS),
        -(_weighted_mean_confidence(ballot, rule) or 0.0),
        start - end,
        start,
    )


def _merge_candidate(seed: Ballot, members: Iterable[Ballot]) -> _Candidate:
    votes: dict[int, AnnotationData] = {}
    for member in members:
        for producer, annotation in member.items():
            _keep_more_confident_vote(votes, producer, annotation)
    return _Candidate(seed, {**votes, **seed})


class _SpanEnds:
    """The ends of spans ordered by start, from which those that overlap a range can be taken."""

    def __init__(self, ends: Sequence[int]) -> None:
        self._leaves = 1 << max(len(ends) - 1, 0).bit_length()
        # A binary tree in an array: the highest end below each node, 0 where all are taken.
        self._highest = [0] * self._leaves + [*ends] + [0] * (self._leaves - len(ends))
        for node in range(self._leaves - 1, 0, -1):
            self._highest[node] = max(self._highest[2 * node], self._highest[2 * node + 1])

    def has_end(self, index: int) -> bool:
        """Whether the end of the span at this index has not been taken."""
        return self._highest[self._leaves + index] > 0

    def take_overlapping(self, before: int, after: int) -> list[int]:
        """Remove and return the indexes below `before` of all ends above `after`."""
        indexes = list(self._iter_overlapping(before, after))
        for index in indexes:
            node = self._leaves + index
            self._highest[node] = 0
            while node > 1:
                node //= 2
                self._highest[node] = max(self._highest[2 * node], self._highest[2 * node + 1])
        return indexes

    def _iter_overlapping(self, before: int, after: int) -> Iterator[int]:
        nodes = [(1, 0, self._leaves)]
        while nodes:
            node, first, width = nodes.pop()
            if self._highest[node] <= after or first >= before:
                continue
            if width == 1:
                yield first
            else:
                half = width // 2
                nodes += [(2 * node + 1, first + half, half), (2 * node, first, half)]
