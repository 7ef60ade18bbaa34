"""Under which names runs stand on a board: their own, or Team 1, 2, ... until the phase says who they are.

A run of a server is called by the server's name, as it was when the phase was published.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.crypto import salted_hmac

from evaluation.challenges import organizes
from evaluation.models import Phase, Run
from evaluation.opening import teams_are_named
from servers.models import Server, Team


@dataclass(frozen=True, slots=True)
class Names:
    run: str
    team: str
    team_slug: str = ""
    server_slug: str = ""


@dataclass(frozen=True, slots=True)
class Naming:
    """numbers: what each team that is not named is called by, {team id: number}; empty where all are named."""

    numbers: Mapping[int, int]

    @property
    def anonymous(self) -> bool:
        return bool(self.numbers)

    def of(self, run: Run) -> Names:
        """The names of a run: of a team that is not named a number for the team and the run's own number."""
        if run.team_id is not None and run.team_id in self.numbers:
            return Names(f"Run {run.pk}", f"Team {self.numbers[run.team_id]}")
        queue = getattr(run.producer, "queue", None)
        slug = queue.server.slug if queue else ""
        return Names(run.name, run.team.name if run.team else "", run.team.slug if run.team else "", slug)


def naming_for(phase: Phase, user: Any, teams: Iterable[Team], now: datetime) -> Naming:
    """Everybody by name, unless the phase shows names later: then only the user's own teams, and all for organizers.

    The numbers say nothing of the order in which teams came, and who knows the ids of teams cannot find them out.
    """
    if teams_are_named(phase, now) or organizes(user, phase.challenge):
        return Naming({})
    own = set(user.teams.values_list("pk", flat=True)) if user.is_authenticated else set()
    hidden = {team.pk for team in teams} - own
    mixed = sorted(hidden, key=lambda team: salted_hmac("numbers of teams", f"{phase.pk}:{team}").digest())
    return Naming({team: number for number, team in enumerate(mixed, 1)})


def rename_runs(server: Server, name: str) -> int:
    """What a server did takes its new name, but where the phase is published: that is known and cited as it was."""
    return Run.objects.filter(producer__queue__server=server, phase__published__isnull=True).update(name=name)
