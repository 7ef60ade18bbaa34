"""Who may see which data. Pages, REST and XML-RPC all ask here.

| what | everybody | the team it belongs to | organizers of its challenge | staff |
|---|---|---|---|---|
| Results of LIVE queues of accepted servers, consensus | yes | yes | yes | yes |
| Results of LIVE queues of unreviewed servers | with `unreviewed=1` | yes | with `unreviewed=1` | yes |
| Results of LIVE queues of declined and private servers | no | yes | no | yes |
| Results of TRAINING and TEST queues and of runs | once published and named | yes | yes | yes |
| gold standards that are not public | no | no | yes | yes |
| labels of curators, imported annotations of authors and curators | no | no | yes | yes |
| a blind corpus and its articles, which are snapshots | no | no | yes | yes |
| which article a snapshot was taken of (ArticleSnapshot), before publication | no | no | yes | yes |
| the article that a snapshot was taken of | yes | yes | yes | yes |
| a challenge that is a draft, with everything in it, and its corpora | no | no | yes | yes |
| articles that administrators took down | no | no | no | yes |
| scores, leaderboards (evaluation/leaderboards/visibility.py) | once published | yes, but not in a test | yes | yes |
| calibrations of a server | once its leaderboard names it | yes | yes | yes |

The producer of a LIVE queue is public while its server is accepted (servers/review/decisions.py). What is computed for
everybody, such as article summaries, searches and exports, includes public producers only. Which servers are in lists,
and whose pages are public: servers/review/visible_servers.py.

Calibrations (curves and FAP cut-offs) are learned from training phases only. They reveal no more about the gold
standard than the scores, which the team always sees.
"""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from rest_framework.request import Request

from annotations.articles.models import Article, ArticleTakedown, Corpus, CorpusArticle
from annotations.results.models import Producer
from evaluation.calibration.models import Calibration
from evaluation.challenges.models import Challenge, ChallengeState
from servers.calls.states import QueueMode
from servers.review.reader_choice import includes_unreviewed_in_rest, includes_unreviewed_on_page
from servers.review.states import ReviewState
from servers.teams.permissions import User

ANONYMOUS_READER = AnonymousUser()


def is_staff(user: User) -> bool:
    return user.is_authenticated and bool(getattr(user, "is_staff", False))


def list_visible_challenges(user: User) -> QuerySet[Challenge]:
    """All challenges but drafts that the user does not organize. To everybody else a draft is like an unknown one."""
    if is_staff(user):
        return Challenge.objects.all()
    visible = ~Q(state=ChallengeState.DRAFT)
    if user.is_authenticated:
        visible |= Q(pk__in=Challenge.objects.filter(organizers=user.pk).values("pk"))
    return Challenge.objects.filter(visible)


def list_visible_producers(user: User, *, with_unreviewed: bool = False) -> QuerySet[Producer]:
    """The producers whose annotations the user may see; with_unreviewed: those of unreviewed servers, too."""
    if is_staff(user):
        return Producer.objects.all()
    visible = Q(public=True)
    if with_unreviewed:
        visible |= Q(queue__mode=QueueMode.LIVE, queue__server__review=ReviewState.UNREVIEWED)
    if user.is_authenticated:
        visible |= Q(queue__server__team__members=user)
        visible |= Q(runs__team__members=user)
        visible |= Q(runs__phase__challenge__organizers=user.pk)
        visible |= Q(gold__phase__challenge__organizers=user.pk)
        visible |= Q(labeller__labelling__challenge__organizers=user.pk)
        visible |= Q(by_hand__challenge__organizers=user.pk)
    return Producer.objects.filter(pk__in=Producer.objects.filter(visible).values("pk"))


def list_producers_on_page(request: HttpRequest) -> QuerySet[Producer]:
    """The producers whose annotations a page shows to its reader."""
    return list_visible_producers(request.user, with_unreviewed=includes_unreviewed_on_page(request))


def list_producers_in_rest(request: Request) -> QuerySet[Producer]:
    """The producers whose annotations a REST resource returns; ValidationError if the reader's choice is invalid."""
    return list_visible_producers(request.user, with_unreviewed=includes_unreviewed_in_rest(request))


def list_visible_articles(user: User) -> QuerySet[Article]:
    """All articles that are not blind, and the blind ones of the challenges that the user organizes; all for staff.

    A blind article is a snapshot: the article that it was taken of is another one, which everybody sees. Only staff
    see articles that administrators took down.
    """
    visible: Any = Q(blind=False)
    members = CorpusArticle.objects.filter(article=OuterRef("pk"), corpus__blind=True)
    if is_staff(user):
        visible |= Q(blind=True) & Exists(members)
    elif user.is_authenticated:
        visible |= Q(blind=True) & Exists(members.filter(corpus__owner__challenge__organizers=user.pk))
    articles = Article.objects.filter(visible)
    taken_down = ArticleTakedown.objects.filter(article=OuterRef("pk"))
    return articles if is_staff(user) else articles.filter(~Exists(taken_down))


def list_visible_corpora(user: User) -> QuerySet[Corpus]:
    """The corpora whose articles the user may see, without those of drafts that the user does not organize."""
    if is_staff(user):
        return Corpus.objects.all()
    visible = Q(blind=False) & ~Q(owner__challenge__state=ChallengeState.DRAFT)
    if user.is_authenticated:
        visible |= Q(owner__challenge__in=Challenge.objects.filter(organizers=user.pk).values("pk"))
    return Corpus.objects.filter(visible)


def list_loadable_corpora(user: User) -> QuerySet[Corpus]:
    """The corpora that the user can load into the LIVE queue of a server: those that are visible and not blind."""
    return list_visible_corpora(user).filter(blind=False).order_by("name", "pk")


def list_visible_calibrations(user: User) -> QuerySet[Calibration]:
    """The calibrations from training runs that are not withdrawn."""
    calibrations = Calibration.objects.filter(run__withdrawn__isnull=True)
    if is_staff(user):
        return calibrations
    published = Q(gold__published__isnull=False) | Q(gold__phase__published__isnull=False)
    named = Q(run__phase__names_shown__isnull=True) | Q(run__phase__names_shown__lte=Now())
    visible = published & named
    if user.is_authenticated:
        of_user = Calibration.objects.filter(Q(run__team__members=user) | Q(run__phase__challenge__organizers=user.pk))
        visible |= Q(pk__in=of_user.values("pk"))
    return calibrations.filter(visible)
