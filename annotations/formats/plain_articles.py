"""Plain text as an article: the first line is the title, and blank lines part the paragraphs.

No character is lost or added: passages joined by one newline are the text of the file, so that positions that count its
code points stay right. Only a byte order mark is no part of the text.
"""

from collections.abc import Iterator
from itertools import islice

from annotations.formats.errors import FormatError
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import MOST_PASSAGES, Name, ReadArticle, ReadFile, checked
from annotations.formats.tsv_lines import BYTE_ORDER_MARK

NOT_UTF8 = "R445"


def read_plain(content: bytes, source: str) -> ReadFile:
    """One article. FormatError when it is not UTF-8 (R445) or cannot be stored (R447 to R449)."""
    article = ReadArticle(Name(), passages_of_text(decoded(content, source)))
    return ReadFile([checked(article, source)])


def decoded(content: bytes, source: str) -> str:
    """Text in UTF-8 without its byte order mark; FormatError (R445) with the place of the first byte that is none."""
    text = content.removeprefix(BYTE_ORDER_MARK)
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = len(text[text.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        message = "this byte is not UTF-8 - save the file as UTF-8 text"
        raise FormatError(source, line, column, NOT_UTF8, message) from None


def passages_of_text(text: str) -> tuple[Passage, ...]:
    """Title and paragraphs; a single paragraph is the abstract. Joined by one newline they are the text again.

    Of a text with more than MOST_PASSAGES, which is refused, only one more is made.
    """
    title, *rest = islice(_paragraphs(text.split("\n")), MOST_PASSAGES + 1)
    kind = "abstract" if len(rest) == 1 else "text"
    return (Passage("title", title), *(Passage(kind, paragraph) for paragraph in rest))


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """The title with the blank lines before it, then each paragraph with those behind it."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines) - 1) + 1
    yield "\n".join(lines[:first])
    paragraph: list[str] = []
    for line in lines[first:]:
        if line.strip() and paragraph and not paragraph[-1].strip() and any(own.strip() for own in paragraph):
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield "\n".join(paragraph)
