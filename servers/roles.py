"""What a person may do with a server and its team: the one place where its pages ask.

| | everybody | member of its team | manager of its team | staff |
|---|---|---|---|---|
| name, team, kinds, state, counts of the LIVE queue | yes | yes | yes | yes |
| availability, response times, downtimes, planned maintenance | yes | yes | yes | yes |
| queues, calls, attempts, address | no | yes | yes | yes |
| start, halt, load articles, try again, plan maintenance | no | yes | yes | yes |
| what the team is told of, its webhooks and their messages | no | yes | yes | yes |
| change that, see secrets, send messages again | no | no | yes | yes |
| who is on the team | number | yes | yes | yes |
| change its registration, remove it | no | no | yes | yes |
| invite, change roles, remove members, dissolve the team | no | no | yes | yes |
"""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import QuerySet

from servers.models import Membership, Team

User = AbstractBaseUser | AnonymousUser


@dataclass(frozen=True, slots=True)
class Rights:
    """run: see the inside of the team's servers, start and halt them; manage: change them and the team too."""

    run: bool = False
    manage: bool = False


def rights(user: User, team: Team) -> Rights:
    if not user.is_authenticated:
        return Rights()
    if getattr(user, "is_staff", False):
        return Rights(run=True, manage=True)
    role = Membership.objects.filter(team=team, user_id=user.pk).values_list("role", flat=True).first()
    return Rights(run=role is not None, manage=role == Membership.Role.MANAGER)


def teams_of(user: User) -> QuerySet[Team]:
    """The teams for which the user may register a server."""
    teams = Team.objects.order_by("name")
    if getattr(user, "is_staff", False):
        return teams
    return teams.filter(members=user.pk) if user.is_authenticated else teams.none()
