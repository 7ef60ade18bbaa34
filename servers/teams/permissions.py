"""What a user may do with a server and its team. Pages and API check permissions here only.

| | everyone | member of its team | manager of its team | staff |
|---|---|---|---|---|
| name, team, kinds, state, counts of the LIVE queue | yes | yes | yes | yes |
| availability, response times, downtimes, planned maintenance | yes | yes | yes | yes |
| queues, calls, attempts, URL | no | yes | yes | yes |
| start, stop, load articles, retry, plan maintenance | no | yes | yes | yes |
| notification settings, webhooks and their messages | no | yes | yes | yes |
| change notification settings, see secrets, resend messages | no | no | yes | yes |
| webhooks of the team for challenges, and their messages | no | no | yes | yes |
| members of the team | number | yes | yes | yes |
| change its registration, remove it | no | no | yes | yes |
| invite, change roles, remove members, delete the team | no | no | yes | yes |
"""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import QuerySet

from servers.teams.models import Membership, Team

User = AbstractBaseUser | AnonymousUser


@dataclass(frozen=True, slots=True)
class Rights:
    """run: see, start and stop the team's servers; manage: also change the servers and the team."""

    run: bool = False
    manage: bool = False


def get_team_rights(user: User, team: Team) -> Rights:
    """The user's rights in the team: 1 query, none for staff and anonymous users."""
    if not user.is_authenticated:
        return Rights()
    if getattr(user, "is_staff", False):
        return Rights(run=True, manage=True)
    role = Membership.objects.filter(team=team, user_id=user.pk).values_list("role", flat=True).first()
    return Rights(run=role is not None, manage=role == Membership.Role.MANAGER)


def get_logged_in_user_id(user: User) -> int:
    """The id of a user who is logged in; ValueError for an anonymous user."""
    if user.pk is None:
        raise ValueError("An anonymous user has no id.")
    return int(user.pk)


def list_own_teams_or_all_for_staff(user: User) -> QuerySet[Team]:
    """The teams for which the user may register a server, sorted by name."""
    teams = Team.objects.order_by("name")
    if getattr(user, "is_staff", False):
        return teams
    return teams.filter(members=user.pk) if user.is_authenticated else teams.none()
