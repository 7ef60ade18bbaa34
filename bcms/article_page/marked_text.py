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

from annotations.results.collation import MarkedRange, TextSegment, heat_level, segment_text
from bcms.article_page.template_data import MarkedPassage, TextPiece
from bcms.lib.text import regularize_name

# Names of genes repeat, in an article and from one reader to the next.
NAME_KEY_CACHE_SIZE = 50_000


@lru_cache(NAME_KEY_CACHE_SIZE)
def compute_name_key(mention: str) -> str:
    """A short key that all mentions with the same regularized name share."""
    return f"{zlib.crc32(regularize_name(mention).encode('utf-8', 'surrogatepass')):x}"


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
    spans: Mapping[int, Iterable[MarkedRange]],
    highlight: Highlight = NO_HIGHLIGHT,
) -> list[MarkedPassage]:
    """The passages in pieces; spans: the mentions by producer, in code points of text, also of those without any."""
    lengths = [len(passage["text"]) for passage in passages]
    ends = [end - 1 for end in accumulate(length + 1 for length in lengths)]
    segments = segment_text(text, spans, breaks=[position for end in ends for position in (end, end + 1)])
    pieces = split_into_pieces(text, segments, len(spans), highlight)
    starts = [segment.start for segment in segments]
    return [
        MarkedPassage(passage["type"], pieces[bisect_left(starts, end - length) : bisect_left(starts, end)])
        for passage, length, end in zip(passages, lengths, ends, strict=True)
    ]


def split_into_pieces(text: str, segments: Iterable[TextSegment], total: int, highlight: Highlight) -> list[TextPiece]:
    """One piece for each segment of the text; total is the number of producers that annotated mentions."""
    begun: set[MarkedRange] = set()
    return [make_piece(text, segment, total, highlight, begun) for segment in segments]


def make_piece(text: str, segment: TextSegment, total: int, highlight: Highlight, begun: set[MarkedRange]) -> TextPiece:
    """The piece of a segment; begun holds the mentions that have a piece already, and is updated."""
    if not segment.mentions:
        return TextPiece(segment.text)
    mention = segment.mentions[0]
    name_keys = list(dict.fromkeys([compute_name_key(text[start:end]) for start, end in segment.mentions]))
    again = mention in begun
    begun.add(mention)
    count = len(segment.producers)
    return TextPiece(
        segment.text,
        level=heat_level(count, total),
        count=count,
        mention=format_span(mention),
        name_keys=" ".join(name_keys),
        chosen=highlight.highlights_piece(name_keys, segment.start),
        again=again,
    )


def render_pieces(pieces: Iterable[TextPiece], query: str) -> SafeString:
    """The pieces as HTML; query is the query string of a mention's URL up to its span, with the question mark.

    The text of a piece and the query come from outside: both are escaped.
    """
    safe_query = escape(query)
    return mark_safe(
        "".join(render_text_mark(piece, safe_query) if piece.mention else escape(piece.text) for piece in pieces)
    )


def render_sentence(pieces: Iterable[TextPiece]) -> SafeString:
    """The pieces of a sentence as HTML without links: the sentence is a link as a whole."""
    return mark_safe("".join(render_sentence_mark(piece) if piece.mention else escape(piece.text) for piece in pieces))


def render_sentence_mark(piece: TextPiece) -> str:
    return f"<b>{escape(piece.text)}</b>" if piece.chosen else f'<span class="other">{escape(piece.text)}</span>'


def render_text_mark(piece: TextPiece, safe_query: str) -> str:
    anchor = f'tabindex="-1" data-m="{piece.mention}"' if piece.again else f'id="m{piece.mention}"'
    css_class = "mark on" if piece.chosen else "mark"
    return (
        f'<a class="{css_class}" {anchor} data-n="{piece.level}" data-c="{piece.count}" data-w="{piece.name_keys}" '
        f'href="{safe_query}{piece.mention}#mention">{escape(piece.text)}</a>'
    )
