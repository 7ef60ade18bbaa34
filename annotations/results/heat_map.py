"""The heat map of an article's text: which producers mark which part of it, and how strongly it is coloured.

Pure functions of plain data. Producers are integers. Times are O(n log n) for n mentions, however deeply nested.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

HEAT_LEVELS = 4
# The number of mentions around a segment that are reported; nobody reads about deeper nesting.
MOST_ENCLOSING_MENTIONS = 4
MarkedRange = tuple[int, int]
# The parts of a mention in the order of the text, mostly one.
MentionParts = tuple[MarkedRange, ...]


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


def split_text_at_span_edges_and_breaks(
    text: str, spans_by_producer: Mapping[int, Iterable[MarkedRange]], extra_break_positions: Iterable[int] = ()
) -> list[TextSegment]:
    """Split a text wherever the set of producers that mark it, or the mentions around it, changes.

    spans_by_producer maps each producer to its half-open spans in code points of text; they may nest, overlap and
    repeat. extra_break_positions are further positions to split at (passage boundaries). The concatenated segments are
    the text; an empty text has none. Raises ValueError for a span that is empty or outside the text.
    """
    opening, closing = _index_span_edges(text, spans_by_producer)
    cuts = sorted(
        {
            0,
            len(text),
            *opening,
            *closing,
            *(position for position in extra_break_positions if 0 < position < len(text)),
        }
    )
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


def compute_heat_level(marking_producer_count: int, producer_count: int) -> int:
    """The heat level of a character that `marking_producer_count` of `producer_count` producers mark.

    0: none, 1: one (even of one), 2: up to half, 3: more, 4: all. producer_count counts all producers that annotated
    mentions, even if they found none. Raises ValueError if marking_producer_count is not in 0..producer_count.
    """
    if not 0 <= marking_producer_count <= producer_count:
        raise ValueError(f"{marking_producer_count} of {producer_count} producers cannot mark a character")
    if marking_producer_count <= 1:
        return marking_producer_count
    if marking_producer_count == producer_count:
        return HEAT_LEVELS
    return 2 if 2 * marking_producer_count <= producer_count else 3
