"""Uploads of articles that nobody else has seen straight into a blind corpus of a challenge."""

from django.db.models import Q
from django.db.models.functions import Now

from annotations.articles.imports.snapshot_storage import SnapshotUpload
from annotations.articles.models import ArticleSnapshot, Corpus
from annotations.curation.projects.models import CurationProject
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.setup.corpora import list_snapshots_of_challenge
from evaluation.errors import ChallengeError
from evaluation.labelling.models import Labelling
from evaluation.manual_annotations.models import ManualAnnotationSet
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

# A phase that fixes the articles of its corpus.
FIXES_ARTICLES = Q(begun__isnull=False) | Q(opens__lte=Now()) | Q(golds__isnull=False)


def lock_corpus_for_upload(corpus: Corpus, user: User) -> SnapshotUpload:
    """Begin an upload in a transaction. ChallengeError if the corpus takes no articles, or none of this user."""
    # Publication locks phases before corpora, too. A new phase, gold standard or labelling has to wait for these locks.
    list(Phase.objects.select_for_update().filter(corpus=corpus).order_by("pk"))
    locked = Corpus.objects.select_for_update().filter(pk=corpus.pk).first()
    if locked is None:
        raise ChallengeError(f"{corpus} was deleted in the meantime. Add another corpus.")
    check_corpus_takes_uploads(locked)
    challenge = find_challenge_of_corpus(corpus)
    if challenge is None or not can_organize(user, challenge):
        raise ChallengeError(f"You do not organize the challenge of {corpus} any more. Ask one of its organizers.")
    return SnapshotUpload(locked, ArticleSnapshot.objects.filter(article__in=list_snapshots_of_challenge(challenge)))


def find_challenge_of_corpus(corpus: Corpus) -> Challenge | None:
    """The challenge that the corpus was added to."""
    return Challenge.objects.filter(own_corpora__corpus=corpus).first()


def check_corpus_takes_uploads(corpus: Corpus) -> None:
    """ChallengeError, with the reason, if no articles can be added to the corpus: at most five queries."""
    if not corpus.blind:
        raise ChallengeError(f"{corpus} is not blind. Upload articles for blind corpora only; others have public ones.")
    if use := _find_use_that_fixes_articles(corpus):
        raise ChallengeError(f"The articles of {corpus} cannot change any more: {use}. Add another corpus.")


def _find_use_that_fixes_articles(corpus: Corpus) -> str:
    """Why the articles of the corpus have to stay as they are; empty if they need not."""
    phase = Phase.objects.filter(FIXES_ARTICLES, corpus=corpus).order_by("pk").first()
    if phase is not None:
        has_gold = phase.golds.exists()
        return f"the {phase.sort} phase {'has a gold standard' if has_gold else 'has begun'}"
    if Labelling.objects.filter(corpus=corpus).exists():
        return "curators label them"
    if CurationProject.objects.filter(corpus=corpus).exists():
        return "they are curated in a project"
    if ManualAnnotationSet.objects.filter(corpus=corpus).exists():
        return "annotations of them were imported"
    return ""


def record_blind_upload(corpus: Corpus, added: int, user: User) -> None:
    """Record in the audit trail that the user added so many articles."""
    challenge = find_challenge_of_corpus(corpus)
    record_audit_event(
        AuditAction.CORPUS_ARTICLES_UPLOADED,
        corpus.slug,
        after={"added": added},
        actor=user,
        challenge_id=challenge.pk if challenge else None,
    )
