"""The article of an address, if the user may see it."""

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, CharField, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotations.articles.models import Article, ArticleSnapshot
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from annotations.articles.versions import annotate_version
from evaluation.visibility import list_visible_articles
from servers.teams.permissions import User


def get_visible_article(request: Request, pmid_or_opaque_id: str) -> Article:
    """The article with this PMID or opaque id, with its version; Http404 if there is none that the user may see."""
    articles = annotate_version(list_visible_articles(request.user))
    return get_object_or_404(filter_articles_by_pmid_or_opaque(articles, pmid_or_opaque_id))


def find_visible_article(request: HttpRequest, pmid_or_opaque_id: str) -> Article | None:
    """The article with this PMID or opaque id, None if the user of the request may see none: 1 query."""
    return find_article_for_reader(request.user, pmid_or_opaque_id)


def find_article_for_reader(reader: User, pmid_or_opaque_id: str) -> Article | None:
    """The article with this PMID or opaque id, None if the reader may see none: 1 query.

    With version and texts_in_tests, without the generated words of its text, which are as long as the text.
    """
    return filter_articles_by_pmid_or_opaque(
        annotate_version(_annotate_texts_in_tests(list_visible_articles(reader))).defer("words"), pmid_or_opaque_id
    ).first()


def find_article_of_merged_snapshot(opaque_id: str) -> Article | None:
    """The public article that a snapshot became part of when its test was published, by the id of the snapshot."""
    return Article.objects.filter(
        released_snapshots__article__in=filter_articles_by_pmid_or_opaque(Article.objects.all(), opaque_id)
    ).first()


def _annotate_texts_in_tests(articles: QuerySet[Article]) -> QuerySet[Article]:
    """The articles with texts_in_tests: ids of snapshots of them with another text that were published with a test.

    Of such a snapshot, text_outside_tests is the id of the public article.
    """
    shown = ArticleSnapshot.objects.filter(public_article=OuterRef("pk"), article__blind=False).order_by("pk")
    public = ArticleSnapshot.objects.filter(article=OuterRef("pk"))
    public_id = Coalesce(Cast("public_article__pmid", CharField()), "public_article__opaque")
    return articles.annotate(
        texts_in_tests=ArraySubquery(shown.values("article__opaque")),
        text_outside_tests=Case(When(blind=False, then=Subquery(public.values_list(public_id)))),
    )
