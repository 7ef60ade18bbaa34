"""What a person sends in becomes articles, as far as the person may: the same for the pages and the API."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO

from django.db import transaction

from annotations.article_files import MEGABYTE, format_in, read_articles, unpacked
from annotations.article_storing import HiddenArticleError, StoringError, store_articles
from annotations.formats.article_sniffing import ArticleFormat
from annotations.formats.pubmed import Citation, read_citations
from annotations.formats.read_article import name_of
from annotations.importing import ImportCounts, import_citations
from annotations.models import Article
from bcms.visibility import User, articles_seen_by

# Of an upload, and of what it unpacks to; whoever runs the site imports more by command.
LARGEST_UPLOAD = 20 * MEGABYTE
LARGEST_UNPACKED = 64 * MEGABYTE


@dataclass(frozen=True, slots=True)
class TakenIn:
    """articles in the order of the file; warnings are sentences."""

    format: ArticleFormat
    articles: Sequence[Article]
    counts: ImportCounts
    warnings: Sequence[str] = ()


def take_in(stream: BinaryIO, source: str, user: User, form: ArticleFormat | None = None, name: str = "") -> TakenIn:
    """Store the articles of a file, all or none; name is the PMID, PMCID or DOI of its one article.

    FormatError and RefusedFileError when it cannot be read, ImportStoppedError and StoringError when it cannot be
    stored, HiddenArticleError when one of its articles is not for the user's eyes.
    """
    found = form or format_in(stream, source)
    content = unpacked(stream, source, LARGEST_UNPACKED)
    if found is ArticleFormat.PUBMED:
        return _pubmed(content, source, user)
    read = read_articles(content, source, found)
    articles = read.articles
    if name:
        if len(articles) != 1 or not name_of(name):
            raise StoringError("A name is for a file with one article, and is a PMID, PMCID or DOI: leave it out.")
        articles = [replace(articles[0], name=name_of(name))]
    stored = store_articles(articles, seen=articles_seen_by(user))
    return TakenIn(found, stored.articles, stored.counts, [str(warning) for warning in read.warnings])


@transaction.atomic
def _pubmed(content: BytesIO, source: str, user: User) -> TakenIn:
    """Citations only: PubMed alone withdraws articles, not who sends one in."""
    citations = [record for record in read_citations(content, source) if isinstance(record, Citation)]
    pmids = [citation.pmid for citation in citations]
    known = Article.objects.filter(pmid__in=pmids)
    if known.exclude(pk__in=articles_seen_by(user).filter(pmid__in=pmids).values("pk")).exists():
        raise HiddenArticleError
    counts = import_citations(citations)
    return TakenIn(ArticleFormat.PUBMED, list(Article.objects.filter(pmid__in=pmids).order_by("pk")), counts)
