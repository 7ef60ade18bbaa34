"""What pages show of challenges: their phases, the leaderboards in them, and where the user's servers stand."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, Prefetch, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluation.challenges import organizes
from evaluation.entrants import what_is_missing
from evaluation.models import Challenge, ExcludedArticle, GoldStandard, Phase, PhaseEvent, Run, Task
from servers.models import Server, Team

# What everybody is told of a phase, with the organizers' reasons; of a begin and end by their dates these tell.
BY_DATE = Q(what__in=[PhaseEvent.What.BEGUN, PhaseEvent.What.ENDED], reason="")


@dataclass(frozen=True, slots=True)
class TaskInPhase:
    """A leaderboard; gold is None as long as nothing can be scored."""

    task: Task
    gold: GoldStandard | None


@dataclass(frozen=True, slots=True)
class TeamView:
    """One of the user's teams in the challenge; missing says why it may not take part yet, empty when it may."""

    team: Team
    missing: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class PhaseView:
    """A phase: how many articles, its leaderboards, the user's servers in it and those that could enter, of teams that
    may take part; what happened to it, and how many articles are excluded."""

    phase: Phase
    articles: int
    tasks: Sequence[TaskInPhase]
    entered: Sequence[Server]
    could_enter: Sequence[Server]
    events: Sequence[PhaseEvent]
    excluded: int

    @property
    def state(self) -> str:
        return state_of(self.phase, timezone.now())


@dataclass(frozen=True, slots=True)
class Overview:
    challenge: Challenge
    tasks: Sequence[Task]
    phases: Sequence[PhaseView]
    organizer: bool
    teams: Sequence[TeamView]


@dataclass(frozen=True, slots=True)
class ListedPhase:
    sort: str
    state: str
    published: bool


@dataclass(frozen=True, slots=True)
class ListedChallenge:
    """A challenge in a list, with the names of its tasks and its phases."""

    challenge: Challenge
    tasks: Sequence[str]
    phases: Sequence[ListedPhase]


def state_of(phase: Phase, now: datetime) -> str:
    if phase.opens > now:
        return "not open yet"
    if phase.closes and phase.closes <= now:
        return "closed"
    return "frozen" if phase.frozen else "open"


def listed_challenges(now: datetime) -> list[ListedChallenge]:
    """All challenges, the newest first: 3 queries, whatever their number."""
    tasks, phases = Prefetch("tasks", Task.objects.order_by("pk")), Prefetch("phases", Phase.objects.order_by("pk"))
    return [
        ListedChallenge(
            challenge,
            [task.name for task in challenge.tasks.all()],
            [ListedPhase(one.sort, state_of(one, now), bool(one.published)) for one in challenge.phases.all()],
        )
        for challenge in Challenge.objects.order_by("-pk").prefetch_related(tasks, phases)
    ]


def overview(challenge: Challenge, user: Any) -> Overview:
    """A challenge as one user sees it, in at most nine queries."""
    tasks = list(challenge.tasks.order_by("pk"))
    golds = {(gold.phase_id, gold.task_id): gold for gold in GoldStandard.objects.filter(phase__challenge=challenge)}
    servers = list(Server.objects.filter(team__members=user.pk).order_by("name", "pk")) if user.is_authenticated else []
    entered = entries(challenge) if servers else {}
    kinds, teams = {task.kind for task in tasks}, teams_of(challenge, user)
    admitted = {own.team.pk for own in teams if not own.missing}
    fitting = [server for server in servers if server.team_id in admitted and kinds & set(server.kinds)]
    excluded = ExcludedArticle.objects.filter(phase=OuterRef("pk")).order_by().values("phase")
    told = PhaseEvent.objects.exclude(BY_DATE).order_by("-pk")
    phases = (
        challenge.phases.select_related("corpus")
        .annotate(
            articles=Count("corpus__articles"),
            excluded_articles=Coalesce(Subquery(excluded.annotate(number=Count("pk")).values("number")), 0),
        )
        .prefetch_related(Prefetch("events", told))
        .order_by("opens", "pk")
    )
    return Overview(
        challenge,
        tasks,
        [
            PhaseView(
                phase,
                phase.articles,
                [TaskInPhase(task, golds.get((phase.pk, task.pk))) for task in tasks],
                [server for server in servers if server.pk in entered.get(phase.pk, ())],
                [server for server in fitting if server.pk not in entered.get(phase.pk, ())],
                list(phase.events.all()),
                phase.excluded_articles,
            )
            for phase in phases
        ],
        organizes(user, challenge),
        teams,
    )


def teams_of(challenge: Challenge, user: Any) -> list[TeamView]:
    """The user's teams, and what each lacks to take part: 2 queries."""
    if not user.is_authenticated:
        return []
    entrants = {entrant.team_id: entrant for entrant in challenge.entrants.filter(team__members=user.pk)}
    teams = [(team, entrants.get(team.pk)) for team in Team.objects.filter(members=user.pk).order_by("name")]
    return [
        TeamView(
            team, what_is_missing(challenge, entrant, team), entrant is not None and entrant.accepts(challenge.terms)
        )
        for team, entrant in teams
    ]


def entries(challenge: Challenge) -> dict[int, set[int]]:
    """The servers in each phase of a challenge: {phase id: server ids}."""
    found: dict[int, set[int]] = defaultdict(set)
    rows = Run.objects.filter(phase__challenge=challenge, producer__queue__isnull=False)
    for phase, server in rows.values_list("phase", "producer__queue__server").distinct():
        found[phase].add(server)
    return found
