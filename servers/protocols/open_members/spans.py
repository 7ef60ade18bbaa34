"""Spans in answers: `[[start, end], ...]`, or `[[offset, length], ...]` in XML-RPC; structs count, too."""

from collections.abc import Sequence

from annotations.articles.text_parts import is_text_of_parts, join_text_of_parts
from annotations.schema import Span
from servers.protocols.answer_fields import parse_array_or_empty_value, parse_struct_or_ordered_array

START_AND_END = ("start", "end")
OFFSET_AND_LENGTH = ("offset", "length")


def read_spans(value: object, where: str, names: tuple[str, str] = START_AND_END, origin: int = 0) -> tuple[Span, ...]:
    """The spans of an array in their order; origin is where their positions are counted from.

    Raises MalformedValueError.
    """
    elements, _notes = parse_array_or_empty_value(value, where)
    spans = []
    for index, element in enumerate(elements):
        fields = parse_struct_or_ordered_array(element, names, f"{where}[{index}]", "a span")
        first, second = (fields.require_integer(name) for name in names)
        start = origin + first
        spans.append(Span(start, start + second if names is OFFSET_AND_LENGTH else origin + second))
    return tuple(spans)


def build_spans(spans: Sequence[Span]) -> list[list[int]]:
    return [list(span) for span in spans]


def normalize_text_of_parts(text: str, spans: Sequence[Span], article_text: str) -> str:
    """The text of a mention in several parts as it is stored, if it is what the article has at these parts."""
    is_inside = all(0 <= start < end <= len(article_text) for start, end in spans)
    if len(spans) > 1 and is_inside and is_text_of_parts(text, spans, article_text):
        return join_text_of_parts(spans, article_text)
    return text
