"""Spans of time, and how much of them is left when others are cut out.

A list of spans is *tidy* when it is in the order of time and no two of its spans touch.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From start on, without end; empty where end is not later than start."""

    start: datetime
    end: datetime

    @property
    def seconds(self) -> float:
        return (self.end - self.start).total_seconds()


def tidy(spans: Iterable[Span]) -> list[Span]:
    """The same time in the order of time, spans that overlap or touch joined, empty ones left out."""
    joined: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def common(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """The time that lies in both of two tidy lists; tidy."""
    return list(_common(some, others))


def _common(some: Sequence[Span], others: Sequence[Span]) -> Iterator[Span]:
    one = other = 0
    while one < len(some) and other < len(others):
        start, end = max(some[one].start, others[other].start), min(some[one].end, others[other].end)
        if start < end:
            yield Span(start, end)
        if some[one].end <= others[other].end:
            one += 1
        else:
            other += 1


def without(spans: Sequence[Span], holes: Sequence[Span]) -> list[Span]:
    """The time of one tidy list that lies in none of another; tidy."""
    if not spans:
        return []
    edges = [spans[0].start, *(edge for hole in holes for edge in (hole.start, hole.end)), spans[-1].end]
    gaps = [Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
    return common(spans, gaps)


def seconds(spans: Iterable[Span]) -> float:
    """How long the spans of a tidy list are together."""
    return sum(span.seconds for span in spans)
