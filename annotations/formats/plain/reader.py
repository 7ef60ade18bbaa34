"""Reads plain text as an article: the first line is the title, and blank lines separate the paragraphs.

No character is lost or added: the passages joined by one newline are the text of the file, so positions in code points
stay valid. Only a byte order mark is not part of the text.
"""

from collections.abc import Iterator
from itertools import islice

from annotations.formats.articles.parsed_article import (
    MOST_PASSAGES,
    ArticleFileContent,
    ArticleIds,
    ParsedArticle,
    TextPassage,
    check_article_size_and_characters,
)
from annotations.formats.errors import FormatError
from annotations.formats.tsv.lines import BYTE_ORDER_MARK

NOT_UTF8 = "R445"


def read_plain(content: bytes, source: str) -> ArticleFileContent:
    """One article. FormatError if it is not UTF-8 (R445) or cannot be stored (R447 to R449)."""
    article = ParsedArticle(
        ArticleIds(), split_title_and_limited_paragraphs(decode_utf8_without_byte_order_mark(content, source))
    )
    return ArticleFileContent([check_article_size_and_characters(article, source)])


def decode_utf8_without_byte_order_mark(content: bytes, source: str) -> str:
    """The text without its byte order mark. FormatError (R445) at the first byte that is not UTF-8."""
    text = content.removeprefix(BYTE_ORDER_MARK)
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = len(text[text.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        message = "this byte is not UTF-8 - save the file as UTF-8 text"
        raise FormatError(source, line, column, NOT_UTF8, message) from None


def split_title_and_limited_paragraphs(text: str) -> tuple[TextPassage, ...]:
    """Title and paragraphs; a single paragraph is the abstract. Joined by one newline they give the text.

    At most MOST_PASSAGES + 1 passages are made, which is enough to reject the text.
    """
    title, *rest = islice(_iter_paragraphs(text.split("\n")), MOST_PASSAGES + 1)
    kind = "abstract" if len(rest) == 1 else "text"
    return (TextPassage("title", title), *(TextPassage(kind, paragraph) for paragraph in rest))


def _iter_paragraphs(lines: list[str]) -> Iterator[str]:
    """The title with the blank lines before it, then each paragraph with the blank lines after it."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines) - 1) + 1
    yield "\n".join(lines[:first])
    paragraph: list[str] = []
    for line in lines[first:]:
        if line.strip() and paragraph and not paragraph[-1].strip() and any(previous.strip() for previous in paragraph):
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield "\n".join(paragraph)
