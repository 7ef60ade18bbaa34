"""What the pages of challenges show: the phases, their leaderboards, and the teams and servers of the user."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluation.challenges.announcements.feed import list_announcements_of_challenge
from evaluation.challenges.announcements.models import Announcement
from evaluation.challenges.challenge_page.timeline import TimelineRow, build_phase_timeline
from evaluation.challenges.citation.formats import list_organizer_names
from evaluation.challenges.models import Challenge, ChallengeState, ExcludedArticle, Phase, PhaseEvent, Task
from evaluation.challenges.participants.admission import explain_missing_admission
from evaluation.challenges.participants.answerable_tasks import list_kinds_to_answer
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.states.rules import CLOSED_STATES
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.visibility import list_visible_challenges
from servers.registry.models import Server
from servers.teams.models import Team
from servers.teams.permissions import User

NEWEST_ANNOUNCEMENTS = 2
# The headings of the list of challenges and the states below each.
GROUPED_STATES = {
    "Drafts": {ChallengeState.DRAFT},
    "Challenges": {ChallengeState.LISTED, ChallengeState.CLOSED},
    "Archived": {ChallengeState.ARCHIVED},
}
# A phase that begins or ends on its date needs no entry in the list of events: the page shows the dates.
SCHEDULED_EVENTS = Q(what__in=[PhaseEvent.Type.BEGUN, PhaseEvent.Type.ENDED], reason="")


@dataclass(frozen=True, slots=True)
class TaskInPhase:
    """A task in a phase; gold is None while there is no gold standard to score with."""

    task: Task
    gold: GoldStandard | None


@dataclass(frozen=True, slots=True)
class OverviewTeam:
    """A team of the user. missing: why it cannot take part yet, empty if it can; accepted: it accepted the terms."""

    team: Team
    missing: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class OverviewPhase:
    """A phase as one user sees it.

    articles: number in the corpus; entered: servers of the user in the phase; could_enter: other servers of the user,
    of teams that can take part; events: newest first; excluded: number of articles that are not scored.
    """

    phase: Phase
    articles: int
    tasks: Sequence[TaskInPhase]
    entered: Sequence[Server]
    could_enter: Sequence[Server]
    events: Sequence[PhaseEvent]
    excluded: int

    @property
    def state(self) -> str:
        return describe_phase_state(self.phase, timezone.now())


@dataclass(frozen=True, slots=True)
class ChallengeOverview:
    """The page of a challenge as one user sees it; organizer: whether the user organizes it."""

    challenge: Challenge
    tasks: Sequence[Task]
    phases: Sequence[OverviewPhase]
    organizer: bool
    teams: Sequence[OverviewTeam]
    news: Sequence[Announcement]

    @property
    def timeline(self) -> Sequence[TimelineRow]:
        return build_phase_timeline([view.phase for view in self.phases], timezone.now())

    @property
    def organizer_names(self) -> str:
        return ", ".join(list_organizer_names(self.challenge))


@dataclass(frozen=True, slots=True)
class ListedPhase:
    """A phase in the list of challenges; state as of describe_phase_state."""

    sort: str
    state: str
    published: bool


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """A challenge in a list, with the names of its tasks and its phases."""

    challenge: Challenge
    tasks: Sequence[str]
    phases: Sequence[ListedPhase]
    timeline: Sequence[TimelineRow]


@dataclass(frozen=True, slots=True)
class ChallengeGroup:
    """Challenges under one heading of the list."""

    heading: str
    challenges: Sequence[ListedChallenge]


def describe_phase_state(phase: Phase, now: datetime) -> str:
    """not open yet, open, frozen or closed. Every phase of a closed challenge is closed."""
    if phase.challenge.state in CLOSED_STATES:
        return "closed"
    if phase.opens > now:
        return "not open yet"
    if phase.closes and phase.closes <= now:
        return "closed"
    return "frozen" if phase.frozen else "open"


def list_challenges_with_phase_states(user: User, now: datetime, *, archived: bool = True) -> list[ListedChallenge]:
    """The challenges that the user may see, with or without archived ones, newest first, in 3 queries."""
    challenges = list_visible_challenges(user)
    if not archived:
        challenges = challenges.exclude(state=ChallengeState.ARCHIVED)
    tasks, phases = Prefetch("tasks", Task.objects.order_by("pk")), Prefetch("phases", Phase.objects.order_by("pk"))
    return [
        ListedChallenge(
            challenge,
            [task.name for task in challenge.tasks.all()],
            [
                ListedPhase(phase.sort, describe_phase_state(phase, now), bool(phase.published))
                for phase in challenge.phases.all()
            ],
            build_phase_timeline(list(challenge.phases.all()), now),
        )
        for challenge in challenges.order_by("-pk").prefetch_related(tasks, phases)
    ]


def group_challenges_by_state(listed: Sequence[ListedChallenge]) -> list[ChallengeGroup]:
    """Drafts, then challenges that are listed or closed, then archived ones; groups without challenges are left out."""
    groups = [
        ChallengeGroup(heading, [one for one in listed if one.challenge.state in states])
        for heading, states in GROUPED_STATES.items()
    ]
    return [group for group in groups if group.challenges]


def build_challenge_overview(challenge: Challenge, user: User) -> ChallengeOverview:
    """A challenge as one user sees it, in at most 10 queries."""
    tasks = list(challenge.tasks.order_by("pk"))
    golds = {(gold.phase_id, gold.task_id): gold for gold in GoldStandard.objects.filter(phase__challenge=challenge)}
    servers = list(Server.objects.filter(team__members=user.pk).order_by("name", "pk")) if user.is_authenticated else []
    entered = _group_servers_by_phase(challenge) if servers else {}
    teams = _list_overview_teams(challenge, user)
    admitted = {entry.team.pk for entry in teams if not entry.missing}
    eligible = [server for server in servers if server.team_id in admitted and list_kinds_to_answer(tasks, server)]
    return ChallengeOverview(
        challenge,
        tasks,
        [
            OverviewPhase(
                phase,
                phase.articles,
                [TaskInPhase(task, golds.get((phase.pk, task.pk))) for task in tasks],
                [server for server in servers if server.pk in entered.get(phase.pk, ())],
                [server for server in eligible if server.pk not in entered.get(phase.pk, ())],
                list(phase.events.all()),
                phase.excluded_articles,
            )
            for phase in _list_phases_with_counts(challenge)
        ],
        can_organize(user, challenge),
        teams,
        list(list_announcements_of_challenge(challenge)[:NEWEST_ANNOUNCEMENTS]),
    )


def _list_phases_with_counts(challenge: Challenge) -> QuerySet[Any]:
    """The phases with the numbers of their articles and excluded_articles, and with their events, newest first."""
    excluded = ExcludedArticle.objects.filter(phase=OuterRef("pk")).order_by().values("phase")
    averaged = Phase.mean_rank_tasks.through.objects.filter(phase=OuterRef("pk")).order_by().values("phase")
    return (
        challenge.phases.select_related("corpus")
        .annotate(
            articles=Count("corpus__articles"),
            excluded_articles=Coalesce(Subquery(excluded.annotate(number=Count("pk")).values("number")), 0),
            averaged=Coalesce(Subquery(averaged.annotate(number=Count("pk")).values("number")), 0),
        )
        .prefetch_related(Prefetch("events", PhaseEvent.objects.exclude(SCHEDULED_EVENTS).order_by("-pk")))
        .order_by("opens", "pk")
    )


def _list_overview_teams(challenge: Challenge, user: User) -> list[OverviewTeam]:
    """The teams of the user, and why each cannot take part yet, in 2 queries."""
    if not user.is_authenticated:
        return []
    entrants = {entrant.team_id: entrant for entrant in challenge.entrants.filter(team__members=user.pk)}
    teams = [(team, entrants.get(team.pk)) for team in Team.objects.filter(members=user.pk).order_by("name")]
    return [
        OverviewTeam(
            team,
            explain_missing_admission(challenge, entrant, team),
            entrant is not None and entrant.has_accepted_terms(challenge.terms),
        )
        for team, entrant in teams
    ]


def _group_servers_by_phase(challenge: Challenge) -> dict[int, set[int]]:
    """The servers in each phase of a challenge, {phase id: server ids}."""
    servers: dict[int, set[int]] = defaultdict(set)
    rows = Run.objects.filter(phase__challenge=challenge, producer__queue__isnull=False)
    for phase, server in rows.values_list("phase", "producer__queue__server").distinct():
        servers[phase].add(server)
    return servers
