"""Requests of visitors for articles that are not here yet; at most one is open for an article.

bcms/article_requests/fetching.py answers them, in a worker.
"""

from datetime import timedelta

from allauth.core import ratelimit
from celery import current_app
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotations.articles.models import Article, ArticleRequest
from annotations.formats.articles.parsed_article import ArticleIds, parse_article_id_or_empty

# By name, as bcms/tasks.py imports this module.
FETCH_TASK = "bcms.tasks.answer_all_article_requests_unless_locked"
# The advisory lock under which requests are answered.
FETCHING_LOCK = 20_100_309
MOST_OPEN_REQUESTS = 500
REQUEST_KEPT = timedelta(days=1)


# How often one visitor may ask (settings.ACCOUNT_RATE_LIMITS), each with the seconds after which it is allowed again.
VISITOR_LIMITS = (("fetch_article", 60), ("fetch_article_hourly", 3600))
# Retry-After when too many requests are open: about the time that these take.
BUSY_SECONDS = 300


class TooManyOpenRequestsError(Exception):
    """MOST_OPEN_REQUESTS requests are open."""


class VisitorLimitError(Exception):
    """The visitor asked too often, and may ask again after some seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def parse_article_name_or_empty(text: str) -> ArticleIds:
    """The PMID, PMCID or DOI in the text; an empty ArticleIds for anything else and for text that cannot be stored."""
    return parse_article_id_or_empty(text) if "\0" not in text and len(text) <= 250 else ArticleIds()


def find_article_by_first_given_id(articles: QuerySet[Article], article_ids: ArticleIds) -> Article | None:
    """The article with this PMID, PMCID or DOI among these."""
    if article_ids.pmid:
        return articles.filter(pmid=article_ids.pmid).first()
    named = (
        articles.filter(pmcid=article_ids.pmcid) if article_ids.pmcid else articles.filter(doi__iexact=article_ids.doi)
    )
    return named.order_by("pk").first()


def find_open_request(article_ids: ArticleIds) -> ArticleRequest | None:
    return ArticleRequest.objects.filter(ident=format_pmid_pmcid_or_doi(article_ids), finished__isnull=True).first()


def open_rate_limited_article_request(request: HttpRequest, article_ids: ArticleIds) -> ArticleRequest:
    """Open a request within the visitor's limits; VisitorLimitError or TooManyOpenRequestsError otherwise."""
    for action, seconds in VISITOR_LIMITS:
        if not ratelimit.consume(request, action=action):
            raise VisitorLimitError(seconds)
    return get_or_open_request_enqueueing_fetch(article_ids)


@transaction.atomic
def get_or_open_request_enqueueing_fetch(article_ids: ArticleIds) -> ArticleRequest:
    """The open request for this article, created if there is none. Raises TooManyOpenRequestsError."""
    ArticleRequest.objects.filter(finished__lt=timezone.now() - REQUEST_KEPT).delete()
    if ArticleRequest.objects.filter(finished__isnull=True).count() >= MOST_OPEN_REQUESTS:
        raise TooManyOpenRequestsError
    ident = format_pmid_pmcid_or_doi(article_ids)
    ArticleRequest.objects.bulk_create([ArticleRequest(ident=ident)], ignore_conflicts=True)
    transaction.on_commit(lambda: current_app.send_task(FETCH_TASK), robust=True)
    return ArticleRequest.objects.filter(ident=ident).latest("pk")


def get_or_create_finished_request(article_ids: ArticleIds, article: Article) -> ArticleRequest:
    """A finished request for an article that was here already; repeated requests share it."""
    finished = ArticleRequest.objects.filter(
        ident=format_pmid_pmcid_or_doi(article_ids), article=article, finished__isnull=False, problem=""
    )
    return finished.order_by("-pk").first() or ArticleRequest.objects.create(
        ident=format_pmid_pmcid_or_doi(article_ids), article=article, finished=timezone.now()
    )


def format_pmid_pmcid_or_doi(article_ids: ArticleIds) -> str:
    return str(article_ids.pmid) if article_ids.pmid else article_ids.pmcid or article_ids.doi


def get_article_request(request_id: int) -> ArticleRequest:
    """The request with the ids of its article; Http404 if there is none. 1 query."""
    rows = ArticleRequest.objects.select_related("article")
    fields = ("ident", "asked", "finished", "problem", "article__pmid", "article__opaque")
    return get_object_or_404(rows.only(*fields), pk=request_id)
