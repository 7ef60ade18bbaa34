"""What the organizers' page shows: tasks, corpora, phases with their gold standards and events, teams, organizers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.curation.projects.models import CurationProject
from evaluation.challenges.challenge_page.overview import describe_phase_state
from evaluation.challenges.models import (
    Challenge,
    ChallengeState,
    CorpusOwner,
    Entrant,
    ExcludedArticle,
    Phase,
    PhaseEvent,
    Task,
)
from evaluation.challenges.organizers.steps import SetUpStep, list_set_up_steps
from evaluation.challenges.setup.blind_uploads import FIXES_ARTICLES
from evaluation.challenges.states.transitions import NEXT_STATES
from evaluation.gold.models import GoldStandard
from evaluation.labelling.models import Labelling
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.runs.models import Run
from servers.audit.models import AuditEvent
from servers.audit.queries import list_organizer_events
from servers.teams.models import Team

# The text of the button for each change and what it does, {(state, next state): (text, effect)}.
STATE_ACTIONS: Mapping[tuple[str, str], tuple[str, str]] = {
    (ChallengeState.DRAFT, ChallengeState.LISTED): (
        "List this challenge",
        "Everybody sees it, and teams can take part.",
    ),
    (ChallengeState.LISTED, ChallengeState.CLOSED): (
        "Close the challenge",
        "Nobody can enter servers or upload runs any more. Everybody still sees it, and you can open it again.",
    ),
    (ChallengeState.LISTED, ChallengeState.DRAFT): ("Make it a draft again", "Only organizers see it."),
    (ChallengeState.CLOSED, ChallengeState.LISTED): ("Open again", "Teams can take part again."),
    (ChallengeState.CLOSED, ChallengeState.ARCHIVED): (
        "Move to the archived challenges",
        "The list of challenges shows it apart. Its pages stay.",
    ),
    (ChallengeState.ARCHIVED, ChallengeState.CLOSED): (
        "Move back to the closed challenges",
        "The list shows it with the others.",
    ),
}


@dataclass(frozen=True, slots=True)
class DashboardTask:
    """A task in a phase; gold: its gold standard, None if there is none."""

    task: Task
    gold: GoldStandard | None


@dataclass(frozen=True, slots=True)
class DashboardCorpus:
    """A corpus; articles: their number; phases: the types of the phases that use it; deletable: nothing uses it;
    takes_uploads: organizers can still upload articles straight into it.
    """

    corpus: Corpus
    articles: int
    phases: Sequence[str]
    deletable: bool
    takes_uploads: bool


@dataclass(frozen=True, slots=True)
class DashboardPhase:
    """A phase; articles: number in its corpus; runs: {Run.Source: number}; switches: the forms of its actions."""

    phase: Phase
    articles: int
    state: str
    runs: Mapping[str, int]
    tasks: Sequence[DashboardTask]
    excluded: Sequence[ExcludedArticle]
    events: Sequence[PhaseEvent]
    switches: object

    @property
    def sealed(self) -> bool:
        """Whether a gold standard of the phase is sealed."""
        return any(entry.gold is not None and entry.gold.producer_id is None for entry in self.tasks)


@dataclass(frozen=True, slots=True)
class OfferedState:
    """A state that the challenge can change to; action: the text of its button; effect: a sentence about the change."""

    value: str
    action: str
    effect: str


@dataclass(frozen=True, slots=True)
class OrganizerDashboard:
    """Everything about a challenge that its organizers see on one page."""

    challenge: Challenge
    tasks: Sequence[Task]
    corpora: Sequence[DashboardCorpus]
    phases: Sequence[DashboardPhase]
    entrants: Sequence[Entrant]
    other_teams: Sequence[Team]
    organizers: Sequence[User]
    organizer_events: Sequence[AuditEvent]

    @property
    def deletable(self) -> bool:
        """Whether the button that deletes the challenge is offered."""
        of_no_team = {Run.Source.BASELINE.value, Run.Source.IMPORTED.value}
        return not any(phase.phase.published or phase.runs.keys() - of_no_team for phase in self.phases)

    @property
    def next_states(self) -> Sequence[OfferedState]:
        """The states that the challenge can change to. A draft is not offered while teams are known to take part."""
        states = NEXT_STATES[self.challenge.state]
        busy = self.entrants or any(view.phase.published or view.runs for view in self.phases)
        return [
            OfferedState(state, *STATE_ACTIONS[self.challenge.state, state])
            for state in states
            if not (busy and state == ChallengeState.DRAFT)
        ]

    @property
    def steps(self) -> Sequence[SetUpStep]:
        """The steps to a challenge that teams can take part in; none once all are done, or the challenge is over."""
        if self.challenge.state not in (ChallengeState.DRAFT, ChallengeState.LISTED):
            return []
        phases = [[(entry.task, entry.gold) for entry in view.tasks] for view in self.phases]
        steps = list_set_up_steps(self.challenge, self.tasks, [each.articles for each in self.corpora], phases)
        return steps if any(step.next for step in steps) else []

    @property
    def opens_next(self) -> bool:
        """Whether nothing is left to do before the challenge is listed."""
        return bool(self.steps) and self.steps[-1].next

    @property
    def task_measures(self) -> Sequence[tuple[Task, str]]:
        """Each task with the name of the measure that orders its leaderboard."""
        return [(task, MEASURES_BY_NAME[task.primary].label) for task in self.tasks]


def build_organizer_dashboard(
    challenge: Challenge, build_forms_of_phase_type: Callable[[str], object]
) -> OrganizerDashboard:
    """The dashboard of a challenge, in 11 queries. build_forms_of_phase_type: makes the forms of the actions on a type
    of phase.
    """
    tasks = list(challenge.tasks.order_by("pk"))
    golds = {(gold.phase_id, gold.task_id): gold for gold in GoldStandard.objects.filter(phase__challenge=challenge)}
    runs, phases = _count_runs_by_phase_and_source(challenge), list(_list_dashboard_phases(challenge))
    return OrganizerDashboard(
        challenge,
        tasks,
        [
            DashboardCorpus(
                corpus,
                corpus.number,
                [phase.sort for phase in phases if phase.corpus_id == corpus.pk],
                corpus.own and not corpus.used,
                corpus.own and corpus.blind and not corpus.fixed,
            )
            for corpus in _list_challenge_corpora(challenge)
        ],
        [
            DashboardPhase(
                phase,
                phase.articles,
                describe_phase_state(phase, timezone.now()),
                runs[phase.pk],
                [DashboardTask(task, golds.get((phase.pk, task.pk))) for task in tasks],
                phase.excluded.all(),
                phase.events.all(),
                build_forms_of_phase_type(phase.sort),
            )
            for phase in phases
        ],
        list(_list_challenge_entrants(challenge)),
        list(_list_teams_with_runs_only(challenge)),
        list(challenge.organizers.order_by("username")),
        list_organizer_events(challenge.pk),
    )


def _list_challenge_corpora(challenge: Challenge) -> QuerySet[Any]:
    """The corpora added to the challenge, and others that its phases and labellings use, with number of articles."""
    used = Q(owner__challenge=challenge) | Q(phase__challenge=challenge) | Q(labellings__challenge=challenge)
    rows = Corpus.objects.filter(pk__in=Corpus.objects.filter(used).values("pk"))
    users = (Phase, Labelling, ManualAnnotationSet, CurationProject)
    is_used = [Exists(model.objects.filter(corpus=OuterRef("pk"))) for model in users]
    has_curators = is_used[1] | is_used[2] | is_used[3]
    return rows.annotate(
        number=Count("articles"),
        own=Exists(CorpusOwner.objects.filter(corpus=OuterRef("pk"), challenge=challenge)),
        used=is_used[0] | has_curators,
        fixed=Exists(Phase.objects.filter(FIXES_ARTICLES, corpus=OuterRef("pk")))
        | is_used[1]
        | is_used[2]
        | is_used[3],
    ).order_by("name", "pk")


def _list_dashboard_phases(challenge: Challenge) -> QuerySet[Any]:
    """The phases with the number of their articles, their excluded articles and their events, newest first."""
    excluded = ExcludedArticle.objects.select_related("article__snapshot").order_by("pk")
    events = PhaseEvent.objects.select_related("by").order_by("-pk")
    rows = challenge.phases.select_related("corpus").annotate(articles=Count("corpus__articles"))
    return rows.order_by("opens", "pk").prefetch_related(Prefetch("excluded", excluded), Prefetch("events", events))


def _count_runs_by_phase_and_source(challenge: Challenge) -> dict[int, Counter[str]]:
    """{phase id: {Run.Source: number of runs that are not withdrawn}}."""
    numbers: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Run.objects.filter(phase__challenge=challenge, withdrawn__isnull=True).values_list("phase", "sort")
    for phase, source, number in rows.annotate(Count("pk")):
        numbers[phase][source] = number
    return numbers


def _list_teams_with_runs_only(challenge: Challenge) -> QuerySet[Team]:
    """The teams that entered servers or uploaded runs without having to ask."""
    with_runs = Team.objects.filter(pk__in=Run.objects.filter(phase__challenge=challenge).values("team"))
    return with_runs.exclude(entrants__challenge=challenge).order_by("name")


def _list_challenge_entrants(challenge: Challenge) -> QuerySet[Entrant]:
    rows = Entrant.objects.filter(challenge=challenge).select_related("team", "accepted_by", "approved_by")
    return rows.order_by("team__name")
