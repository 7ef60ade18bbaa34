"""Set operations on lists of time spans.

A list of spans is *tidy* if it is in chronological order and no two of its spans overlap or touch.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, order=True)
class TimeSpan:
    """The time from start (included) to end (excluded); empty if end is not later than start."""

    start: datetime
    end: datetime

    @property
    def seconds(self) -> float:
        return (self.end - self.start).total_seconds()


def merge_time_spans(spans: Iterable[TimeSpan]) -> list[TimeSpan]:
    """The union of the spans as a tidy list."""
    merged: list[TimeSpan] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if merged and span.start <= merged[-1].end:
            merged[-1] = TimeSpan(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def intersect_time_spans(first_merged: Sequence[TimeSpan], second_merged: Sequence[TimeSpan]) -> list[TimeSpan]:
    """The intersection of two tidy lists, as a tidy list."""
    return list(_iter_common_time_spans(first_merged, second_merged))


def _iter_common_time_spans(first: Sequence[TimeSpan], second: Sequence[TimeSpan]) -> Iterator[TimeSpan]:
    i = j = 0
    while i < len(first) and j < len(second):
        start, end = max(first[i].start, second[j].start), min(first[i].end, second[j].end)
        if start < end:
            yield TimeSpan(start, end)
        if first[i].end <= second[j].end:
            i += 1
        else:
            j += 1


def subtract_time_spans(merged_spans: Sequence[TimeSpan], merged_removed: Sequence[TimeSpan]) -> list[TimeSpan]:
    """The time of one tidy list that is in no span of another tidy list, as a tidy list."""
    if not merged_spans:
        return []
    edges = [
        merged_spans[0].start,
        *(edge for span in merged_removed for edge in (span.start, span.end)),
        merged_spans[-1].end,
    ]
    gaps = [TimeSpan(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
    return intersect_time_spans(merged_spans, gaps)


def sum_span_seconds(spans: Iterable[TimeSpan]) -> float:
    """The total length of a tidy list in seconds."""
    return sum(span.seconds for span in spans)
