"""The text of a mention in one or more parts, as producers write it."""

from collections.abc import Sequence

from annotations.schema import Span


def join_text_of_parts(spans: Sequence[Span], text: str) -> str:
    """The text of a mention with these parts, as it is stored: that of the parts, joined by single spaces."""
    return " ".join(text[start:end] for start, end in spans)


def is_text_of_parts(mention: str, spans: Sequence[Span], text: str) -> bool:
    """Whether this is the text of a mention with these parts.

    Producers join parts by spaces or by nothing, or write the text from the first to the last part.
    """
    parts = [text[start:end] for start, end in spans]
    return mention in (" ".join(parts), "".join(parts), text[spans[0].start : spans[-1].end])
