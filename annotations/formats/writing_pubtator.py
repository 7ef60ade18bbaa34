"""PubTator: `ID|t|title`, `ID|a|all other text`, then a line for each mention and interaction pair, tabs between.

Positions count code points over title, one separator and the rest, so they are those of the canonical text; line breaks
in it become blanks, as do tabs and line breaks in a mention's text. Mentions and pairs that several producers report
stand there once. Source: https://www.ncbi.nlm.nih.gov/research/pubtator/
"""

import re
from collections.abc import Iterable, Iterator

from annotations.formats.collected import AnnotatedArticle
from annotations.kinds import Kind

LINE_BREAK = re.compile(r"[\r\n]")
NOT_IN_A_FIELD = re.compile(r"[\t\r\n]")
UNTYPED = "Mention"


def write_pubtator(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A block of lines an article, blank lines between."""
    for article in articles:
        title, *rest = (passage.text for passage in article.passages)
        texts = (f"{article.id}|{part}|{in_a_line(text)}" for part, text in (("t", title), ("a", " ".join(rest))))
        lines = dict.fromkeys((*mentions_of(article), *pairs_of(article)))
        yield "\n".join((*texts, *lines, "", ""))


def mentions_of(article: AnnotatedArticle) -> Iterator[str]:
    for _, found in article.of_kind(Kind.MENTION):
        kind = in_a_field(found.type).strip() or UNTYPED
        yield f"{article.id}\t{found.start}\t{found.end}\t{in_a_field(found.text)}\t{kind}\t-"


def pairs_of(article: AnnotatedArticle) -> Iterator[str]:
    for _, found in article.of_kind(Kind.PAIR):
        yield f"{article.id}\tPPI\t{found.identifier}\t{found.partner}"


def in_a_line(text: str) -> str:
    """The text without breaks of its line, as long as before."""
    return LINE_BREAK.sub(" ", text)


def in_a_field(text: str) -> str:
    return NOT_IN_A_FIELD.sub(" ", text)
