"""The text of an article with the positions of true positives, false negatives and false positives."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from annotations.schema import AnnotationData, Span
from evaluation.measures.items.split_annotations import MatchedItems

# The states by their names in the style sheet, and their words.
TRUE_POSITIVE, FALSE_NEGATIVE, FALSE_POSITIVE = "tp", "fn", "fp"
STATE_LABELS = {TRUE_POSITIVE: "true positive", FALSE_NEGATIVE: "false negative", FALSE_POSITIVE: "false positive"}
MOST_LISTED_TYPES = 5


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
    """The text divided at each start and end; marks: sorted by position.

    A run may mark a text thousands of times over, so types are counted while going along, and few of them listed.
    """
    ending = sorted(marks, key=lambda mark: mark[0].end)
    types_by_state: dict[str, Counter[str]] = {state: Counter() for state in STATE_LABELS}
    first, last = 0, 0
    for start, end in pairwise(sorted({0, len(text), *(position for span, _, _ in marks for position in span)})):
        while first < len(marks) and marks[first][0].start <= start:
            _, state, kind = marks[first]
            types_by_state[state][kind] += 1
            first += 1
        while last < len(ending) and ending[last][0].end <= start:
            _, state, kind = ending[last]
            types_by_state[state][kind] -= 1
            if not types_by_state[state][kind]:
                del types_by_state[state][kind]
            last += 1
        yield MarkedPart(text[start:end], *_describe_states(types_by_state))


def _describe_states(types_by_state: Mapping[str, Counter[str]]) -> tuple[str, str]:
    """The states that have a type, even "", in the order of STATE_LABELS, and their words with the types."""
    states = [state for state, types in types_by_state.items() if types]
    return " ".join(states), "; ".join(_format_state_with_types(state, types_by_state[state]) for state in states)


def _format_state_with_types(state: str, types: Collection[str]) -> str:
    listed = list(filter(None, islice(types, MOST_LISTED_TYPES)))
    more = ", …" if len(types) > MOST_LISTED_TYPES else ""
    return f"{STATE_LABELS[state]}: {', '.join(listed)}{more}" if listed else STATE_LABELS[state]
