"""The annotations of several producers of one article side by side, in lists by kind.

Pure functions of plain data. Producers are integers.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotations.schema import AnnotationData


@dataclass(frozen=True, slots=True)
class ProducerVote:
    """One producer's vote for an annotation; confidence is in (0, 1] or None, rank is positive or None."""

    producer: int
    confidence: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class AnnotationGroup:
    """An annotation with one vote for each producer that makes it, ordered by producer.

    mean, highest: mean and highest confidence of the votes that have one, None if none has.
    """

    annotation: AnnotationData
    votes: tuple[ProducerVote, ...]
    mean: float | None
    highest: float | None

    @property
    def count(self) -> int:
        return len(self.votes)


class GroupOrder(StrEnum):
    """How to order groups: by the number of votes, or by mean confidence."""

    SERVERS = "servers"
    CONFIDENCE = "confidence"


def group_annotations_by_key(
    annotations_by_producer: Mapping[int, Iterable[AnnotationData]], order: GroupOrder = GroupOrder.SERVERS
) -> list[AnnotationGroup]:
    """Group the annotations of one kind by AnnotationData.key, those with most votes or highest confidence first.

    annotations_by_producer maps each producer to its annotations. A producer that makes the same annotation twice has
    one vote, the more confident one. Groups without confidence come last. Ties are broken by the other order, then by
    position or identifier.
    """
    first: dict[tuple[object, ...], AnnotationData] = {}
    votes: dict[tuple[object, ...], dict[int, ProducerVote]] = defaultdict(dict)
    for producer in sorted(annotations_by_producer):
        for annotation in annotations_by_producer[producer]:
            key = annotation.key
            first.setdefault(key, annotation)
            vote = ProducerVote(producer, annotation.confidence, annotation.rank)
            votes[key][producer] = max(votes[key].get(producer, vote), vote, key=_vote_confidence)
    groups = [_build_group(first[key], tuple(votes[key].values())) for key in first]
    return sorted(groups, key=_GROUP_ORDER_KEYS[order])


def _vote_confidence(vote: ProducerVote) -> float:
    return vote.confidence or 0.0


def _build_group(annotation: AnnotationData, votes: tuple[ProducerVote, ...]) -> AnnotationGroup:
    confidences = [vote.confidence for vote in votes if vote.confidence is not None]
    mean = sum(confidences) / len(confidences) if confidences else None
    return AnnotationGroup(annotation, votes, mean, max(confidences, default=None))


def _text_order_key(each: AnnotationData) -> tuple[object, ...]:
    return (each.start or 0, each.end or 0, each.database, each.identifier, each.partner, each.text)


_GROUP_ORDER_KEYS: dict[GroupOrder, Callable[[AnnotationGroup], tuple[object, ...]]] = {
    GroupOrder.SERVERS: lambda group: (-group.count, -(group.mean or 0.0), _text_order_key(group.annotation)),
    GroupOrder.CONFIDENCE: lambda group: (-(group.mean or 0.0), -group.count, _text_order_key(group.annotation)),
}
