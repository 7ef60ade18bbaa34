"""The text of an article with the positions of true positives, false negatives and false positives."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotations.schema import AnnotationData, Span
from evaluation.measures.items.split_annotations import MatchedItems

# The states by their names in the style sheet, and their words.
TRUE_POSITIVE, FALSE_NEGATIVE, FALSE_POSITIVE = "tp", "fn", "fp"
STATE_LABELS = {TRUE_POSITIVE: "true positive", FALSE_NEGATIVE: "false negative", FALSE_POSITIVE: "false positive"}


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """A part of a text; states: those of the items that cover it, "" for none; title: the same in words."""

    text: str
    states: str = ""
    title: str = ""


def mark_text(text: str, matched: MatchedItems) -> list[MarkedPart]:
    """The parts of a text, in order; empty if no item has a position in it."""
    groups = {TRUE_POSITIVE: matched.found, FALSE_NEGATIVE: matched.missed, FALSE_POSITIVE: matched.false}
    return _mark_parts(
        text,
        (
            (span, state, annotation.type)
            for state, annotations in groups.items()
            for annotation in annotations
            for span in _iter_spans(annotation)
        ),
    )


def mark_spans(text: str, spans_by_state: Mapping[str, Iterable[Span]]) -> list[MarkedPart]:
    """The parts of a text, in order, with spans that have no type; empty without any."""
    return _mark_parts(text, ((span, state, "") for state, spans in spans_by_state.items() for span in spans))


def _mark_parts(text: str, marks: Iterable[tuple[Span, str, str]]) -> list[MarkedPart]:
    within = sorted(mark for mark in marks if mark[0].end <= len(text))
    return list(_iter_marked_parts(text, within)) if within else []


def _iter_spans(annotation: AnnotationData) -> Iterator[Span]:
    """The positions of a mention, or of the mentions that a relation relates."""
    yield from annotation.parts
    for argument in annotation.arguments:
        yield from argument.spans


def _iter_marked_parts(text: str, marks: Sequence[tuple[Span, str, str]]) -> Iterator[MarkedPart]:
    """The text divided at each start and end; marks: sorted by position."""
    borders = sorted({0, len(text), *(position for span, _, _ in marks for position in span)})
    covering: list[tuple[Span, str, str]] = []
    first = 0
    for start, end in pairwise(borders):
        covering = [mark for mark in covering if mark[0].end > start]
        while first < len(marks) and marks[first][0].start <= start:
            covering.append(marks[first])
            first += 1
        yield MarkedPart(text[start:end], *_describe_marks(covering))


def _describe_marks(marks: Iterable[tuple[Span, str, str]]) -> tuple[str, str]:
    """The states, each once in the order of STATE_LABELS, and their words with the types."""
    found = {state: [kind for _, own, kind in marks if own == state] for state in STATE_LABELS}
    states = [state for state, types in found.items() if types]
    titles = []
    for state in states:
        types = ", ".join(dict.fromkeys(filter(None, found[state])))
        titles.append(f"{STATE_LABELS[state]}: {types}" if types else STATE_LABELS[state])
    return " ".join(states), "; ".join(titles)
