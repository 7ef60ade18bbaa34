"""Mentions as spans of text: one-to-one pairing of predicted and gold spans.

Spans are half-open. As many spans as possible are paired; among the pairings of that size, the surest predicted spans
are paired first.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from annotations.schema import Span
from evaluation.measures.confusion_counts import ConfusionCounts

# When two spans match: equal, same start, same end, same start or end, or a common character.
SpanMatch = Literal["exact", "start", "end", "either", "overlap"]


def list_matching_gold_indexes(
    gold: Sequence[Span], predicted: Sequence[Span], span_match: SpanMatch
) -> list[list[int]]:
    """[predicted][candidates]: the indexes of the gold spans that each predicted span matches."""
    if span_match == "overlap":
        return _list_overlapping_spans(gold, predicted)
    keys = {"exact": ("both",), "start": ("start",), "end": ("end",), "either": ("start", "end")}[span_match]
    index: defaultdict[tuple[str, object], list[int]] = defaultdict(list)
    for number, span in enumerate(gold):
        for key in keys:
            index[key, _span_part(span, key)].append(number)
    return [
        list(dict.fromkeys(number for key in keys for number in index[key, _span_part(span, key)]))
        for span in predicted
    ]


def _span_part(span: Span, key: str) -> object:
    return span if key == "both" else getattr(span, key)


def _list_overlapping_spans(gold: Sequence[Span], predicted: Sequence[Span]) -> list[list[int]]:
    """[predicted][candidates]: the indexes of the gold spans that share a character with each predicted span."""
    by_start = sorted(range(len(gold)), key=lambda number: gold[number].start)
    starts = [gold[number].start for number in by_start]
    longest = max((span.end - span.start for span in gold), default=0)
    nearby = [
        by_start[bisect_right(starts, predicted_span.start - longest) : bisect_left(starts, predicted_span.end)]
        for predicted_span in predicted
    ]
    return [
        sorted(number for number in numbers if gold[number].end > predicted_span.start)
        for predicted_span, numbers in zip(predicted, nearby, strict=True)
    ]


def pair_most_spans_one_to_one(gold_indexes_by_predicted: Sequence[Sequence[int]]) -> dict[int, int]:
    """The largest one-to-one pairing, {predicted index: gold index}, that gold_indexes_by_predicted allows.

    Predicted spans are paired in their order. Once paired, a span stays paired, possibly with another gold span:
    augmenting paths (Kuhn 1955), without recursion because a list may be long.
    """
    predicted_of_gold: dict[int, int] = {}
    gold_of_predicted: dict[int, int] = {}
    for predicted, own_candidates in enumerate(gold_indexes_by_predicted):
        if not own_candidates:
            continue
        if (first := own_candidates[0]) not in predicted_of_gold:
            predicted_of_gold[first], gold_of_predicted[predicted] = predicted, first
            continue
        reached = _search_augmenting_path(predicted, gold_indexes_by_predicted, predicted_of_gold)
        free = next((gold for gold in reversed(reached) if gold not in predicted_of_gold), None)
        while free is not None:
            previous = reached[free]
            predicted_of_gold[free], gold_of_predicted[previous], free = previous, free, gold_of_predicted.get(previous)
    return gold_of_predicted


def _search_augmenting_path(
    start: int, candidates: Sequence[Sequence[int]], predicted_of_gold: Mapping[int, int]
) -> dict[int, int]:
    """Search breadth first from `start` to the first unpaired gold span: {gold index: predicted index it came from}."""
    reached: dict[int, int] = {}
    queue = [start]
    for predicted in queue:
        for gold in candidates[predicted]:
            if gold not in reached:
                reached[gold] = predicted
                if gold not in predicted_of_gold:
                    return reached
                queue.append(predicted_of_gold[gold])
    return reached


def mark_predicted_spans_paired_with_gold(
    gold: Sequence[Span], predicted: Sequence[Span], span_match: SpanMatch = "exact"
) -> list[bool]:
    """Whether each predicted span, best first, is right; as many as possible at once, each gold span used once."""
    paired = pair_most_spans_one_to_one(list_matching_gold_indexes(gold, predicted, span_match))
    return [number in paired for number in range(len(predicted))]


def count_span_matches(
    gold_by_document: Mapping[str, Sequence[Span]],
    predicted_by_document: Mapping[str, Sequence[Span]],
    span_match: SpanMatch = "exact",
) -> ConfusionCounts:
    """Counts over the documents of both, {document: spans}; a document may be missing from one of them."""
    return sum_counts(
        count_hits_and_misses(
            mark_predicted_spans_paired_with_gold(
                gold_by_document.get(document, ()), predicted_by_document.get(document, ()), span_match
            ),
            len(gold_by_document.get(document, ())),
        )
        for document in gold_by_document.keys() | predicted_by_document.keys()
    )


def count_hits_and_misses(hits: Sequence[bool], gold_count: int) -> ConfusionCounts:
    tp = sum(hits)
    return ConfusionCounts(tp=tp, fp=len(hits) - tp, fn=gold_count - tp)


def sum_counts(counts: Iterable[ConfusionCounts]) -> ConfusionCounts:
    return sum(counts, ConfusionCounts())
