"""The leaderboards that a data set can be entered on, by the people who may."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotations.articles.models import CorpusArticle
from annotations.data_sets.models import DataSet, DataSetArticle
from evaluation.challenges.models import Challenge, ChallengeState, Phase, Task
from servers.teams.models import Team
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A task in a phase of a challenge."""

    task: Task
    phase: Phase

    @property
    def value(self) -> str:
        return f"{self.phase.challenge.slug}/{self.phase.sort}/{self.task.name}"

    @property
    def label(self) -> str:
        return f"{self.phase.challenge.name}, {self.phase.sort}, {self.task.name}"


def list_boards_to_organize(data_set: DataSet, user: User) -> list[BoardChoice]:
    """Of the challenges that the user organizes, where the data set has articles and the kind: 2 queries."""
    if getattr(user, "is_staff", False):
        return _list_boards(data_set, Challenge.objects.all())
    organized = Challenge.objects.filter(organizers=user.pk) if user.is_authenticated else Challenge.objects.none()
    return _list_boards(data_set, Challenge.objects.filter(pk__in=organized.values("pk")))


def list_boards_to_take_part(data_set: DataSet, user: User) -> list[BoardChoice]:
    """Of the listed challenges in which a team of the user takes part: 2 queries."""
    entered = Challenge.objects.filter(Q(entrants__team__in=list_teams(user)), state=ChallengeState.LISTED)
    return _list_boards(data_set, Challenge.objects.filter(pk__in=entered.values("pk")))


def list_teams(user: User) -> QuerySet[Team]:
    return Team.objects.filter(members=user.pk).order_by("name") if user.is_authenticated else Team.objects.none()


def _list_boards(data_set: DataSet, challenges: QuerySet[Challenge]) -> list[BoardChoice]:
    members = CorpusArticle.objects.filter(corpus=OuterRef(OuterRef("corpus")))
    shared = DataSetArticle.objects.filter(data_set=data_set, article__in=members.values("article"))
    phases = Phase.objects.filter(Exists(shared), challenge__in=challenges.values("pk")).select_related("challenge")
    tasks = Task.objects.filter(kind__in=data_set.kinds, challenge__in=challenges.values("pk")).order_by("pk")
    by_challenge: dict[int, list[Task]] = {}
    for task in tasks:
        by_challenge.setdefault(task.challenge_id, []).append(task)
    ordered = phases.select_related("challenge", "corpus").order_by("challenge__name", "challenge", "opens", "pk")
    return [BoardChoice(task, phase) for phase in ordered for task in by_challenge.get(phase.challenge_id, ())]
