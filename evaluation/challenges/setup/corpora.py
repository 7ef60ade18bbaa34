"""The corpora of a challenge: which ones it can use, and how organizers add one."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.articles import corpora
from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.articles.queries import find_article_keys
from annotations.articles.snapshots import replace_articles_by_snapshots
from evaluation.challenges.models import Challenge, CorpusOwner
from evaluation.errors import ChallengeError
from evaluation.visibility import is_staff
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User


def list_corpora_challenge_may_use(challenge: Challenge, user: User) -> QuerySet[Corpus]:
    """The corpora that the user can choose for a phase: those of this challenge, and open ones that no challenge owns.

    Also open corpora of other challenges that the user organizes. Staff can choose open corpora of all challenges, and
    blind ones without an owner.
    """
    choice = Q(owner__challenge=challenge) | Q(pk__in=list_open_corpora_for_organizer(user).values("pk"))
    if is_staff(user):
        choice |= Q(owner__isnull=True)
    return Corpus.objects.filter(choice).order_by("name", "pk")


def list_open_corpora_for_organizer(user: User) -> QuerySet[Corpus]:
    """The corpora that the user can choose for a phase of any challenge."""
    if is_staff(user):
        return Corpus.objects.filter(blind=False)
    organized = Challenge.objects.filter(organizers=user.pk)
    return Corpus.objects.filter(Q(owner__isnull=True) | Q(owner__challenge__in=organized), blind=False)


def find_articles_for_corpus(challenge: Challenge, names: Sequence[str], *, blind: bool) -> dict[str, int]:
    """{name: key} of the public articles with these PMIDs, DOIs, PMCIDs or opaque ids, without unknown names.

    A blind corpus can also have snapshots of the challenge by their opaque ids. Nothing here depends on the test sets
    of other challenges, so nobody can find out what they hold.
    """
    known = find_article_keys(names, Article.objects.filter(blind=False, takedown__isnull=True))
    if blind and (unknown := [name for name in names if name not in known]):
        return known | find_article_keys(unknown, list_snapshots_of_challenge(challenge))
    return known


def list_snapshots_of_challenge(challenge: Challenge) -> QuerySet[Article]:
    """The articles in the blind corpora of the challenge, each once."""
    corpora_of_challenge = Corpus.objects.filter(blind=True, owner__challenge=challenge)
    return Article.objects.filter(pk__in=Article.objects.filter(corpora__in=corpora_of_challenge).values("pk"))


@transaction.atomic
def create_challenge_corpus(
    challenge: Challenge, name: str, slug: str, description: str, articles: Sequence[int], *, blind: bool
) -> Corpus:
    """Create a corpus of the articles with these keys, in this order. ChallengeError for a slug that is taken.

    A blind corpus gets snapshots of them; an article that is in another blind corpus of the challenge is the same
    snapshot in both. The articles themselves are not changed. ChallengeError for a snapshot of another challenge.
    """
    fields = {"name": name, "description": description, "blind": blind}
    corpus, new = Corpus.objects.get_or_create(slug=slug, defaults=fields)
    if not new:
        raise ChallengeError(f"The corpus name {slug} is taken. Choose another name for URLs.")
    CorpusOwner.objects.create(corpus=corpus, challenge=challenge)
    own_snapshots = list_snapshots_of_challenge(challenge)
    if Article.objects.filter(pk__in=articles, blind=True).exclude(blind=blind, pk__in=own_snapshots).exists():
        raise ChallengeError("An article is part of a blind test set and cannot be in this corpus. Remove it.")
    if blind:
        reusable = ArticleSnapshot.objects.filter(article__in=own_snapshots)
        articles = replace_articles_by_snapshots(corpus, articles, reusable)
    corpora.append_absent_articles(corpus, articles)
    after = {"blind": blind, "articles": len(articles)}
    record_audit_event(AuditAction.CORPUS_CREATED, slug, after=after, challenge_id=challenge.pk)
    return corpus


def claim_corpus_or_raise_if_owned_elsewhere(challenge: Challenge, corpus: Corpus) -> None:
    """Make the challenge the owner of a blind corpus without one; ChallengeError if another challenge owns it."""
    owner, _ = CorpusOwner.objects.get_or_create(corpus=corpus, defaults={"challenge": challenge})
    if owner.challenge_id != challenge.pk:
        raise ChallengeError(f"The blind corpus {corpus} belongs to another challenge. Choose or add another corpus.")
