"""The corpora of a challenge: which ones it can use, and how organizers add one."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.articles import corpora
from annotations.articles.models import Article, Corpus
from evaluation.challenges.models import Challenge, CorpusOwner
from evaluation.errors import ChallengeError
from evaluation.visibility import is_staff
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User


def list_corpora_challenge_may_use(challenge: Challenge, user_for_staff_check: User) -> QuerySet[Corpus]:
    """The corpora that the user can choose for a phase: those of this challenge, and open ones that no challenge owns.

    Staff can also choose open corpora of other challenges, and blind ones without an owner.
    """
    choice = Q(owner__challenge=challenge) | Q(blind=False, owner__isnull=True)
    if is_staff(user_for_staff_check):
        choice |= Q(blind=False) | Q(owner__isnull=True)
    return Corpus.objects.filter(choice).order_by("name", "pk")


def list_articles_not_blind_elsewhere(challenge: Challenge) -> QuerySet[Article]:
    """The articles that a corpus of this challenge can have: not those of blind corpora of other challenges."""
    others = Corpus.objects.filter(blind=True).exclude(owner__challenge=challenge)
    return Article.objects.exclude(pk__in=Article.objects.filter(corpora__in=others).values("pk"))


@transaction.atomic
def create_challenge_corpus(
    challenge: Challenge, name: str, slug: str, description: str, articles: Sequence[int], *, blind: bool
) -> Corpus:
    """Create a corpus of the articles with these ids, in this order. ChallengeError for a slug that is taken."""
    fields = {"name": name, "description": description, "blind": blind}
    corpus, new = Corpus.objects.get_or_create(slug=slug, defaults=fields)
    if not new:
        raise ChallengeError(f"The corpus name {slug} is taken. Choose another name for URLs.")
    CorpusOwner.objects.create(corpus=corpus, challenge=challenge)
    corpora.append_absent_articles_creating_corpus(slug, articles)
    after = {"blind": blind, "articles": len(articles)}
    record_audit_event(AuditAction.CORPUS_CREATED, slug, after=after, challenge_id=challenge.pk)
    return corpus


def claim_corpus_or_raise_if_owned_elsewhere(challenge: Challenge, corpus: Corpus) -> None:
    """Make the challenge the owner of a blind corpus without one; ChallengeError if another challenge owns it."""
    owner, _ = CorpusOwner.objects.get_or_create(corpus=corpus, defaults={"challenge": challenge})
    if owner.challenge_id != challenge.pk:
        raise ChallengeError(f"The blind corpus {corpus} belongs to another challenge. Choose or add another corpus.")
