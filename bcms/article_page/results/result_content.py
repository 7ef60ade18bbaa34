"""What one Result says: its mentions marked in the text, everything else as a list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.utils.safestring import SafeString

from annotations.articles.models import Article
from annotations.results.models import Result
from annotations.results.queries import load_annotations_of_many_results
from annotations.schema import AnnotationData, Kind
from bcms.article_page.text.marked_text import (
    MarkedMentions,
    MarkedText,
    get_plain_parts,
    render_pieces_with_mention_links,
)
from servers.kit.checks.check_report import build_annotation_report_fields

MOST_PASSAGES = 20
MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class ResultContent:
    """passages: those with mentions, each with its number from 1; rows: as build_annotation_report_fields gives them.

    more_passages, more_rows: how many are not shown. is_ranked, is_confident: whether any row has a rank, a confidence.
    """

    passages: Sequence[tuple[int, SafeString]] = ()
    more_passages: int = 0
    rows: Sequence[Mapping[str, object]] = ()
    more_rows: int = 0

    @property
    def is_ranked(self) -> bool:
        return any(row["rank"] is not None for row in self.rows)

    @property
    def is_confident(self) -> bool:
        return any(row["confidence"] is not None for row in self.rows)


def load_result_content(result: Result, article: Article | None, article_url: str) -> ResultContent:
    """1 query. article: with the text of the result, None if that is not kept; then mentions are a list, too.

    article_url: that of the page that shows them, with a query to which a mention can be added.
    """
    annotations = load_annotations_of_many_results({result.pk: Kind(result.kind)}).get(result.pk, [])
    if result.kind == Kind.MENTION and article is not None:
        return _mark_mentions(article, annotations, f"{article_url}&mention=")
    rows = [build_annotation_report_fields(each) for each in annotations[:MOST_ROWS]]
    return ResultContent(rows=rows, more_rows=max(0, len(annotations) - MOST_ROWS))


def _mark_mentions(article: Article, mentions: Iterable[AnnotationData], mention_url: str) -> ResultContent:
    all_parts = [get_plain_parts(mention) for mention in mentions]
    text = MarkedText(article.text, article.passages, {1: chain.from_iterable(all_parts)}, MarkedMentions(all_parts))
    marked = text.list_marked_passages()
    passages = text.build_passages(marked[:MOST_PASSAGES])
    rendered = [(each.number, render_pieces_with_mention_links(each.pieces, mention_url)) for each in passages]
    return ResultContent(rendered, len(marked) - len(rendered))
