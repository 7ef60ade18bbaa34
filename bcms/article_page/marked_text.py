"""The article's text with its mentions marked, as HTML.

A text of a hundred pages has ten thousand marks, too many for a template. Each mark carries only what its link, its
colour and the script need.
"""

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import accumulate

from django.utils.safestring import SafeString, mark_safe

from annotations.results.heat_map import (
    MarkedRange,
    TextSegment,
    compute_heat_level,
    split_text_at_span_edges_and_breaks,
)
from bcms.article_page.template_data import MarkedPassage, TextPiece
from bcms.lib.text import strip_case_spaces_and_dashes

# Names of genes repeat, in an article and from one reader to the next.
NAME_KEY_CACHE_SIZE = 50_000


@lru_cache(NAME_KEY_CACHE_SIZE)
def compute_regularized_name_checksum(mention_text: str) -> str:
    """A short key that all mentions with the same regularized name share."""
    return f"{zlib.crc32(strip_case_spaces_and_dashes(mention_text).encode('utf-8', 'surrogatepass')):x}"


def format_span(span: MarkedRange) -> str:
    return f"{span[0]}-{span[1]}"


@dataclass(frozen=True, slots=True)
class Highlight:
    """Which marks stand out: those with these name keys, and everything within the span."""

    name_keys: frozenset[str] = frozenset()
    span: MarkedRange | None = None

    def highlights_piece(self, name_keys: Iterable[str], start: int) -> bool:
        """Whether a piece that begins at start, within mentions with these name keys, stands out."""
        within = self.span is not None and self.span[0] <= start < self.span[1]
        return within or not self.name_keys.isdisjoint(name_keys)


NO_HIGHLIGHT = Highlight()


def build_marked_passages(
    text: str,
    passages: Sequence[Mapping[str, str]],
    mention_spans_by_producer: Mapping[int, Iterable[MarkedRange]],
    highlight: Highlight = NO_HIGHLIGHT,
) -> list[MarkedPassage]:
    """The passages in pieces; mention_spans_by_producer: the mentions by producer, in code points of text, also of
    those without any.
    """
    lengths = [len(passage["text"]) for passage in passages]
    ends = [end - 1 for end in accumulate(length + 1 for length in lengths)]
    segments = split_text_at_span_edges_and_breaks(
        text, mention_spans_by_producer, extra_break_positions=[position for end in ends for position in (end, end + 1)]
    )
    pieces = split_into_pieces(text, segments, len(mention_spans_by_producer), highlight)
    starts = [segment.start for segment in segments]
    return [
        MarkedPassage(passage["type"], pieces[bisect_left(starts, end - length) : bisect_left(starts, end)])
        for passage, length, end in zip(passages, lengths, ends, strict=True)
    ]


def split_into_pieces(
    text: str, segments: Iterable[TextSegment], annotating_producer_count: int, highlight: Highlight
) -> list[TextPiece]:
    """One piece for each segment of the text; annotating_producer_count is the number of producers that annotated
    mentions.
    """
    begun: set[MarkedRange] = set()
    return [_make_piece(text, segment, annotating_producer_count, highlight, begun) for segment in segments]


def _make_piece(
    text: str, segment: TextSegment, total: int, highlight: Highlight, begun: set[MarkedRange]
) -> TextPiece:
    """The piece of a segment; begun holds the mentions that have a piece already, and is updated."""
    if not segment.mentions:
        return TextPiece(segment.text)
    mention = segment.mentions[0]
    name_keys = list(
        dict.fromkeys([compute_regularized_name_checksum(text[start:end]) for start, end in segment.mentions])
    )
    again = mention in begun
    begun.add(mention)
    count = len(segment.producers)
    return TextPiece(
        segment.text,
        level=compute_heat_level(count, total),
        count=count,
        mention=format_span(mention),
        name_keys=" ".join(name_keys),
        chosen=highlight.highlights_piece(name_keys, segment.start),
        again=again,
    )


def render_pieces_with_mention_links(pieces: Iterable[TextPiece], mention_link_query: str) -> SafeString:
    """The pieces as HTML; mention_link_query is the query string of a mention's URL up to its span, with the question
    mark.

    The text of a piece and the query come from outside: both are escaped.
    """
    safe_query = escape(mention_link_query)
    return mark_safe(
        "".join(_render_text_mark(piece, safe_query) if piece.mention else escape(piece.text) for piece in pieces)
    )


def render_pieces_without_links(pieces: Iterable[TextPiece]) -> SafeString:
    """The pieces of a sentence as HTML without links: the sentence is a link as a whole."""
    return mark_safe("".join(_render_sentence_mark(piece) if piece.mention else escape(piece.text) for piece in pieces))


def _render_sentence_mark(piece: TextPiece) -> str:
    return f"<b>{escape(piece.text)}</b>" if piece.chosen else f'<span class="other">{escape(piece.text)}</span>'


def _render_text_mark(piece: TextPiece, safe_query: str) -> str:
    anchor = f'tabindex="-1" data-m="{piece.mention}"' if piece.again else f'id="m{piece.mention}"'
    css_class = "mark on" if piece.chosen else "mark"
    return (
        f'<a class="{css_class}" {anchor} data-n="{piece.level}" data-c="{piece.count}" data-w="{piece.name_keys}" '
        f'href="{safe_query}{piece.mention}#mention">{escape(piece.text)}</a>'
    )
