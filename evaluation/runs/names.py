"""The names of runs on leaderboards and in archives: their own, or Team 1, 2, ... until the phase shows the names.

A run of a server has the name that the server had when the phase was published.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.crypto import salted_hmac

from evaluation.challenges.models import Phase
from evaluation.challenges.permissions import can_organize
from evaluation.runs.disclosure import are_teams_named
from evaluation.runs.models import Run
from servers.registry.models import Server
from servers.teams.models import Team
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class RunNames:
    run: str
    team: str
    team_slug: str = ""
    server_slug: str = ""
    anonymous: bool = False


@dataclass(frozen=True, slots=True)
class RunNaming:
    """numbers: {key of a team: the number shown instead of its name}, empty when all teams are named."""

    numbers: Mapping[int, int]

    @property
    def anonymous(self) -> bool:
        return bool(self.numbers)

    def get_run_names(self, run: Run) -> RunNames:
        """The names of a run. If its team is anonymous, these are the team's number and the key of the run. Of an
        imported run, the team is the label that says so.
        """
        if run.team_id is not None and run.team_id in self.numbers:
            return RunNames(f"Run {run.pk}", f"Team {self.numbers[run.team_id]}", anonymous=True)
        queue = getattr(run.producer, "queue", None)
        slug = queue.server.slug if queue else ""
        team_name, team_slug = (run.team.name, run.team.slug) if run.team else (run.imported_label, "")
        return RunNames(run.name, team_name, team_slug, slug)


def build_run_naming(phase: Phase, user: User, teams: Iterable[Team], now: datetime) -> RunNaming:
    """Name all teams, or, as long as the phase hides names, only the user's own; organizers see all names.

    The numbers neither show the order in which teams registered nor can be computed from their keys.
    """
    if are_teams_named(phase, now) or can_organize(user, phase.challenge):
        return RunNaming({})
    own_teams = (
        set(Team.objects.filter(members=user.pk).values_list("pk", flat=True)) if user.is_authenticated else set()
    )
    hidden = {team.pk for team in teams} - own_teams
    shuffled = sorted(hidden, key=lambda team: salted_hmac("numbers of teams", f"{phase.pk}:{team}").digest())
    return RunNaming({team: number for number, team in enumerate(shuffled, 1)})


def rename_runs_of_unpublished_phases(server: Server, new_name: str) -> int:
    """Give the runs of a renamed server its new name, except in published phases, where runs are cited by name.

    Returns the number of renamed runs.
    """
    return Run.objects.filter(producer__queue__server=server, phase__published__isnull=True).update(name=new_name)
