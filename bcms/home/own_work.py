"""What waits for a person: the servers of their teams, curation, labelling and judging, and the challenges they run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db.models import Count

from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import ManuscriptState
from bcms.curation_projects.worklist import CurationProgress, load_curation_progress
from bcms.home.attention import OrganizedChallenge, add_needs
from bcms.home.roles import load_roles
from bcms.home.score_trends import ScoreTrend, build_score_trends
from evaluation.challenges.challenge_page.overview import ListedChallenge
from evaluation.labelling.session.progress import OwnLabelling, list_own_labellings
from evaluation.pooling.judges import list_open_judge_roles
from evaluation.pooling.models import PoolJudge
from evaluation.scoring.visible_scores import list_scores_of_servers
from servers.availability.queries import PublishedServer
from servers.calls.last_failures import LastFailure, find_last_failures_among_newest_attempts
from servers.calls.models import Call
from servers.calls.states import CallState
from servers.teams.permissions import User

NO_CURATIONS = CurationProgress(None, ())


@dataclass(frozen=True, slots=True)
class OwnServer:
    """waiting: how many articles wait in its queues. failure: the last one among its newest attempts.

    trend: of its scores, None without one that its team may see.
    """

    listed: PublishedServer
    waiting: int
    failure: LastFailure | None
    trend: ScoreTrend | None


@dataclass(frozen=True, slots=True)
class OwnWork:
    """What the home page of a person begins with.

    manuscripts: the states of those that the person has sent, with the number in each.
    steps: for a new account, whether each of the first steps is done; empty for others.
    """

    servers: Sequence[OwnServer]
    curation: CurationProgress
    labellings: Sequence[OwnLabelling]
    judging: Sequence[PoolJudge]
    challenges: Sequence[OrganizedChallenge]
    manuscripts: Sequence[tuple[ManuscriptState, int]]
    steps: Sequence[tuple[str, bool]] = ()

    @property
    def curates(self) -> bool:
        return bool(self.curation.unfinished or self.curation.finished)

    @property
    def is_empty(self) -> bool:
        further_work = (self.servers, self.labellings, self.judging, self.challenges, self.manuscripts)
        return not (self.curates or any(further_work))


def load_own_work(
    reader: User, servers: Sequence[PublishedServer], challenges: Sequence[ListedChallenge], now: datetime
) -> OwnWork:
    """Of all servers and challenges that the reader sees, those of their teams and those they organize; 13 queries at
    most, however much there is.
    """
    roles = load_roles(reader)
    work = OwnWork(
        servers=_list_own_servers([each for each in servers if each.server.team_id in roles.teams], reader, now),
        curation=load_curation_progress(reader) if roles.has_curations else NO_CURATIONS,
        labellings=list_own_labellings(reader) if roles.labels else (),
        judging=_list_own_judging(reader) if roles.judges else (),
        challenges=add_needs([each for each in challenges if each.challenge.pk in roles.challenges], now),
        manuscripts=_count_sent_manuscripts(reader) if roles.has_sent_manuscripts else (),
    )
    return replace(work, steps=_list_first_steps(reader, has_team=bool(roles.teams))) if work.is_empty else work


def _list_own_judging(reader: User) -> Sequence[PoolJudge]:
    """1 query."""
    open_roles = list_open_judge_roles(reader).select_related("pool__task__challenge", "pool__phase")
    return list(open_roles.order_by("pk"))


def _count_sent_manuscripts(reader: User) -> list[tuple[ManuscriptState, int]]:
    """In the order of the states, without those of no manuscript: 1 query."""
    counted = Manuscript.objects.filter(journal=reader.pk).values_list("state").annotate(Count("pk"))
    numbers = dict(counted)
    return [(state, numbers[state]) for state in ManuscriptState if state in numbers]


def _list_own_servers(listed: Sequence[PublishedServer], reader: User, now: datetime) -> list[OwnServer]:
    """5 queries at most, none without servers."""
    if not listed:
        return []
    keys = [each.server.pk for each in listed]
    calls = Call.objects.filter(queue__server__in=keys, state=CallState.WAITING).order_by()
    waiting = dict(calls.values_list("queue__server").annotate(Count("pk")))
    failures = find_last_failures_among_newest_attempts(keys)
    trends = build_score_trends(list_scores_of_servers(keys, reader, now))
    return [
        OwnServer(each, waiting.get(each.server.pk, 0), failures.get(each.server.pk), trends.get(each.server.pk))
        for each in listed
    ]


def _list_first_steps(reader: User, *, has_team: bool) -> list[tuple[str, bool]]:
    """1 query."""
    return [
        ("confirm", EmailAddress.objects.filter(user=reader.pk, verified=True).exists()),
        ("team", has_team),
        ("server", False),
    ]
