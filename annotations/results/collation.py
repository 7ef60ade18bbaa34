"""The annotations of several producers of one article side by side, in lists by kind.

Pure functions of plain data. Producers are integers.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotations.schema import AnnotationData


@dataclass(frozen=True, slots=True)
class ProducerVote:
    """One producer's vote for an annotation."""

    producer: int
    annotation: AnnotationData

    @property
    def confidence(self) -> float | None:
        """In (0, 1], None if the producer gave none."""
        return self.annotation.confidence


@dataclass(frozen=True, slots=True)
class AnnotationGroup:
    """Annotations that count as one, such as the identifiers of one gene, with the votes of their producers.

    annotations: the different ones, ordered by database and identifier. votes: one for each producer and annotation,
    ordered by producer. count: the number of producers. mean, highest: mean and highest confidence of the producers
    that state one, None if none does; a producer with several annotations counts with its most confident one.
    verified: whether any of the annotations is.
    """

    annotations: tuple[AnnotationData, ...]
    votes: tuple[ProducerVote, ...]
    count: int
    mean: float | None
    highest: float | None
    verified: bool = True

    @property
    def annotation(self) -> AnnotationData:
        """The first annotation."""
        return self.annotations[0]


class GroupOrder(StrEnum):
    """How to order groups: by the number of votes, or by mean confidence."""

    SERVERS = "servers"
    CONFIDENCE = "confidence"


GroupKey = Callable[[AnnotationData], Hashable]


def group_annotations_by_key(
    annotations_by_producer: Mapping[int, Iterable[AnnotationData]],
    order: GroupOrder = GroupOrder.SERVERS,
    *,
    get_group_key: GroupKey | None = None,
    is_verified: Callable[[AnnotationData], bool] | None = None,
) -> list[AnnotationGroup]:
    """Group the annotations of one kind, verified groups first, then those with most votes or highest confidence.

    annotations_by_producer maps each producer to its annotations. get_group_key: equal for annotations of one group,
    AnnotationData.key by default. is_verified: all annotations are by default. A producer that makes the same
    annotation twice has one vote, the more confident one. Groups without confidence come last. Ties are broken by the
    other order, then by position or identifier.
    """
    votes: dict[Hashable, dict[Hashable, ProducerVote]] = defaultdict(dict)
    for producer in sorted(annotations_by_producer):
        for annotation in annotations_by_producer[producer]:
            key = annotation.key
            group = votes[get_group_key(annotation) if get_group_key else key]
            vote, ballot = ProducerVote(producer, annotation), (producer, key) if get_group_key else producer
            group[ballot] = max(group.get(ballot, vote), vote, key=_vote_confidence)
    groups = [
        _build_group(tuple(ballots.values()), is_verified, several=get_group_key is not None)
        for ballots in votes.values()
    ]
    return sorted(groups, key=_GROUP_ORDER_KEYS[order])


def _vote_confidence(vote: ProducerVote) -> float:
    return vote.annotation.confidence or 0.0


def _build_group(
    votes: tuple[ProducerVote, ...], is_verified: Callable[[AnnotationData], bool] | None, *, several: bool
) -> AnnotationGroup:
    """The group of these votes; several: whether they may be for different annotations."""
    annotations: tuple[AnnotationData, ...] = (votes[0].annotation,)
    if several and len(votes) > 1:
        first = {vote.annotation.key: vote.annotation for vote in reversed(votes)}
        annotations = tuple(sorted(first.values(), key=_text_order_key))
    best: dict[int, float | None] = {}
    for vote in votes:
        confidence = vote.annotation.confidence
        if best.get(vote.producer) is None or (confidence or 0.0) > (best[vote.producer] or 0.0):
            best[vote.producer] = confidence
    confidences = [confidence for confidence in best.values() if confidence is not None]
    return AnnotationGroup(
        annotations,
        votes,
        count=len(best),
        mean=sum(confidences) / len(confidences) if confidences else None,
        highest=max(confidences, default=None),
        verified=is_verified is None or any(is_verified(annotation) for annotation in annotations),
    )


def _text_order_key(each: AnnotationData) -> tuple[object, ...]:
    return (each.start or 0, each.end or 0, each.database, each.identifier, each.partner, each.text)


_GROUP_ORDER_KEYS: dict[GroupOrder, Callable[[AnnotationGroup], tuple[object, ...]]] = {
    GroupOrder.SERVERS: lambda group: (
        not group.verified,
        -group.count,
        -(group.mean or 0.0),
        _text_order_key(group.annotation),
    ),
    GroupOrder.CONFIDENCE: lambda group: (
        not group.verified,
        -(group.mean or 0.0),
        -group.count,
        _text_order_key(group.annotation),
    ),
}


@dataclass(frozen=True, slots=True)
class FoldedGroups:
    """Groups that are not shown at once, each part in its order.

    single: verified, beyond the first ones that one producer alone reports. unverified: all others that are folded.
    """

    single: Sequence[AnnotationGroup]
    unverified: Sequence[AnnotationGroup]

    def unfold(self, chosen: Collection[int]) -> "FoldedGroups":
        """Without the groups with these ids (of Python), which are shown whichever servers report them."""
        single = [group for group in self.single if id(group) not in chosen]
        return FoldedGroups(single, [group for group in self.unverified if id(group) not in chosen])


def fold_groups(groups: Iterable[AnnotationGroup], most_single: int) -> FoldedGroups:
    """Choose which groups not to show at once: no producer fills a list, and unverified groups do not precede it.

    most_single: how many groups that one producer alone reports are shown for each producer. If no group is verified,
    as where no table of identifiers is loaded, all count as verified.
    """
    group_list = list(groups)
    any_verified = any(group.verified for group in group_list)
    single: list[AnnotationGroup] = []
    unverified: list[AnnotationGroup] = []
    numbers_alone: Counter[int] = Counter()
    for group in group_list:
        if any_verified and not group.verified:
            unverified.append(group)
        elif group.count == 1:
            producer = group.votes[0].producer
            if numbers_alone[producer] >= most_single:
                single.append(group)
            numbers_alone[producer] += 1
    return FoldedGroups(single, unverified)
