"""The article's text with its mentions marked, as HTML.

A text of a hundred pages has ten thousand marks, too many for a template. Each mark carries only what its link, its
colour and the script need.
"""

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import accumulate

from django.utils.safestring import SafeString, mark_safe

from annotations.results.heat_map import (
    MarkedRange,
    MentionParts,
    TextSegment,
    compute_heat_level,
    split_text_at_span_edges_and_breaks,
)
from annotations.schema import AnnotationData
from bcms.article_page.open_annotations.entity_types import MentionType
from bcms.article_page.template_data import MarkedPassage, TextPiece
from bcms.lib.text import strip_case_spaces_and_dashes

# Names of genes repeat, in an article and from one reader to the next.
NAME_KEY_CACHE_SIZE = 50_000
# Stands for relations among the producers of marks; those have positive ids.
RELATION_ENDS = 0


@lru_cache(NAME_KEY_CACHE_SIZE)
def compute_regularized_name_checksum(mention_text: str) -> str:
    """A short key that all mentions with the same regularized name share."""
    return f"{zlib.crc32(strip_case_spaces_and_dashes(mention_text).encode('utf-8', 'surrogatepass')):x}"


def format_parts(mention: MentionParts) -> str:
    """A mention as in URLs: "20-24", or "20-24.30-32" if it has two parts."""
    return ".".join([f"{start}-{end}" for start, end in mention])


def get_plain_parts(mention: AnnotationData) -> MentionParts:
    """The parts of a mention; of one in one piece as plain tuples, made and read in half the time of Spans."""
    if mention.spans or mention.start is None or mention.end is None:
        return mention.spans
    return ((mention.start, mention.end),)


def get_text_of_parts(text: str, mention: MentionParts) -> str:
    # Long texts have thousands of mentions, and few of them have several parts; so below.
    if len(mention) == 1:
        start, end = mention[0]
        return text[start:end]
    return " ".join([text[start:end] for start, end in mention])


@dataclass(frozen=True, slots=True)
class Highlight:
    """Which marks stand out: those with these name keys, and everything within the parts of one mention."""

    name_keys: frozenset[str] = frozenset()
    mention: MentionParts = ()

    def highlights_piece(self, name_keys: Iterable[str], start: int) -> bool:
        """Whether a piece that begins at start, within mentions with these name keys, stands out."""
        within = bool(self.mention) and any(part[0] <= start < part[1] for part in self.mention)
        return within or not self.name_keys.isdisjoint(name_keys)


NO_HIGHLIGHT = Highlight()


class MarkedMentions:
    """The mentions that the marked ranges of a text belong to; without any, each range is a mention itself.

    type_by_mention: the types that have a look of their own. ends: mentions that relations name and no server marks.
    """

    def __init__(
        self,
        mentions: Collection[MentionParts] = (),
        type_by_mention: Mapping[MentionParts, MentionType] | None = None,
        ends: Iterable[MentionParts] = (),
    ) -> None:
        self.ends = frozenset(ends)
        self.type_by_mention = type_by_mention or {}
        self._mentions_by_part: dict[MarkedRange, list[MentionParts]] = {}
        whole = {mention for mention in mentions if len(mention) == 1}
        for mention in (*mentions, *self.ends):
            for part in mention if len(mention) > 1 else ():
                self._mentions_by_part.setdefault(part, [(part,)] if (part,) in whole else []).append(mention)

    def list_mentions(self, marked_ranges: Iterable[MarkedRange]) -> list[MentionParts]:
        """The mentions that each range is part of; first the one that is this range alone, if there is one."""
        by_part = self._mentions_by_part
        if not by_part:
            return [(marked_range,) for marked_range in marked_ranges]
        return [mention for each in marked_ranges for mention in by_part.get(each) or [(each,)]]


PLAIN_MARKS = MarkedMentions()


class MarkedText:
    """A text in segments, which are the same for everybody who sees these mentions.

    mention_spans_by_producer: the parts of the mentions by producer, in code points of text, also of those without any.
    """

    def __init__(
        self,
        text: str,
        passages: Sequence[Mapping[str, str]],
        mention_spans_by_producer: Mapping[int, Iterable[MarkedRange]],
        marks: MarkedMentions = PLAIN_MARKS,
    ) -> None:
        self._text = text
        self._types = [passage["type"] for passage in passages]
        self._total = len(mention_spans_by_producer)
        self._marks = marks
        self._offsets = [0, *accumulate(len(passage["text"]) + 1 for passage in passages)]
        ends = [part for mention in marks.ends for part in mention]
        spans_by_producer = {**mention_spans_by_producer, RELATION_ENDS: ends} if ends else mention_spans_by_producer
        breaks = [position for offset in self._offsets[1:] for position in (offset - 1, offset)]
        self._segments = split_text_at_span_edges_and_breaks(text, spans_by_producer, extra_break_positions=breaks)
        self._starts = [segment.start for segment in self._segments]

    def list_marked_passages(self) -> list[int]:
        """The numbers, from 0, of the passages in which anything is marked."""
        marked = {bisect_right(self._offsets, segment.start) - 1 for segment in self._segments if segment.mentions}
        return sorted(marked)

    def build_passages(self, numbers: Iterable[int], highlight: Highlight = NO_HIGHLIGHT) -> list[MarkedPassage]:
        """The passages with these numbers, counted from 0, in pieces."""
        begun: set[MentionParts] = set()
        return [self._build_passage(number, highlight, begun) for number in numbers]

    def _build_passage(self, number: int, highlight: Highlight, begun: set[MentionParts]) -> MarkedPassage:
        start, end = self._offsets[number], self._offsets[number + 1] - 1
        segments = self._segments[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        pieces = [_make_piece(self._text, each, self._total, highlight, self._marks, begun) for each in segments]
        return MarkedPassage(self._types[number], pieces, number + 1)


def split_into_pieces(
    text: str,
    segments: Iterable[TextSegment],
    annotating_producer_count: int,
    highlight: Highlight,
    marks: MarkedMentions = PLAIN_MARKS,
) -> list[TextPiece]:
    """One piece for each segment of the text; annotating_producer_count is the number of producers that annotated
    mentions.
    """
    begun: set[MentionParts] = set()
    return [_make_piece(text, segment, annotating_producer_count, highlight, marks, begun) for segment in segments]


def _make_piece(
    text: str,
    segment: TextSegment,
    total: int,
    highlight: Highlight,
    marks: MarkedMentions,
    begun: set[MentionParts],
) -> TextPiece:
    """The piece of a segment; begun holds the mentions that have a piece already, and is updated."""
    if not segment.mentions:
        return TextPiece(segment.text)
    mentions = marks.list_mentions(segment.mentions)
    name_keys = list(
        dict.fromkeys([compute_regularized_name_checksum(get_text_of_parts(text, mention)) for mention in mentions])
    )
    chosen = highlight.highlights_piece(name_keys, segment.start)
    marked = mentions if not marks.ends else [mention for mention in mentions if mention not in marks.ends]
    if not marked:
        return TextPiece(segment.text, name_keys=" ".join(name_keys), chosen=chosen)
    mention = marked[0]
    again = mention in begun
    begun.add(mention)
    count = len(segment.producers - {RELATION_ENDS})
    mention_type = marks.type_by_mention.get(mention)
    return TextPiece(
        segment.text,
        level=compute_heat_level(count, total),
        count=count,
        mention=format_parts(mention),
        name_keys=" ".join(name_keys),
        chosen=chosen,
        again=again,
        look=mention_type.look if mention_type else "",
        letter=mention_type.letter if mention_type and any(segment.start == part[0] for part in mention) else "",
        joins=_describe_joins(mention, segment),
    )


def _describe_joins(mention: MentionParts, segment: TextSegment) -> str:
    """Where other parts of the mention stand, at the edges of its parts."""
    if len(mention) == 1:
        return ""
    before = any(segment.start == start for start, _ in mention[1:])
    after = any(segment.end == end for _, end in mention[:-1])
    return " ".join(["before"] * before + ["after"] * after)


def render_pieces_with_mention_links(pieces: Iterable[TextPiece], mention_link_query: str) -> SafeString:
    """The pieces as HTML; mention_link_query is the query string of a mention's URL up to its span, with the question
    mark.

    The text of a piece and the query come from outside: both are escaped.
    """
    safe_query = escape(mention_link_query)
    return mark_safe(
        "".join(
            [
                _render_text_mark(piece, safe_query) if piece.mention else _render_unmarked_piece(piece)
                for piece in pieces
            ]
        )
    )


def render_pieces_without_links(pieces: Iterable[TextPiece]) -> SafeString:
    """The pieces of a sentence as HTML without links: the sentence is a link as a whole."""
    return mark_safe("".join(_render_sentence_mark(piece) if piece.mention else escape(piece.text) for piece in pieces))


def _render_sentence_mark(piece: TextPiece) -> str:
    return f"<b>{escape(piece.text)}</b>" if piece.chosen else f'<span class="other">{escape(piece.text)}</span>'


def _render_unmarked_piece(piece: TextPiece) -> str:
    if piece.name_keys:
        css_class = "end on" if piece.chosen else "end"
        return f'<span class="{css_class}" data-w="{piece.name_keys}">{escape(piece.text)}</span>'
    return escape(piece.text)


def _render_text_mark(piece: TextPiece, safe_query: str) -> str:
    anchor = f'tabindex="-1" data-m="{piece.mention}"' if piece.again else f'id="m{piece.mention}"'
    css_class = "mark on" if piece.chosen else "mark"
    look = f' data-t="{piece.look}"' if piece.look else ""
    look += f' data-l="{piece.letter}"' if piece.letter else ""
    look += f' data-j="{piece.joins}"' if piece.joins else ""
    return (
        f'<a class="{css_class}" {anchor}{look} data-n="{piece.level}" data-c="{piece.count}" '
        f'data-w="{piece.name_keys}" href="{safe_query}{piece.mention}#mention">{escape(piece.text)}</a>'
    )
