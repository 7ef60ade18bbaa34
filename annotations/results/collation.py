"""The annotations of several producers of one article side by side: heat map of the text, lists by kind, balance bar.

Pure functions of plain data. Producers are integers. Times are O(n log n) for n annotations, however deeply nested.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from annotations.schema import AnnotationData

MarkedRange = tuple[int, int]
HEAT_LEVELS = 4
# The number of mentions around a segment that are reported; nobody reads about deeper nesting.
MOST_ENCLOSING_MENTIONS = 4


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A part of the text that the same producers mark throughout.

    mentions: at most four mentions that contain it, shortest first, then by start.
    """

    start: int
    end: int
    text: str
    producers: frozenset[int] = frozenset()
    mentions: tuple[MarkedRange, ...] = ()


def segment_text(
    text: str, mentions: Mapping[int, Iterable[MarkedRange]], breaks: Iterable[int] = ()
) -> list[TextSegment]:
    """Split a text wherever the set of producers that mark it, or the mentions around it, changes.

    mentions maps each producer to its half-open spans in code points of text; they may nest, overlap and repeat.
    breaks are further positions to split at (passage boundaries). The concatenated segments are the text; an empty text
    has none. Raises ValueError for a span that is empty or outside the text.
    """
    opening, closing = _index_span_edges(text, mentions)
    cuts = sorted({0, len(text), *opening, *closing, *(position for position in breaks if 0 < position < len(text))})
    covering: Counter[int] = Counter()
    enclosing = _EnclosingSpans()
    segments: list[TextSegment] = []
    producers: frozenset[int] = frozenset()
    for start, end in pairwise(cuts):
        if start in opening or start in closing:
            for producer in closing.get(start, ()):
                covering[producer] -= 1
            for producer, span in opening.get(start, ()):
                covering[producer] += 1
                enclosing.add_span(span)
            producers = frozenset(producer for producer, count in covering.items() if count)
        segments.append(TextSegment(start, end, text[start:end], producers, enclosing.list_shortest(start)))
    return segments


def _index_span_edges(
    text: str, mentions: Mapping[int, Iterable[MarkedRange]]
) -> tuple[dict[int, list[tuple[int, MarkedRange]]], dict[int, list[int]]]:
    opening: dict[int, list[tuple[int, MarkedRange]]] = defaultdict(list)
    closing: dict[int, list[int]] = defaultdict(list)
    for producer, spans in mentions.items():
        for start, end in spans:
            if not 0 <= start < end <= len(text):
                raise ValueError(f"the mention {start}-{end} is empty or outside a text of {len(text)} characters")
            opening[start].append((producer, (start, end)))
            closing[end].append(producer)
    return opening, closing


class _EnclosingSpans:
    """Finds the shortest distinct spans around a position that only moves forward."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []

    def add_span(self, span: MarkedRange) -> None:
        start, end = span
        heapq.heappush(self._heap, (end - start, start, end))

    def list_shortest(self, position: int) -> tuple[MarkedRange, ...]:
        heap = self._heap
        enclosing: list[tuple[int, int, int]] = []
        while heap and len(enclosing) < MOST_ENCLOSING_MENTIONS:
            shortest = heapq.heappop(heap)
            if shortest[2] > position and shortest not in enclosing:
                enclosing.append(shortest)
        for item in enclosing:
            heapq.heappush(heap, item)
        return tuple([item[1:] for item in enclosing])


def heat_level(count: int, total: int) -> int:
    """The heat level of a character that `count` of `total` producers mark.

    0: none, 1: one (even of one), 2: up to half, 3: more, 4: all. total counts all producers that annotated mentions,
    even if they found none. Raises ValueError if count is not in 0..total.
    """
    if not 0 <= count <= total:
        raise ValueError(f"{count} of {total} producers cannot mark a character")
    if count <= 1:
        return count
    if count == total:
        return HEAT_LEVELS
    return 2 if 2 * count <= total else 3


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
    annotations: Mapping[int, Iterable[AnnotationData]], order: GroupOrder = GroupOrder.SERVERS
) -> list[AnnotationGroup]:
    """Group the annotations of one kind by AnnotationData.key, those with most votes or highest confidence first.

    annotations maps each producer to its annotations. A producer that makes the same annotation twice has one vote, the
    more confident one. Groups without confidence come last. Ties are broken by the other order, then by position or
    identifier.
    """
    first: dict[tuple[object, ...], AnnotationData] = {}
    votes: dict[tuple[object, ...], dict[int, ProducerVote]] = defaultdict(dict)
    for producer in sorted(annotations):
        for annotation in annotations[producer]:
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


@dataclass(frozen=True, slots=True)
class ClassificationBalance:
    """The sum of all classifications: position 0 is a certain no by all, 1 a certain yes by all, 0.5 is undecided."""

    position: float
    yes: int
    no: int
    mean_confidence: float | None


def compute_classification_balance(classifications: Iterable[AnnotationData]) -> ClassificationBalance | None:
    """The balance between no (0) and yes (1), None if nobody classified the article.

    Each classification moves the position from the middle by its confidence, or by 1 if it has none.
    """
    votes = [each for each in classifications if each.relevant is not None]
    if not votes:
        return None
    pull = sum((1 if vote.relevant else -1) * (1.0 if vote.confidence is None else vote.confidence) for vote in votes)
    confidences = [vote.confidence for vote in votes if vote.confidence is not None]
    yes = sum(1 for vote in votes if vote.relevant)
    mean = sum(confidences) / len(confidences) if confidences else None
    return ClassificationBalance(0.5 + pull / (2 * len(votes)), yes, len(votes) - yes, mean)
