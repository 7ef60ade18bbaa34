"""Assign the articles of a project to its curators, and hand curations over from one to another."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotations.articles.models import Article
from annotations.curation.decisions import lock_curation
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, Curator
from annotations.curation.projects.experiments import (
    check_not_measured,
    lock_accounts_of_curators,
    set_random_arms,
    withdraw_proposals_from_unhelped,
)
from annotations.curation.projects.membership import lock_project_unless_closed
from annotations.curation.projects.models import CurationProject
from annotations.curation.projects.splitting import split_articles
from annotations.curation.states import CurationState
from annotations.curation.timer import stop_timer

BATCH = 2000


def list_active_curators(project: CurationProject) -> QuerySet[Curator]:
    """Those who were not released, in the order in which they were added."""
    return Curator.objects.filter(project=project, released__isnull=True).order_by("pk")


def list_unassigned_articles(project: CurationProject) -> QuerySet[Article]:
    """The articles of the corpus that nobody curates in the project, in their order."""
    curated = Curation.objects.filter(article=OuterRef("pk"), curator__project=project)
    articles = Article.objects.filter(~Exists(curated), corpora=project.corpus_id)
    return articles.order_by("corpusarticle__position")


@transaction.atomic
def split_unassigned_articles(project: CurationProject, overlap: float, seed: int) -> int:
    """Assign every article that nobody curates to one curator, and a share of them to two; returns how many articles.

    overlap: that share, in percent. CurationError if the project is closed, if it has too few curators, or if every
    article is assigned.
    """
    locked = lock_project_unless_closed(project.pk)
    articles = list_unassigned_articles(project).values_list("pk", "text_version")
    text_versions = dict(articles)
    if not text_versions:
        raise CurationError("Every article of the corpus is assigned already.")
    users = dict(list_active_curators(project).values_list("pk", "user"))
    lock_accounts_of_curators(users.values())
    curators = list(users)
    try:
        split = split_articles(list(text_versions), curators, overlap, seed)
    except ValueError as error:
        raise CurationError(f"{error} Add curators first, or change the overlap.", "overlap") from None
    curations = [
        Curation(
            curator_id=curator,
            article_id=article,
            text_version=text_versions[article],
            state=CurationState.ASSIGNED,
        )
        for article, assigned in split.items()
        for curator in assigned
    ]
    set_random_arms(locked, curations)
    Curation.objects.bulk_create(curations, batch_size=BATCH)
    withdraw_proposals_from_unhelped(locked)
    return len(split)


@transaction.atomic
def assign_article(project: CurationProject, article: Article, curator_id: int) -> Curation:
    """Assign one article to one curator; it may have others. An earlier assignment to this curator is returned.

    CurationError if the project is closed, or if the article or the curator does not belong to it.
    """
    locked = lock_project_unless_closed(project.pk)
    curator = get_active_curator(project, curator_id)
    if not article.corpora.filter(pk=project.corpus_id).exists():
        raise CurationError(f"The article is not in {project.corpus}. Choose one that is.", "article")
    known = Curation.objects.filter(curator=curator, article=article).first()
    if known is not None:
        return known
    lock_accounts_of_curators([curator.user_id])
    curation = Curation(
        curator=curator, article=article, text_version=article.text_version, state=CurationState.ASSIGNED
    )
    set_random_arms(locked, [curation])
    curation.save()
    withdraw_proposals_from_unhelped(locked)
    return curation


def get_active_curator(project: CurationProject, curator_id: int) -> Curator:
    """CurationError if the project has no such curator, or if they were released."""
    curator = list_active_curators(project).filter(pk=curator_id).first()
    if curator is None:
        raise CurationError(f"{project} has no such curator. Choose one of its curators.", "curator")
    return curator


@transaction.atomic
def hand_over_curation(curation_id: int, curator_id: int, now: datetime) -> Curation:
    """Give an assigned or open curation with its decisions to another curator of its project.

    The decisions stay those of the account that made them. Pages that are open do not change the timer any more.
    CurationError if it is finished or not in a project, if the project is closed or has no such curator, or if the
    colleague curates the article already, as of two who work blind, or if it is begun in an experiment.
    """
    curation = lock_curation(curation_id)
    project = curation.curator.project
    if project is None:
        raise CurationError("This curation is not part of a project, so it has no colleagues.")
    lock_project_unless_closed(project.pk)
    if curation.state == CurationState.FINISHED:
        raise CurationError("This curation is finished. Open it again to hand it over.")
    check_not_measured(curation, "It cannot be handed over once it is begun.")
    colleague = get_active_curator(project, curator_id)
    if Curation.objects.filter(curator=colleague, article=curation.article_id).exists():
        raise CurationError(f"{colleague.user} curates this article already. Choose another colleague.", "curator")
    stop_timer(curation, now)
    curation.curator, curation.pending = colleague, 0.0
    curation.showing += 1
    curation.save(update_fields=["curator", "pending", "seconds", "running", "showing"])
    withdraw_proposals_from_unhelped(project)
    return curation
