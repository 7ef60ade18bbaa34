"""The teams that agreed to be named among the participants of a challenge."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from evaluation.challenges.models import Challenge, ChallengeState, Entrant
from evaluation.challenges.participants.admission import check_team_may_take_part, explain_missing_admission
from evaluation.challenges.states.rules import check_challenge_listed
from servers.teams.models import Team
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class OwnListing:
    """A team of the user that can take part or once agreed, and whether it is to be named among the participants."""

    team: Team
    listed: bool


def list_named_teams(challenge: Challenge) -> list[Team]:
    """The teams that agreed to be named and can take part, by name; 1 query."""
    entrants = challenge.entrants.filter(listed=True).select_related("team").order_by("team__name")
    return [each.team for each in entrants if not explain_missing_admission(challenge, each, each.team)]


def list_own_listings(challenge: Challenge, user: User) -> list[OwnListing]:
    """The teams of the user that agreed to be named or can be, by name; at most 2 queries."""
    if not user.is_authenticated:
        return []
    entrants = {each.team_id: each for each in challenge.entrants.filter(team__members=user.pk)}
    agreed = {team for team, entrant in entrants.items() if entrant.listed}
    teams: QuerySet[Team] = Team.objects.filter(members=user.pk).order_by("name")
    return [
        OwnListing(team, team.pk in agreed)
        for team in teams
        if team.pk in agreed or _can_be_named(challenge, team, entrants.get(team.pk))
    ]


def _can_be_named(challenge: Challenge, team: Team, entrant: Entrant | None) -> bool:
    return challenge.state == ChallengeState.LISTED and not explain_missing_admission(challenge, entrant, team)


@transaction.atomic
def store_team_listing(challenge: Challenge, team: Team, *, listed: bool) -> None:
    """Name a team among the participants, or not any more, which is always possible.

    ChallengeError if it cannot take part, and if the challenge is not listed.
    """
    if not listed:
        challenge.entrants.filter(team=team).update(listed=False)
        return
    check_challenge_listed(challenge, "be named")
    check_team_may_take_part(challenge, team)
    Entrant.objects.update_or_create(challenge=challenge, team=team, defaults={"listed": True})
