"""Read a manuscript that a journal sends, as passages or as a file of an import format, and store it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, BinaryIO, cast

from annotations.articles.imports.article_storage import build_unsaved_article, refuse_too_many_words
from annotations.articles.imports.citation_storage import build_unsaved_article_of_citation
from annotations.articles.models import Article
from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.journals import SUBMIT_PERMISSION
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.submission import ManuscriptInput, submit_manuscript
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import (
    ArticleIds,
    ParsedArticle,
    TextPassage,
    check_article_size_and_characters,
)
from bcms.article_uploads.article_import import LARGEST_UPLOAD, MEBIBYTES, parse_article_file
from servers.calls.queues.manuscript_calls import enqueue_manuscript
from servers.teams.permissions import User


def can_submit_manuscripts(user: User) -> bool:
    """Whether administrators have given the account the right of a journal."""
    return bool(user.is_authenticated and cast(Any, user).has_perm(SUBMIT_PERMISSION))


def build_article_of_passages(title: str, passages: Sequence[dict[str, str]]) -> Article:
    """An article that is not stored, of {"type", "text"} each. FormatError if it has no text, or too much."""
    parts = (TextPassage("title", title), *(TextPassage(each["type"], each["text"]) for each in passages))
    return build_unsaved_article(check_article_size_and_characters(ParsedArticle(ArticleIds(), parts), "passages"))


def build_article_of_file(stream: BinaryIO, file_name: str, size: int, file_format: ArticleFormat | None) -> Article:
    """The one article of a file, not stored. ManuscriptError if it has another number or is too large; the errors of
    parse_article_file."""
    if size > LARGEST_UPLOAD:
        raise ManuscriptError(f"A file has at most {MEBIBYTES} MiB.", "file")
    parsed = parse_article_file(stream, file_name, file_format)
    rows = [
        *map(build_unsaved_article, parsed.articles),
        *map(build_unsaved_article_of_citation, parsed.citations),
    ]
    if len(rows) != 1:
        raise ManuscriptError(f"The file has {len(rows):,} articles. Send each manuscript alone.", "file")
    return rows[0]


def store_and_enqueue_manuscript(journal: User, article: Article, given: ManuscriptInput, now: datetime) -> Manuscript:
    """Store the manuscript, and call the servers that may receive it before all their other calls. ManuscriptError;
    ArticleStorageError if the text has too many words for the database."""
    with refuse_too_many_words():
        return submit_manuscript(
            cast(int, journal.pk), article, given, now, lambda private: enqueue_manuscript(private, journal)
        )
