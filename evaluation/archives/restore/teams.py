"""Find the teams of an archive here by name and slug, or create them without members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.text import slugify

from evaluation.archives import row_values
from evaluation.archives.row_values import build_validated_row_from_json
from evaluation.challenges.models import Challenge, Entrant
from servers.teams.models import Team

TEAM_FIELDS = ("name", "slug")


@dataclass(slots=True)
class RestoredTeams:
    """by_slug: teams by slug in the archive; known_names: names of the teams that existed before."""

    challenge: Challenge
    by_slug: dict[str, Team] = field(default_factory=dict)
    known_names: list[str] = field(default_factory=list)

    def get_or_create_run_team(self, document: Mapping[str, Any] | None, task_and_phase: str) -> Team | None:
        """Return the team of a run. task_and_phase: the scope of the number of an anonymous team."""
        if document is None:
            return None
        if slug := document["slug"]:
            return self.by_slug[slug]
        key = f"{task_and_phase} {document['name']}"
        if key not in self.by_slug:
            self.by_slug[key] = self.create_numbered_team(document["name"], task_and_phase)
        return self.by_slug[key]

    def create_numbered_team(self, name: str, task_and_phase: str) -> Team:
        """Create an anonymous team; its name includes the challenge, as every challenge has a Team 1."""
        return _create_team_under_free_name({"name": f"{name} ({self.challenge.slug} {task_and_phase})", "slug": ""})


def find_or_create_teams_and_entrants(
    team_documents: Sequence[Mapping[str, Any]], challenge: Challenge
) -> RestoredTeams:
    teams = RestoredTeams(challenge)
    for document in team_documents:
        team = Team.objects.filter(name=document["name"], slug=document["slug"]).first()
        if team is not None:
            teams.known_names.append(team.name)
        teams.by_slug[document["slug"]] = team = team or _create_team_under_free_name(document)
        if "accepted" in document:
            build_validated_row_from_json(
                Entrant, document, row_values.ENTRANT_FIELDS, challenge=challenge, team=team
            ).save()
    return teams


def _create_team_under_free_name(document: Mapping[str, Any]) -> Team:
    """Create a team; its name gets a number if another team has the name."""
    name, number = str(document["name"])[:90], 1
    team = Team(name=name, slug=document["slug"] or slugify(name))
    while Team.objects.filter(name=team.name).exists() or Team.objects.filter(slug=team.slug).exists():
        number += 1
        team = Team(name=f"{name} ({number})", slug=f"{slugify(name)}-{number}")
    row = build_validated_row_from_json(Team, {"name": team.name, "slug": team.slug}, TEAM_FIELDS)
    row.save()
    return row
