"""Who may see which data. Pages, REST and XML-RPC all ask here.

| what | everybody | the team it belongs to | organizers of its challenge | staff |
|---|---|---|---|---|
| Results of LIVE queues of accepted servers, consensus | yes | yes | yes | yes |
| Results of LIVE queues of unreviewed servers | with `unreviewed=1` | yes | with `unreviewed=1` | yes |
| Results of LIVE queues of declined and private servers | no | yes | no | yes |
| published Results of TRAINING and TEST queues of accepted servers | yes | yes | yes | yes |
| the same of unreviewed servers | with `unreviewed=1` | yes | yes | yes |
| the same of declined and private servers | no | yes | yes | yes |
| published uploads and gold standards of accepted challenges | yes | yes | yes | yes |
| the same of unreviewed challenges | with `unreviewed=1` | yes | yes | yes |
| the same of declined challenges | no | yes | yes | yes |
| baselines | no | no | yes | yes |
| Results of TRAINING and TEST queues and of runs that are not published and named | no | yes | yes | yes |
| gold standards that are not published | no | no | yes | yes |
| published data sets | yes | yes | yes | yes |
| data sets that are not published: their owner, while seeing all of their sources | no | no | no | yes |
| published digital abstracts, and their annotations | yes | yes | yes | yes |
| curations, finished or not: decisions, proposals, notes, annotations; by their curator only | no | no | no | no |
| in projects, what curators finished, as bcms/curation_projects/access.py says | no | no | yes | no |
| the record of a curation that its curator has proposed | no | no | no | reviewers |
| published decisions of curators on annotations of a server, of those who share them | no | yes | no | yes |
| labels of curators, imported annotations of authors and curators | no | no | yes | yes |
| a blind corpus and its articles, which are snapshots | no | no | yes | yes |
| which article a snapshot was taken of (ArticleSnapshot), before publication | no | no | yes | yes |
| the article that a snapshot was taken of | yes | yes | yes | yes |
| a challenge that is a draft, with everything in it, and its corpora | no | no | yes | yes |
| manuscripts that are not published (the author and reviewers by link, the journal their state) | no | no | no | no |
| what a server was sent of a manuscript, and has answered | no | yes | no | yes |
| articles that administrators took down | no | no | no | yes |
| scores, leaderboards (evaluation/leaderboards/visibility.py) | once published | yes, but not in a test | yes | yes |
| calibrations of a server | once its leaderboard names it | yes | yes | yes |
| calibrated confidences on articles | the same, of accepted challenges | yes | yes | yes |

Results are shown with articles: on their pages, in lists, exports, consensus and comparison. Leaderboards, the pages
and files of runs, and archives have what is published whatever its review. Only they have baselines: a baseline that
guesses, such as the most frequent entities for every article, is no annotation that readers or searches should find.

The producer of a LIVE queue is public while its server is accepted (servers/review/decisions.py), one in a challenge
while it is published, too (evaluation/runs/disclosure.py), and one that is not a server's while its challenge is
accepted (evaluation/challenges/review/decisions.py). That of a data set is public once a reviewer has published it, and
while all of its sources are (annotations/results/producers.py): nobody reads in it what they may not read there. What
is computed for everybody, such as article summaries, searches and exports, includes public producers only. Which
servers are in lists, and whose pages are public: servers/review/visible_servers.py.

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
from annotations.data_sets.models import DataSet
from annotations.results.models import Producer
from evaluation.calibration.models import Calibration
from evaluation.challenges.models import Challenge, ChallengeState, Phase
from evaluation.runs.models import Run
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
    """The producers whose annotations articles show to the user.

    with_unreviewed: those of unreviewed servers, too, and what unreviewed challenges have published.
    """
    if is_staff(user):
        # A curator's own producer has what nobody else sees before it is published, and then another producer has it.
        return Producer.objects.filter(Q(curator__isnull=True) | Q(public=True))
    visible = Q(public=True)
    if with_unreviewed:
        visible |= Q(queue__mode=QueueMode.LIVE, queue__server__review=ReviewState.UNREVIEWED)
        visible |= Q(pk__in=list_published_producers_in_review_state(ReviewState.UNREVIEWED).values("pk"))
    if user.is_authenticated:
        visible |= Q(queue__server__team__members=user)
        visible |= Q(runs__team__members=user)
        visible |= Q(runs__phase__challenge__organizers=user.pk)
        visible |= Q(gold__phase__challenge__organizers=user.pk)
        visible |= Q(labeller__labelling__challenge__organizers=user.pk)
        visible |= Q(by_hand__challenge__organizers=user.pk)
        visible |= Q(pk__in=_list_own_data_sets_of_visible_sources(user, visible).values("producer"))
    return Producer.objects.filter(pk__in=Producer.objects.filter(visible).values("pk"))


def _list_own_data_sets_of_visible_sources(user: User, visible: Q) -> QuerySet[DataSet]:
    """The data sets of the user of which all sources are visible, or anybody may include them as unreviewed."""
    unreviewed = Q(queue__mode=QueueMode.LIVE, queue__server__review=ReviewState.UNREVIEWED)
    unreviewed |= Q(pk__in=list_published_producers_in_review_state(ReviewState.UNREVIEWED).values("pk"))
    sources = DataSet.sources.through.objects.filter(dataset=OuterRef("pk"))
    hidden = sources.exclude(producer__in=Producer.objects.filter(visible | unreviewed).values("pk"))
    return DataSet.objects.filter(~Exists(hidden), owner=user.pk, withdrawn__isnull=True)


def list_published_producers_in_review_state(state: ReviewState) -> QuerySet[Producer]:
    """What is published in challenges: by servers in this review state, and by others if the challenge is in it."""
    of_servers = Q(sort=Producer.Type.SERVER, queue__server__review=state)
    of_challenges = _make_filter_of_challenge_producers(Challenge.objects.filter(review=state))
    return Producer.objects.filter(of_servers | of_challenges, published=True)


def list_published_producers_of_challenge(challenge: Challenge) -> QuerySet[Producer]:
    """The uploads and gold standards that a challenge has published, not what servers annotated in it."""
    own = _make_filter_of_challenge_producers(Challenge.objects.filter(pk=challenge.pk))
    return Producer.objects.filter(own, published=True)


def _make_filter_of_challenge_producers(challenges: QuerySet[Challenge]) -> Q:
    phases = Phase.objects.filter(challenge__in=challenges.values("pk")).values("pk")
    made_baselines = Q(sort=Run.Source.BASELINE) | Q(sort=Run.Source.IMPORTED, baseline=True)
    runs = Run.objects.filter(phase__in=phases).exclude(made_baselines).values("producer")
    return ~Q(sort=Producer.Type.SERVER) & (Q(pk__in=runs) | Q(gold__phase__in=phases))


def list_producers_on_page(request: HttpRequest) -> QuerySet[Producer]:
    """The producers whose annotations a page shows to its reader."""
    return list_visible_producers(request.user, with_unreviewed=includes_unreviewed_on_page(request))


def list_producers_in_rest(request: Request) -> QuerySet[Producer]:
    """The producers whose annotations a REST resource returns; ValidationError if the reader's choice is invalid."""
    return list_visible_producers(request.user, with_unreviewed=includes_unreviewed_in_rest(request))


def list_visible_articles(user: User) -> QuerySet[Article]:
    """All articles that are not blind, and the blind ones of the challenges that the user organizes; all for staff.

    A blind article is a snapshot: the article that it was taken of is another one, which everybody sees. One that is in
    no blind corpus is a manuscript, which nobody sees here (bcms/manuscripts/access.py opens it by a link). Only staff
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
    """The corpora whose articles the user may see.

    A corpus that was added to a draft is hidden from those who do not organize it, until a challenge that everybody
    sees has a phase with it.
    """
    if is_staff(user):
        return Corpus.objects.all()
    listed_phases = Phase.objects.filter(corpus=OuterRef("pk")).exclude(challenge__state=ChallengeState.DRAFT)
    visible: Any = Q(blind=False) & (~Q(owner__challenge__state=ChallengeState.DRAFT) | Exists(listed_phases))
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
    return calibrations.filter(visible | _make_filter_of_own_calibrations(user))


def list_visible_calibrations_on_articles(user: User) -> QuerySet[Calibration]:
    """Of those that the user may see, the ones of accepted challenges and of the user's own teams and challenges.

    The gold standard of another challenge would change the confidences of accepted servers for every reader.
    """
    visible = list_visible_calibrations(user)
    if is_staff(user):
        return visible
    accepted = Q(run__phase__challenge__review=ReviewState.ACCEPTED)
    return visible.filter(accepted | _make_filter_of_own_calibrations(user))


def _make_filter_of_own_calibrations(user: User) -> Q:
    """Calibrations of the user's teams, and of the challenges that the user organizes."""
    if not user.is_authenticated:
        return Q(pk__in=[])
    own = Calibration.objects.filter(Q(run__team__members=user) | Q(run__phase__challenge__organizers=user.pk))
    return Q(pk__in=own.values("pk"))
