"""Who may see what: the one place where the pages, the API and XML-RPC ask.

| what | everybody | the team it belongs to | organizers of its challenge | staff |
|---|---|---|---|---|
| Results of LIVE queues, consensus | yes | yes | yes | yes |
| Results of TRAINING and TEST queues and of runs | once published and named | yes | yes | yes |
| gold standards that are not public | no | no | yes | yes |
| labels of curators of a challenge, what it brought in of authors and curators | no | no | yes | yes |
| a blind corpus and its articles | no | no | yes | yes |
| what training taught of a server's confidences | once its leaderboard names it | yes | yes | yes |

That last one (calibration curves and FAP cut-offs) is learned from training phases only, and tells of their gold
standard no more than the scores do that the team sees at any time.
"""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotations.models import Article, Corpus, CorpusArticle, Producer
from evaluation.models import Calibration

User = AbstractBaseUser | AnonymousUser


def producers_seen_by(user: User) -> QuerySet[Producer]:
    if user.is_authenticated and getattr(user, "is_staff", False):
        return Producer.objects.all()
    seen = Q(public=True)
    if user.is_authenticated:
        seen |= Q(queue__server__team__members=user)
        seen |= Q(runs__team__members=user)
        seen |= Q(runs__phase__challenge__organizers=user.pk)
        seen |= Q(gold__phase__challenge__organizers=user.pk)
        seen |= Q(labeller__labelling__challenge__organizers=user.pk)
        seen |= Q(by_hand__challenge__organizers=user.pk)
    return Producer.objects.filter(pk__in=Producer.objects.filter(seen).values("pk"))


def articles_seen_by(user: User) -> QuerySet[Article]:
    if user.is_authenticated and getattr(user, "is_staff", False):
        return Article.objects.all()
    hidden = CorpusArticle.objects.filter(corpus__blind=True)
    if user.is_authenticated:
        own = hidden.filter(corpus__owner__challenge__organizers=user.pk)
        hidden = hidden.exclude(article__in=own.values("article"))
    # With NOT IN, PostgreSQL would rather look through all articles than look up the few that a search finds.
    return Article.objects.filter(~Exists(hidden.filter(article=OuterRef("pk"))))


def corpora_seen_by(user: User) -> QuerySet[Corpus]:
    if user.is_authenticated and getattr(user, "is_staff", False):
        return Corpus.objects.all()
    seen = Q(blind=False)
    if user.is_authenticated:
        seen |= Q(owner__challenge__organizers=user.pk)
    return Corpus.objects.filter(seen)


def calibrations_seen_by(user: User) -> QuerySet[Calibration]:
    """Of servers' runs in training, none withdrawn."""
    calibrations = Calibration.objects.filter(run__withdrawn__isnull=True)
    if user.is_authenticated and getattr(user, "is_staff", False):
        return calibrations
    published = Q(gold__published__isnull=False) | Q(gold__phase__published__isnull=False)
    named = Q(run__phase__names_shown__isnull=True) | Q(run__phase__names_shown__lte=Now())
    seen = published & named
    if user.is_authenticated:
        own = Calibration.objects.filter(Q(run__team__members=user) | Q(run__phase__challenge__organizers=user.pk))
        seen |= Q(pk__in=own.values("pk"))
    return calibrations.filter(seen)
