"""How much of the training a server or team has done, which some test phases require."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from annotations.articles.models import Article
from annotations.results.models import Result
from evaluation.challenges.models import Challenge, ExcludedArticle, Phase
from evaluation.runs.models import Run
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Team


def count_training_articles_not_fully_answered(server: Server, training_phase: Phase, kinds: Iterable[str]) -> int:
    """How many scored articles of the phase the server has not answered in all of these kinds, in 2 queries.

    An empty answer is a Result too; a failed call leaves none.
    """
    excluded = ExcludedArticle.objects.filter(phase=training_phase).values("article")
    articles = Article.objects.filter(corpora=training_phase.corpus_id).exclude(pk__in=excluded)
    return articles.count() - _filter_fully_answered_articles(articles, server, training_phase, kinds).count()


def _filter_fully_answered_articles(
    articles: QuerySet[Article], server: Server, training: Phase, kinds: Iterable[str]
) -> QuerySet[Article]:
    """Those of the articles that the server has answered in its training queue, in each of the kinds."""
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


def has_final_training_upload_or_no_training_phase(team: Team, challenge: Challenge) -> bool:
    """Whether the team has an uploaded training run that is tagged as final, or the challenge has no training phase."""
    if not challenge.phases.filter(sort=Phase.Type.TRAINING).exists():
        return True
    final = Run.objects.filter(team=team, sort=Run.Source.UPLOAD, final=True, withdrawn__isnull=True)
    return final.filter(phase__challenge=challenge, phase__sort=Phase.Type.TRAINING).exists()
