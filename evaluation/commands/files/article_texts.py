"""The articles of a phase, as participants download them: tab-separated values, or JSON with one article per line."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.errors import FormatError, RefusedFileError

TSV_ESCAPE = re.compile(r"\\([\\tnr])")
ESCAPED_CHARACTERS = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
FIX = "give the article file of the phase, as TSV or JSON lines"


@dataclass(frozen=True, slots=True)
class ArticleTexts:
    """article_by_name: {name that a run may use: key of the article}; text_by_article: {key of the article: text}."""

    article_by_name: Mapping[str, int]
    text_by_article: Mapping[int, str]


def read_article_texts(stream: BinaryIO, source: str) -> ArticleTexts:
    """Read an article file. RefusedFileError with the first line that is not an article (R603)."""
    article_by_name: dict[str, int] = {}
    text_by_article: dict[int, str] = {}
    for number, (names, text) in enumerate(_iter_articles(stream, source)):
        text_by_article[number] = text
        article_by_name |= dict.fromkeys(names, number)
    return ArticleTexts(article_by_name, text_by_article)


def _iter_articles(stream: BinaryIO, source: str) -> Iterator[tuple[list[str], str]]:
    """(names, text) of each article."""
    for line_number, raw_line in enumerate(stream, 1):
        line = raw_line.decode(errors="replace").rstrip("\r\n")
        try:
            yield _parse_json_article(line) if line.startswith("{") else _parse_tsv_article(line)
        except (ValueError, KeyError, TypeError):
            message = f"the line is not an article with ID, title and text - {FIX}"
            raise RefusedFileError([FormatError(source, line_number, 1, "R603", message)]) from None


def _parse_json_article(line: str) -> tuple[list[str], str]:
    article = json.loads(line)
    names = [str(article[field]) for field in ("id", "pmid", "doi") if article.get(field)]
    return names, "\n".join(passage["text"] for passage in article["passages"])


def _parse_tsv_article(line: str) -> tuple[list[str], str]:
    name, title, rest = (TSV_ESCAPE.sub(lambda match: ESCAPED_CHARACTERS[match[1]], cell) for cell in line.split("\t"))
    return [name], f"{title}\n{rest}" if rest else title
