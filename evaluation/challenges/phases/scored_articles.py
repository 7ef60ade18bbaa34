"""Exclude articles from a phase, include them again, and have its runs scored again."""

from django.db import transaction
from django.db.models import F, Q

from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from evaluation.challenges.models import ExcludedArticle, Phase, PhaseEvent
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import ChallengeError
from servers.teams.permissions import User


@transaction.atomic
def exclude_article_and_request_rescoring(phase: Phase, article: Article, user: User, reason: str) -> bool:
    """Exclude an article and have every run scored again. False if it was excluded already."""
    if not phase.corpus.articles.filter(pk=article.pk).exists():
        raise ChallengeError(f"The article is not in {phase.corpus}, the corpus of the {phase.sort} phase.")
    fields = {"reason": reason, "by_id": user.pk}
    _, new = ExcludedArticle.objects.get_or_create(phase=phase, article=article, defaults=fields)
    if new:
        _bump_phase_revision(
            phase, PhaseEventType.EXCLUDED, user, details=format_public_article_name(phase, article), reason=reason
        )
    return new


@transaction.atomic
def include_article_and_request_rescoring(phase: Phase, article: Article, user: User) -> bool:
    """Include an excluded article and have every run scored again. False if it was not excluded."""
    number, _ = ExcludedArticle.objects.filter(phase=phase, article=article).delete()
    if number:
        _bump_phase_revision(phase, PhaseEventType.INCLUDED, user, details=format_public_article_name(phase, article))
    return bool(number)


@transaction.atomic
def mark_phase_scores_stale(phase: Phase, user: User) -> None:
    """Have every run of the phase scored again."""
    _bump_phase_revision(phase, PhaseEventType.RESCORED, user)


def _bump_phase_revision(
    phase: Phase, event_type: PhaseEvent.Type, user: User, *, details: str = "", reason: str = ""
) -> None:
    """Log the event and raise the revision, which makes all scores of the phase stale."""
    Phase.objects.filter(pk=phase.pk).update(revision=F("revision") + 1)
    record_phase_event(phase, event_type, user, details=details, reason=reason)


def format_public_article_name(phase: Phase, article: Article) -> str:
    """The name of an article on public pages: its opaque id in a blind corpus, else its PMID."""
    pmid = article.pmid or getattr(article, "recorded_pmid", None)
    return article.opaque if phase.corpus.blind or not pmid else f"PMID {pmid}"


def get_phase_article(phase: Phase, pmid_doi_or_opaque_id: str) -> Article:
    """The article of the corpus with this PMID, DOI or opaque id; ChallengeError if there is none."""
    article_id = pmid_doi_or_opaque_id.strip().removeprefix("PMID").strip()
    by_name = Q(opaque=article_id) | Q(recorded_doi__iexact=article_id, recorded_doi__gt="")
    by_name |= Q(released_snapshots__article__opaque=article_id)
    if article_id.isascii() and article_id.isdecimal() and len(article_id) < 16:
        by_name |= Q(recorded_pmid=int(article_id))
    article: Article | None = annotate_recorded_ids(phase.corpus.articles.all()).filter(by_name).order_by("pk").first()
    if article is None:
        raise ChallengeError(
            f"{phase.corpus} has no article “{article_id}”. Enter the PMID, DOI or opaque id of an article in it."
        )
    return article
