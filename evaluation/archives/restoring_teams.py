"""The teams of an archive as they are here: known by name and slug, else made, without members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.text import slugify

from evaluation.archives import values
from evaluation.archives.values import row_of
from evaluation.models import Challenge, Entrant
from servers.models import Team

FIELDS = ("name", "slug")


@dataclass(slots=True)
class Teams:
    """by_slug: teams by what the archive calls them; here: the names of those that were here before."""

    challenge: Challenge
    by_slug: dict[str, Team] = field(default_factory=dict)
    here: list[str] = field(default_factory=list)

    def of(self, told: Mapping[str, Any] | None, place: str) -> Team | None:
        """The team of a run; place: the task and phase within which a team without a name has its number."""
        if told is None:
            return None
        if slug := told["slug"]:
            return self.by_slug[slug]
        key = f"{place} {told['name']}"
        if key not in self.by_slug:
            self.by_slug[key] = self.numbered(told["name"], place)
        return self.by_slug[key]

    def numbered(self, name: str, place: str) -> Team:
        """A team that nobody knows by name; two challenges have nothing in common because both have a Team 1."""
        return made({"name": f"{name} ({self.challenge.slug} {place})", "slug": ""})


def restore_teams(told: Sequence[Mapping[str, Any]], challenge: Challenge) -> Teams:
    teams = Teams(challenge)
    for own in told:
        team = Team.objects.filter(name=own["name"], slug=own["slug"]).first()
        if team is not None:
            teams.here.append(team.name)
        teams.by_slug[own["slug"]] = team = team or made(own)
        if "accepted" in own:
            row_of(Entrant, own, values.ENTRANT, challenge=challenge, team=team).save()
    return teams


def made(told: Mapping[str, Any]) -> Team:
    """A new team; with a number after its name where another one has it."""
    name, number = str(told["name"])[:90], 1
    team = Team(name=name, slug=told["slug"] or slugify(name))
    while Team.objects.filter(name=team.name).exists() or Team.objects.filter(slug=team.slug).exists():
        number += 1
        team = Team(name=f"{name} ({number})", slug=f"{slugify(name)}-{number}")
    row = row_of(Team, {"name": team.name, "slug": team.slug}, FIELDS)
    row.save()
    return row
