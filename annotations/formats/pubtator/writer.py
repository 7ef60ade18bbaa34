"""Writes PubTator: `ID|t|title`, `ID|a|all other text`, then a line with tabs for each mention and interaction pair.

Positions count code points over title, one separator and the rest, as in the canonical text. Line breaks in the text,
and tabs and line breaks in mentions, become spaces. Mentions and pairs from several producers are written once.
Source: https://www.ncbi.nlm.nih.gov/research/pubtator/
"""

import re
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.schema import Kind

LINE_BREAK = re.compile(r"[\r\n]")
FIELD_BREAK = re.compile(r"[\t\r\n]")
PUBTATOR_DEFAULT_TYPE = "Mention"


def write_pubtator_mentions_and_pairs(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A block of lines for each article, separated by blank lines."""
    for article in articles:
        title, *rest = (passage.text for passage in article.passages)
        texts = (
            f"{article.id}|{letter}|{_clean_pubtator_line(text)}"
            for letter, text in (("t", title), ("a", " ".join(rest)))
        )
        lines = dict.fromkeys((*_iter_pubtator_mention_lines(article), *_iter_pubtator_pair_lines(article)))
        yield "\n".join((*texts, *lines, "", ""))


def _iter_pubtator_mention_lines(article: AnnotatedArticle) -> Iterator[str]:
    for _, annotation in article.iter_annotations(Kind.MENTION):
        mention_type = _clean_pubtator_field(annotation.type).strip() or PUBTATOR_DEFAULT_TYPE
        text = _clean_pubtator_field(annotation.text)
        yield f"{article.id}\t{annotation.start}\t{annotation.end}\t{text}\t{mention_type}\t-"


def _iter_pubtator_pair_lines(article: AnnotatedArticle) -> Iterator[str]:
    for _, annotation in article.iter_annotations(Kind.PAIR):
        yield f"{article.id}\tPPI\t{annotation.identifier}\t{annotation.partner}"


def _clean_pubtator_line(text: str) -> str:
    """The text with a space for each line break, so its length does not change."""
    return LINE_BREAK.sub(" ", text)


def _clean_pubtator_field(text: str) -> str:
    return FIELD_BREAK.sub(" ", text)
