"""What the organizers' page shows: each phase with its state, gold standards and what was done to it, the corpora, the
teams."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Prefetch, Q
from django.utils import timezone

from annotations.models import Corpus
from evaluation.measures.registry import BY_NAME
from evaluation.models import (
    Challenge,
    Entrant,
    ExcludedArticle,
    GoldStandard,
    OrganizerEvent,
    Phase,
    PhaseEvent,
    Run,
    Task,
)
from evaluation.organizers.forms import Switches
from evaluation.overview import state_of


@dataclass(frozen=True, slots=True)
class TaskOfPhase:
    """A task in a phase with its gold standard, if there is one."""

    task: Task
    gold: GoldStandard | None


@dataclass(frozen=True, slots=True)
class CorpusOfDashboard:
    """A corpus with the number of its articles and the sorts of the phases that use it."""

    corpus: Corpus
    articles: int
    phases: Sequence[str]


@dataclass(frozen=True, slots=True)
class PhaseOfDashboard:
    phase: Phase
    articles: int
    state: str
    runs: Mapping[str, int]
    tasks: Sequence[TaskOfPhase]
    excluded: Sequence[ExcludedArticle]
    events: Sequence[PhaseEvent]

    @property
    def switches(self) -> Switches:
        return Switches(self.phase.sort)

    @property
    def sealed(self) -> bool:
        return any(each.gold is not None and each.gold.producer_id is None for each in self.tasks)


@dataclass(frozen=True, slots=True)
class Dashboard:
    challenge: Challenge
    tasks: Sequence[Task]
    corpora: Sequence[CorpusOfDashboard]
    phases: Sequence[PhaseOfDashboard]
    entrants: Sequence[Entrant]
    organizers: Sequence[Any]
    organizer_events: Sequence[OrganizerEvent]

    @property
    def ordered_by(self) -> Sequence[tuple[Task, str]]:
        """Each task with the name of the measure that orders its leaderboard."""
        return [(task, BY_NAME[task.primary].label) for task in self.tasks]


def dashboard(challenge: Challenge) -> Dashboard:
    """Everything in ten queries, however much there is."""
    tasks = list(challenge.tasks.order_by("pk"))
    golds = {(gold.phase_id, gold.task_id): gold for gold in GoldStandard.objects.filter(phase__challenge=challenge)}
    runs, phases = runs_by_sort(challenge), list(phases_of(challenge))
    return Dashboard(
        challenge,
        tasks,
        [
            CorpusOfDashboard(each, each.number, [phase.sort for phase in phases if phase.corpus_id == each.pk])
            for each in corpora_of(challenge)
        ],
        [
            PhaseOfDashboard(
                phase,
                phase.articles,
                state_of(phase, timezone.now()),
                runs[phase.pk],
                [TaskOfPhase(task, golds.get((phase.pk, task.pk))) for task in tasks],
                phase.excluded.all(),
                phase.events.all(),
            )
            for phase in phases
        ],
        list(entrants_of(challenge)),
        list(challenge.organizers.order_by("username")),
        list(challenge.organizer_events.select_related("organizer", "by").order_by("-pk")),
    )


def corpora_of(challenge: Challenge) -> Any:
    """Those added to the challenge, and others that its phases and labellings use."""
    used = Q(owner__challenge=challenge) | Q(phase__challenge=challenge) | Q(labellings__challenge=challenge)
    rows = Corpus.objects.filter(pk__in=Corpus.objects.filter(used).values("pk"))
    return rows.annotate(number=Count("articles")).order_by("name", "pk")


def phases_of(challenge: Challenge) -> Any:
    excluded = ExcludedArticle.objects.select_related("article").order_by("pk")
    events = PhaseEvent.objects.select_related("by").order_by("-pk")
    rows = challenge.phases.select_related("corpus").annotate(articles=Count("corpus__articles"))
    return rows.order_by("opens", "pk").prefetch_related(Prefetch("excluded", excluded), Prefetch("events", events))


def runs_by_sort(challenge: Challenge) -> dict[int, Counter[str]]:
    """The number of runs of each phase by sort."""
    numbers: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Run.objects.filter(phase__challenge=challenge, withdrawn__isnull=True).values_list("phase", "sort")
    for phase, sort, number in rows.annotate(Count("pk")):
        numbers[phase][sort] = number
    return numbers


def entrants_of(challenge: Challenge) -> Any:
    rows = Entrant.objects.filter(challenge=challenge).select_related("team", "accepted_by", "approved_by")
    return rows.order_by("team__name")
