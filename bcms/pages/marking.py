"""The article's text with its marked words as HTML.

A text of a hundred pages has ten thousand marked words: they are written here, not by a template, and each carries
no more than what its link, its warmth and its script need.
"""

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import accumulate

from django.utils.safestring import SafeString, mark_safe

from annotations.collation import Segment, Span, heat_level, segments
from bcms.lib.text import regularize
from bcms.pages.parts import Passage, Piece

# Names of genes repeat, in an article and from one reader to the next.
REMEMBERED = 50_000


@lru_cache(REMEMBERED)
def word_key(mention: str) -> str:
    """What marks of the same regularized name have in common, as an attribute of a few characters."""
    return f"{zlib.crc32(regularize(mention).encode('utf-8', 'surrogatepass')):x}"


def span_key(span: Span) -> str:
    return f"{span[0]}-{span[1]}"


@dataclass(frozen=True, slots=True)
class Marked:
    """Which marks stand out: those of these names, and what is within the span."""

    words: frozenset[str] = frozenset()
    span: Span | None = None

    def has(self, words: Iterable[str], start: int) -> bool:
        """Whether a piece stands out that begins there and is part of mentions with these keys."""
        within = self.span is not None and self.span[0] <= start < self.span[1]
        return within or not self.words.isdisjoint(words)


NOTHING = Marked()


def marked_passages(
    text: str, passages: Sequence[Mapping[str, str]], spans: Mapping[int, Iterable[Span]], chosen: Marked = NOTHING
) -> list[Passage]:
    """The passages in pieces; spans are the mentions of each producer that looked for any, in code points of text."""
    lengths = [len(passage["text"]) for passage in passages]
    ends = [end - 1 for end in accumulate(length + 1 for length in lengths)]
    cut = segments(text, spans, breaks=[at for end in ends for at in (end, end + 1)])
    pieces = pieces_of(text, cut, len(spans), chosen)
    starts = [segment.start for segment in cut]
    return [
        Passage(passage["type"], pieces[bisect_left(starts, end - length) : bisect_left(starts, end)])
        for passage, length, end in zip(passages, lengths, ends, strict=True)
    ]


def pieces_of(text: str, cut: Iterable[Segment], total: int, chosen: Marked) -> list[Piece]:
    begun: set[Span] = set()
    return [piece(text, segment, total, chosen, begun) for segment in cut]


def piece(text: str, segment: Segment, total: int, chosen: Marked, begun: set[Span]) -> Piece:
    if not segment.mentions:
        return Piece(segment.text)
    mention = segment.mentions[0]
    words = list(dict.fromkeys([word_key(text[start:end]) for start, end in segment.mentions]))
    again = mention in begun
    begun.add(mention)
    count = len(segment.producers)
    return Piece(
        segment.text,
        level=heat_level(count, total),
        count=count,
        mention=span_key(mention),
        words=" ".join(words),
        chosen=chosen.has(words, segment.start),
        again=again,
    )


def html_of(pieces: Iterable[Piece], query: str) -> SafeString:
    """The pieces as HTML; query is what the address of a mention has before its span, with its question mark.

    Only the text of a piece and the query are anybody's words: both are escaped.
    """
    safe_query = escape(query)
    return mark_safe("".join(mark(piece, safe_query) if piece.mention else escape(piece.text) for piece in pieces))


def html_of_sentence(pieces: Iterable[Piece]) -> SafeString:
    """The same for a sentence that is a link as a whole."""
    return mark_safe("".join(mark_within(piece) if piece.mention else escape(piece.text) for piece in pieces))


def mark_within(piece: Piece) -> str:
    return f"<b>{escape(piece.text)}</b>" if piece.chosen else f'<span class="other">{escape(piece.text)}</span>'


def mark(piece: Piece, safe_query: str) -> str:
    place = f'tabindex="-1" data-m="{piece.mention}"' if piece.again else f'id="m{piece.mention}"'
    look = "mark on" if piece.chosen else "mark"
    return (
        f'<a class="{look}" {place} data-n="{piece.level}" data-c="{piece.count}" data-w="{piece.words}" '
        f'href="{safe_query}{piece.mention}#mention">{escape(piece.text)}</a>'
    )
