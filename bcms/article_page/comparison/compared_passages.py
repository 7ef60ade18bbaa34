"""The text of an article as each of two servers marks it, whole and sentence by sentence."""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotations.articles.models import Article
from annotations.articles.sentences import split_sentences
from annotations.results.heat_map import MentionParts, compute_heat_level
from bcms.article_page.template_data import TextPiece
from bcms.article_page.text.marked_text import MarkedMentions, MarkedText, format_parts


@dataclass(frozen=True)
class ComparedPassage:
    """A passage in the HTML of each of the two servers, in their order; sentences has the same for each sentence."""

    type: str
    sentences: Sequence[Sequence[SafeString]]

    @cached_property
    def texts(self) -> list[SafeString]:
        columns = zip(*self.sentences, strict=True)
        return [format_html_join("", "{}", ((text,) for text in texts)) for texts in columns]


def build_compared_passages(
    article: Article, mentions_by_server: Collection[Sequence[MentionParts]], numbers: Sequence[int], mention_query: str
) -> list[ComparedPassage]:
    """The passages with these numbers, from 0, with a link to each mention; its URL follows mention_query."""
    shared = {format_parts(each) for each in set.intersection(*map(set, mentions_by_server))}
    columns = [_build_column(article, mentions, numbers, shared) for mentions in mentions_by_server]
    return [
        _compare_passage(article.passages[number], columns_of_passage, escape(mention_query))
        for number, *columns_of_passage in zip(numbers, *columns, strict=True)
    ]


def _build_column(
    article: Article, mentions: Sequence[MentionParts], numbers: Iterable[int], shared: Collection[str]
) -> list[list[TextPiece]]:
    """The passages with the mentions of one server in pieces; shared: those of the other one, too."""
    spans = {0: list(chain.from_iterable(mentions))}
    marked = MarkedText(article.text, article.passages, spans, MarkedMentions(mentions))
    return [[_set_level(piece, shared) for piece in each.pieces] for each in marked.build_passages(numbers)]


def _set_level(piece: TextPiece, shared: Collection[str]) -> TextPiece:
    """The piece with the heat level of both servers, or of one."""
    return replace(piece, level=compute_heat_level(2 if piece.mention in shared else 1, 2)) if piece.mention else piece


def _compare_passage(
    passage: dict[str, str], columns: Sequence[Sequence[TextPiece]], mention_query: str
) -> ComparedPassage:
    cuts = _list_cuts(passage["text"], columns)
    split_columns = [_split_pieces(pieces, cuts) for pieces in columns]
    sentences = zip(*split_columns, strict=True)
    return ComparedPassage(
        passage["type"], [[_render_pieces(pieces, mention_query) for pieces in each] for each in sentences]
    )


def _list_cuts(text: str, columns: Iterable[Iterable[TextPiece]]) -> list[int]:
    """Where the sentences of a passage begin, but for the first; a sentence that begins within a mark stays whole."""
    marked: set[int] = set()
    for pieces in columns:
        position = 0
        for piece in pieces:
            end = position + len(piece.text)
            marked.update(range(position + 1, end) if piece.mention else ())
            position = end
    return [start for start, _ in split_sentences(text)[1:] if start not in marked]


def _split_pieces(pieces: Iterable[TextPiece], cuts: Iterable[int]) -> list[list[TextPiece]]:
    """The pieces before the first cut, those up to the second and so on; a piece with a cut in it is divided."""
    split: list[list[TextPiece]] = [[]]
    waiting, position = deque(cuts), 0
    for piece in pieces:
        text = piece.text
        while waiting and waiting[0] < position + len(text):
            head, text = text[: waiting[0] - position], text[waiting[0] - position :]
            if head:
                split[-1].append(replace(piece, text=head))
            split.append([])
            position = waiting.popleft()
        split[-1].append(replace(piece, text=text))
        position += len(text)
    return split


def _render_pieces(pieces: Iterable[TextPiece], mention_query: str) -> SafeString:
    """The pieces as HTML; their text comes from outside and is escaped."""
    return mark_safe(
        "".join(
            f'<a class="mark" data-n="{piece.level}" href="{mention_query}{piece.mention}#mention">'
            f"{escape(piece.text)}</a>"
            if piece.mention
            else escape(piece.text)
            for piece in pieces
        )
    )
