"""How far a server is in a training phase: a test is for those that have answered all of it."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from annotations.models import Article, Result
from evaluation.models import ExcludedArticle, Phase
from servers.models import Server
from servers.states import QueueMode


def unfinished(server: Server, training: Phase, kinds: Iterable[str]) -> int:
    """How many articles that count in the phase the server has no current Result of in some of the kinds: 2 queries.

    An empty answer is a Result; a failure leaves none.
    """
    excluded = ExcludedArticle.objects.filter(phase=training).values("article")
    articles = Article.objects.filter(corpora=training.corpus_id).exclude(pk__in=excluded)
    return articles.count() - answered_in_all(articles, server, training, kinds).count()


def answered_in_all(
    articles: QuerySet[Article], server: Server, training: Phase, kinds: Iterable[str]
) -> QuerySet[Article]:
    """The articles that the server's training queue has a current Result of in each of the kinds."""
    for kind in kinds:
        results = Result.objects.filter(
            article=OuterRef("pk"),
            kind=kind,
            superseded__isnull=True,
            producer__queue__server=server,
            producer__queue__mode=QueueMode.TRAINING,
            producer__queue__name=training.challenge.slug,
        )
        articles = articles.filter(Exists(results))
    return articles
