"""What a worker does with open article requests: it fetches the articles from PubMed or PubMed Central and enqueues
them for every server, before all other articles.

Articles requested by PMCID are also looked up in PubMed Central, because PubMed does not have all of them. A request
stays open until it is finished, even if the worker dies.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils import timezone

from annotations.articles.entrez.client import (
    CITATIONS_PER_REQUEST,
    EntrezClient,
    UnknownArticleIdError,
    UnknownPmidError,
)
from annotations.articles.imports.article_storage import (
    ArticleStorageError,
    store_annotated_articles,
)
from annotations.articles.imports.citation_import import ImportStoppedError, import_citations_batch_by_batch
from annotations.articles.models import Article, ArticleRequest
from annotations.errors import FetchError, ServiceUnavailableError
from annotations.formats.articles.parsed_article import ArticleIds, parse_article_id_or_empty
from annotations.formats.pubmed.reader import Citation
from bcms.lib.durations import format_duration
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.queues.contents import enqueue_or_prioritize_missing_nonblind_live_calls
from servers.calls.queues.missed_articles import enqueue_for_unreachable_servers

# Shorter than for an import, as a visitor waits for the article.
ENTREZ_WAITS = (1.0, 3.0)
ENTREZ_SECONDS = 20.0
LONGEST_PROBLEM = 500
ABSTRACT_SHOWN = "Only its title and abstract are shown."
NO_FULL_TEXT = f"PubMed Central does not provide the full text of this article to programs. {ABSTRACT_SHOWN}"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FetchedArticle:
    """A stored article; full_text_problem: sentences on why the requested full text is missing, "" if it is not."""

    article: Article
    full_text_problem: str = ""


def answer_oldest_open_article_requests(entrez: EntrezClient) -> int:
    """Fetch the articles of the oldest open requests, as many as fit into one call of Entrez; return their number."""
    open_requests = list(ArticleRequest.objects.filter(finished__isnull=True).order_by("pk")[:CITATIONS_PER_REQUEST])
    pmid_requests = [request for request in open_requests if parse_article_id_or_empty(request.ident).pmid]
    if pmid_requests:
        _answer_pmid_requests(pmid_requests, entrez)
    for request in open_requests:
        if not parse_article_id_or_empty(request.ident).pmid:
            _answer_name_request(request, entrez)
    return len(open_requests)


def _answer_pmid_requests(requests: Sequence[ArticleRequest], entrez: EntrezClient) -> None:
    requests_by_pmid = {int(request.ident): request for request in requests}
    citations: dict[int, Citation] = {}
    problem = ""
    try:
        citations.update((citation.pmid, citation) for citation in entrez.iter_citations(list(requests_by_pmid)))
    except UnknownPmidError:
        pass  # Reported for each PMID below.
    except FetchError as error:
        problem = _format_fetch_error(error)
    articles: dict[int | None, Article] = {}
    try:
        import_citations_batch_by_batch(citations.values())
        articles = {article.pmid: article for article in Article.objects.filter(pmid__in=citations).order_by("pmid")}
    except ImportStoppedError as error:
        problem = error.reason
    for pmid, request in requests_by_pmid.items():
        if pmid in articles:
            _finish_article_request(request, FetchedArticle(articles[pmid]))
        else:
            _close_article_request(request, problem=problem or str(UnknownPmidError([pmid])))


def _answer_name_request(request: ArticleRequest, entrez: EntrezClient) -> None:
    try:
        fetched = _fetch_named_article(parse_article_id_or_empty(request.ident), entrez)
    except FetchError as error:
        _close_article_request(request, problem=_format_fetch_error(error))
    except ArticleStorageError as error:
        _close_article_request(request, problem=str(error))
    except ImportStoppedError as error:
        _close_article_request(request, problem=error.reason)
    else:
        _finish_article_request(request, fetched)


def _fetch_named_article(name: ArticleIds, entrez: EntrezClient) -> FetchedArticle:
    """Store the article with this PMCID or DOI from PubMed, or else from PubMed Central.

    Raises FetchError, ArticleStorageError or ImportStoppedError.
    """
    try:
        citation = entrez.get_citation(name)
    except UnknownArticleIdError:
        if not name.pmcid:
            raise
        return _fetch_article_from_pmc(name, entrez)
    import_citations_batch_by_batch([citation])
    full_text_problem = _store_full_text(citation, entrez) if name.pmcid else ""
    return FetchedArticle(Article.objects.get(pmid=citation.pmid), full_text_problem)


def _fetch_article_from_pmc(name: ArticleIds, entrez: EntrezClient) -> FetchedArticle:
    """Store an article that PubMed does not have; UnknownArticleIdError if PubMed Central does not have it either."""
    pmc_article = entrez.find_pmc_article(name.pmcid)
    if pmc_article is None:
        raise UnknownArticleIdError(name)
    stored = store_annotated_articles([pmc_article.article])
    return FetchedArticle(stored.articles[0], "" if pmc_article.has_full_text else NO_FULL_TEXT)


def _store_full_text(citation: Citation, entrez: EntrezClient) -> str:
    """Add the full text to an article from PubMed; return sentences on why there is none, "" if there is."""
    try:
        pmc_article = entrez.find_pmc_article(citation.pmcid)
        if pmc_article is None or not pmc_article.has_full_text:
            return NO_FULL_TEXT
        store_annotated_articles(
            [replace(pmc_article.article, ids=ArticleIds(citation.pmid, citation.pmcid, citation.doi))]
        )
    except FetchError as error:
        return f"{_format_fetch_error(error)} {ABSTRACT_SHOWN}"
    except ArticleStorageError as error:
        return f"{error} {ABSTRACT_SHOWN}"
    return ""


def _format_fetch_error(error: FetchError) -> str:
    """The message for the visitor; the details of a failed connection to NCBI go to the log only."""
    if not isinstance(error, ServiceUnavailableError):
        return str(error)
    log.warning("A requested article cannot be fetched: %s", error)
    when = f"in {format_duration(error.retry_after)}" if error.retry_after else "in a few minutes"
    return f"PubMed is not available at present. Try again {when}. If this persists, contact the administrator."


def _finish_article_request(request: ArticleRequest, fetched: FetchedArticle) -> None:
    """Enqueue the article for every accepted server, before all other articles if it can be reached, and close the
    request."""
    enqueue_or_prioritize_missing_nonblind_live_calls(fetched.article, ANONYMOUS_READER)
    enqueue_for_unreachable_servers(fetched.article, ANONYMOUS_READER)
    _close_article_request(request, fetched.article, fetched.full_text_problem)


def _close_article_request(request: ArticleRequest, article: Article | None = None, problem: str = "") -> None:
    request.finished, request.article, request.problem = timezone.now(), article, problem[:LONGEST_PROBLEM]
    request.save(update_fields=["finished", "article", "problem"])
