"""Texts with the positions of items, however many a run has."""

from annotations.schema import AnnotationData, Kind, Span
from evaluation.measures.items.split_annotations import MatchedItems
from evaluation.runs.run_page.marked_text import FALSE_NEGATIVE, FALSE_POSITIVE, mark_spans, mark_text

TEXT = "x" * 2000


def mark_types(*types):
    mentions = [AnnotationData(Kind.MENTION, start=2, end=4, type=each) for each in types]
    return [(part.text, part.title) for part in mark_text("abcdef", MatchedItems([], [], mentions)) if part.states]


def test_parts_overlap():
    spans = {FALSE_NEGATIVE: [Span(0, 3), Span(5, 6)], FALSE_POSITIVE: [Span(1, 2), Span(1, 4)]}
    parts = mark_spans("abcdef", spans)
    assert [(part.text, part.states) for part in parts] == [
        *(("a", "fn"), ("b", "fn fp"), ("c", "fn fp"), ("d", "fp"), ("e", ""), ("f", "fn")),
    ]
    assert "".join(part.text for part in parts) == "abcdef"
    assert mark_spans("abcdef", {FALSE_POSITIVE: []}) == mark_spans("", {FALSE_POSITIVE: [Span(0, 3)]}) == []


def test_few_types_are_listed_each_once():
    assert mark_types("Gene", "Gene", "") == [("cd", "false positive: Gene")]
    assert mark_types("") == [("cd", "false positive")]
    assert mark_types(*"ABCDE") == [("cd", "false positive: A, B, C, D, E")]
    assert mark_types(*(str(number) for number in range(10_000))) == [("cd", "false positive: 0, 1, 10, 100, 1000, …")]


def test_spans_within_spans_take_no_time_of_their_own():
    spans = [Span(start, 2000 - end) for start in range(900) for end in range(0, 900, 10)]
    parts = mark_spans(TEXT, {FALSE_POSITIVE: spans})
    assert "".join(part.text for part in parts) == TEXT
    assert all(part.states == "fp" for part in parts[:-1])
