"""Responses with files of published digital abstracts, which are the same for every reader."""

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.exceptions import NotFound

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque, format_pmid_or_opaque
from annotations.curation.abstract_files import NANOPUBLICATIONS, AbstractFileFormat
from annotations.curation.models import PublishedAbstract
from annotations.curation.published_records import find_last_published_abstract
from bcms.digital_abstracts.published_abstracts import (
    export_published_abstract,
    iter_published_abstracts,
    list_abstract_formats,
)
from bcms.lib.rest.limits import claim_file_slot_while_streaming
from bcms.search.exports.download_responses import build_file_response
from bcms.search.exports.exported_articles import list_public_articles

NO_ABSTRACT = "This article has no published digital abstract."
NO_NANOPUBLICATIONS = (
    "This site makes no nanopublications, because it has no key to sign them with. Its administrators can set one "
    "(NANOPUB_KEY_FILE)."
)


def get_abstract_format_or_404(slug: str, *, of_one_article: bool) -> AbstractFileFormat:
    """NotFound, with the formats that there are, for any other."""
    formats = list_abstract_formats(of_one_article=of_one_article)
    if slug in formats:
        return formats[slug]
    if slug == NANOPUBLICATIONS and settings.NANOPUB_KEY is None:
        raise NotFound(NO_NANOPUBLICATIONS)
    raise NotFound(f"There is no format {slug}. The formats are {', '.join(formats)}.")


def get_published_abstract_or_404(article: Article) -> PublishedAbstract:
    """NotFound, which says so if it was withdrawn: 1 query."""
    last = find_last_published_abstract(article)
    if last is None or last.withdrawn is not None:
        raise NotFound(describe_missing_abstract(last))
    return last


def describe_missing_abstract(last: PublishedAbstract | None) -> str:
    """Why an article has no digital abstract. last: the one that was withdrawn last, None if there was none."""
    if last is None or last.withdrawn is None:
        return NO_ABSTRACT
    reason = f": {last.withdrawal_reason}" if last.withdrawal_reason else "."
    return f"The digital abstract of this article was withdrawn on {last.withdrawn:%-d %B %Y}{reason}"


def build_article_abstract_download(request: HttpRequest, identifier: str, slug: str) -> HttpResponseBase:
    """The published digital abstract of a public article as a file; NotFound without one."""
    file_format = get_abstract_format_or_404(slug, of_one_article=True)
    article = filter_articles_by_pmid_or_opaque(list_public_articles(), identifier).first()
    if article is None:
        raise NotFound("There is no article with this identifier.")
    exported = export_published_abstract(get_published_abstract_or_404(article), article)
    stem = f"{format_pmid_or_opaque(article)}-digital-abstract"
    return build_file_response(request, file_format, file_format.write([exported]), f"{stem}.{file_format.suffix}")


def build_abstracts_download(request: HttpRequest, articles: QuerySet[Article], slug: str) -> StreamingHttpResponse:
    """The published digital abstracts of the articles as one file, which keeps one of the slots for large files."""
    file_format = get_abstract_format_or_404(slug, of_one_article=False)
    is_read = request.method != "HEAD"
    chunks = file_format.write(iter_published_abstracts(articles)) if is_read else iter(())
    file_name = f"bcms-digital-abstracts.{file_format.suffix}"
    return claim_file_slot_while_streaming(build_file_response(request, file_format, chunks, file_name))
