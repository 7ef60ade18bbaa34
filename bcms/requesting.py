"""Articles that somebody asks for and that are not here yet: a worker fetches them from PubMed, and from PubMed Central
what is asked for by a PMCID, which PubMed need not know, and has every server asked for them before anything else.

A request is open until it is answered, whichever worker dies meanwhile; one is open for an article at most.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from celery import current_app
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotations.article_storing import HiddenArticleError, StoringError, store_articles
from annotations.errors import FetchError, SilentError
from annotations.fetching import BATCH, Entrez, UnknownNameError, UnknownPmidError
from annotations.formats.pubmed import Citation
from annotations.formats.read_article import Name, name_of
from annotations.importing import ImportStoppedError, import_citations
from annotations.models import Article, ArticleRequest, CorpusArticle
from annotations.querysets import articles_called
from bcms.lib.durations import in_words
from bcms.said import EVERYBODY
from bcms.visibility import articles_seen_by
from servers.queueing import ask_everyone

# The task by its name: bcms/tasks.py stands above this module.
FETCH = "bcms.tasks.fetch_requested"
# The advisory lock under which requests are answered.
FETCHING_LOCK = 20_100_309
# A visitor waits for it: less patiently than an import.
WAITS = (1.0, 3.0)
SECONDS = 20.0
MOST_OPEN = 500
KEPT = timedelta(days=1)
LONGEST_PROBLEM = 500
NOT_SHOWN = "This site does not show this article at present."
ABSTRACT_SHOWN = "Its title and abstract are shown."
NO_FULL_TEXT = f"PubMed Central gives no program the full text of this article. {ABSTRACT_SHOWN}"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Brought:
    """An article that came; lacking: why without the full text that was asked for, in sentences."""

    article: Article
    lacking: str = ""


class TooManyOpenError(Exception):
    """More articles are waited for than will come soon."""


def name_in(text: str) -> Name:
    """The PMID, PMCID or DOI that this is; no name for anything else, and for what no database can hold."""
    return name_of(text) if "\0" not in text and len(text) <= 250 else Name()


def known_by(articles: QuerySet[Article], name: Name) -> Article | None:
    """The article of this name among these."""
    if name.pmid:
        return articles.filter(pmid=name.pmid).first()
    named = articles.filter(pmcid=name.pmcid) if name.pmcid else articles.filter(doi__iexact=name.doi)
    return named.order_by("pk").first()


def open_request(name: Name) -> ArticleRequest | None:
    return ArticleRequest.objects.filter(ident=ident_of(name), finished__isnull=True).first()


@transaction.atomic
def request_article(name: Name) -> ArticleRequest:
    """The last request for this article, made if none is open. TooManyOpenError when there are very many others."""
    ArticleRequest.objects.filter(finished__lt=timezone.now() - KEPT).delete()
    if ArticleRequest.objects.filter(finished__isnull=True).count() >= MOST_OPEN:
        raise TooManyOpenError
    ident = ident_of(name)
    made = ArticleRequest(ident=ident)
    ArticleRequest.objects.bulk_create([made], ignore_conflicts=True)
    transaction.on_commit(lambda: current_app.send_task(FETCH), robust=True)
    return ArticleRequest.objects.filter(ident=ident).latest("pk")


def ident_of(name: Name) -> str:
    return str(name.pmid) if name.pmid else name.pmcid or name.doi


def answer_requests(entrez: Entrez) -> int:
    """Fetch the articles of the requests that are open, as many as fit one question; how many were answered."""
    waiting = list(ArticleRequest.objects.filter(finished__isnull=True).order_by("pk")[:BATCH])
    by_number = [one for one in waiting if name_of(one.ident).pmid]
    by_name = [one for one in waiting if not name_of(one.ident).pmid]
    if by_number:
        answer_numbers(by_number, entrez)
    for one in by_name:
        answer_name(one, entrez)
    return len(waiting)


def answer_numbers(requests: Sequence[ArticleRequest], entrez: Entrez) -> None:
    wanted = {int(one.ident): one for one in requests}
    citations: dict[int, Citation] = {}
    problem = ""
    try:
        citations.update((each.pmid, each) for each in entrez.citations(list(wanted)))
    except UnknownPmidError:
        pass  # Each is told below of its own.
    except FetchError as error:
        problem = told(error)
    hidden = blind(citations.values())
    articles: dict[int | None, Article] = {}
    try:
        import_citations(own for pmid, own in citations.items() if pmid not in hidden)
        articles = {own.pmid: own for own in Article.objects.filter(pmid__in=citations).order_by("pmid")}
    except ImportStoppedError as error:
        problem = error.reason
    for pmid, one in wanted.items():
        if pmid in hidden:
            close(one, problem=NOT_SHOWN)
        elif pmid in articles:
            finish(one, Brought(articles[pmid]))
        else:
            close(one, problem=problem or str(UnknownPmidError([pmid])))


def answer_name(request: ArticleRequest, entrez: Entrez) -> None:
    try:
        brought = bring(name_of(request.ident), entrez)
    except HiddenArticleError:
        close(request, problem=NOT_SHOWN)
    except FetchError as error:
        close(request, problem=told(error))
    except StoringError as error:
        close(request, problem=str(error))
    except ImportStoppedError as error:
        close(request, problem=error.reason)
    else:
        finish(request, brought)


def bring(name: Name, entrez: Entrez) -> Brought:
    """Store the article of this PMCID or DOI as PubMed has it, else as PubMed Central has."""
    try:
        citation = entrez.named(name)
    except UnknownNameError:
        if not name.pmcid:
            raise
        return bring_from_pmc(name, entrez)
    if blind([citation]):
        raise HiddenArticleError
    import_citations([citation])
    lacking = take_full_text(citation, entrez) if name.pmcid else ""
    return Brought(Article.objects.get(pmid=citation.pmid), lacking)


def bring_from_pmc(name: Name, entrez: Entrez) -> Brought:
    """Store an article that PubMed does not know; UnknownNameError when PubMed Central does not give it, either."""
    found = entrez.of_pmc(name.pmcid)
    if found is None:
        raise UnknownNameError(name)
    stored = store_articles([found.article], seen=articles_seen_by(EVERYBODY))
    return Brought(stored.articles[0], "" if found.whole else NO_FULL_TEXT)


def take_full_text(citation: Citation, entrez: Entrez) -> str:
    """Store the full text beside what PubMed says of the article; else why there is none, in sentences."""
    try:
        found = entrez.of_pmc(citation.pmcid)
        if found is None or not found.whole:
            return NO_FULL_TEXT
        store_articles([replace(found.article, name=Name(citation.pmid, citation.pmcid, citation.doi))])
    except FetchError as error:
        return f"{told(error)} {ABSTRACT_SHOWN}"
    except StoringError as error:
        return f"{error} {ABSTRACT_SHOWN}"
    return ""


def told(error: FetchError) -> str:
    """What a visitor can do; what is wrong between this site and NCBI is for whoever runs it, in the log."""
    if not isinstance(error, SilentError):
        return str(error)
    log.warning("An article that a visitor asks for cannot be fetched: %s", error)
    when = f"in {in_words(error.after)}" if error.after else "in a few minutes"
    return f"NCBI, which keeps PubMed, does not answer at present: try again {when}, or tell whoever runs this site."


def blind(citations: Iterable[Citation]) -> set[int]:
    """The PMIDs of those that are by any of their names in a test set that is not published: nobody changes it by
    asking for it, or learns what it holds."""
    names = {own.pmid: own.names for own in citations}
    tests = Article.objects.filter(pk__in=CorpusArticle.objects.filter(corpus__blind=True).values("article"))
    found = articles_called([name for own in names.values() for name in own], tests)
    return {pmid for pmid, own in names.items() if not found.keys().isdisjoint(own)}


def finish(request: ArticleRequest, brought: Brought) -> None:
    """Have every server asked for the article before all others, then lead to it."""
    ask_everyone(brought.article)
    close(request, brought.article, brought.lacking)


def close(request: ArticleRequest, article: Article | None = None, problem: str = "") -> None:
    request.finished, request.article, request.problem = timezone.now(), article, problem[:LONGEST_PROBLEM]
    request.save(update_fields=["finished", "article", "problem"])
