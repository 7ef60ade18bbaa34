"""What a person sends in becomes articles, as far as the person may: the same for the pages and the API."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from django.db import transaction

from annotations.article_files import MEGABYTE, format_in, read_articles, unpacked
from annotations.article_storing import HiddenArticleError, StoringError, store_articles
from annotations.citation_storing import ImportCounts
from annotations.formats.article_sniffing import ArticleFormat
from annotations.formats.pubmed import Citation, read_citations
from annotations.formats.read_article import ReadArticle, name_of
from annotations.importing import ImportStoppedError, import_citations
from annotations.models import Article
from annotations.querysets import articles_called
from bcms.visibility import User, articles_seen_by
from evaluation.models import Challenge

# Of an upload, and of what it unpacks to; whoever runs the site imports more by command.
LARGEST_UPLOAD = 20 * MEGABYTE
LARGEST_UNPACKED = 64 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Sent:
    """The articles of a file as they were read, or citations if it is one of PubMed; size in bytes, unpacked. Nothing
    is stored; warnings are sentences."""

    format: ArticleFormat
    size: int
    articles: Sequence[ReadArticle] = ()
    citations: Sequence[Citation] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TakenIn:
    """articles in the order of the file, and which of them are new and changed, by their keys."""

    format: ArticleFormat
    articles: Sequence[Article]
    counts: ImportCounts
    new: frozenset[int]
    changed: frozenset[int]
    warnings: Sequence[str] = ()


def may_send_articles(user: User) -> bool:
    """Organizers of a challenge and staff."""
    if not user.is_authenticated:
        return False
    return getattr(user, "is_staff", False) or Challenge.objects.filter(organizers=user.pk).exists()


def take_in(stream: BinaryIO, source: str, user: User, form: ArticleFormat | None = None, name: str = "") -> TakenIn:
    """Store the articles of a file, all or none; it raises what reading and storing it raise."""
    return store_sent(read_sent(stream, source, form, name), user)


def read_sent(
    stream: BinaryIO, source: str, form: ArticleFormat | None = None, name: str = "", largest: int = LARGEST_UNPACKED
) -> Sent:
    """Read a file whole; name is the PMID, PMCID or DOI of its one article.

    FormatError and RefusedFileError when it cannot be read, StoringError when the name does not fit.
    """
    found = form or format_in(stream, source)
    content = unpacked(stream, source, largest)
    size = content.getbuffer().nbytes
    if found is ArticleFormat.PUBMED:
        # Citations only: PubMed alone withdraws articles, not who sends one in.
        citations = [record for record in read_citations(content, source) if isinstance(record, Citation)]
        return Sent(found, size, citations=citations)
    read = read_articles(content, source, found)
    articles = read.articles
    if name:
        if len(articles) != 1 or not name_of(name):
            raise StoringError("A name is for a file with one article, and is a PMID, PMCID or DOI: leave it out.")
        articles = [replace(articles[0], name=name_of(name))]
    return Sent(found, size, articles=articles, warnings=[str(warning) for warning in read.warnings])


def store_sent(sent: Sent, user: User) -> TakenIn:
    """Store what was read, all or nothing. StoringError when it cannot be stored, HiddenArticleError when one of the
    articles is not for the user's eyes."""
    if sent.format is ArticleFormat.PUBMED:
        return _store_citations(sent, user)
    stored = store_articles(sent.articles, seen=articles_seen_by(user))
    return TakenIn(sent.format, stored.articles, stored.counts, stored.new, stored.changed, sent.warnings)


@transaction.atomic
def _store_citations(sent: Sent, user: User) -> TakenIn:
    pmids = [citation.pmid for citation in sent.citations]
    names = [name for citation in sent.citations for name in citation.names]
    known = set(articles_called(names, Article.objects.all()).values())
    if articles_seen_by(user).filter(pk__in=known).count() < len(known):
        raise HiddenArticleError
    before = dict(Article.objects.filter(pk__in=known).values_list("pk", "version"))
    try:
        counts = import_citations(sent.citations)
    except ImportStoppedError as error:
        raise StoringError(error.reason) from error
    articles = list(Article.objects.filter(pmid__in=pmids).order_by("pk"))
    new = frozenset(article.pk for article in articles if article.pk not in before)
    changed = frozenset(article.pk for article in articles if article.version != before.get(article.pk)) - new
    return TakenIn(sent.format, articles, counts, new, changed)
