"""Create and delete teams, change the roles of members and remove members.

Every change locks the team's row first, so that two managers who leave at the same time cannot both do so.
"""

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.text import slugify

from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.webhooks.owners import switch_off_webhooks_of_former_manager
from servers.teams.models import Membership, Team
from servers.teams.permissions import User, get_logged_in_user_id
from servers.teams.queries import list_unaccepted_team_invitations

# URL segments below /teams/ that are pages, so that no team can have them as its slug.
RESERVED_SLUGS = {"new"}


class MembershipError(Exception):
    """A change of a team was refused; the message tells the user why."""


def create_team_unless_name_taken(name: str, first_manager: User) -> Team:
    """Create a team with a unique slug and its creator as manager; MembershipError if the name is taken."""
    base = slugify(name)[:90] or "team"
    number = 1
    while (team := _create_team_if_slug_free(name, base if number == 1 else f"{base}-{number}", first_manager)) is None:
        number += 1
    return team


def _create_team_if_slug_free(name: str, slug: str, creator: User) -> Team | None:
    """The new team; None if the slug belongs to another team or to a page. MembershipError if the name is taken."""
    if slug in RESERVED_SLUGS:
        return None
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name, slug=slug)
            Membership.objects.create(team=team, user_id=get_logged_in_user_id(creator), role=Membership.Role.MANAGER)
            record_audit_event(AuditAction.TEAM_CREATED, team, actor=creator, person=creator, team=team)
    except IntegrityError:
        if Team.objects.filter(name=name).exists():
            raise MembershipError(f"A team called {name} exists already. Choose another name.") from None
        return None
    return team


@transaction.atomic
def change_role_unless_last_manager(team: Team, user_id: int, role: str) -> None:
    """Change a member's role; MembershipError if the team would be left without a manager."""
    _lock_team(team)
    member = Membership.objects.select_related("user").filter(team=team, user=user_id).first()
    Membership.objects.filter(team=team, user=user_id).update(role=role)
    _check_team_has_manager(team)
    if member is not None and member.role != role:
        if role != Membership.Role.MANAGER:
            switch_off_webhooks_of_former_manager(team, member.user)
        before, after = {"role": member.role}, {"role": role}
        record_audit_event(
            AuditAction.TEAM_ROLE_CHANGED, team, before=before, after=after, person=member.user, team=team
        )


@transaction.atomic
def remove_member_and_invitations_unless_last_manager(team: Team, user_id: int) -> None:
    """Remove a member and withdraw open invitations to their addresses; MembershipError if no manager would be left."""
    _lock_team(team)
    member = Membership.objects.select_related("user").filter(team=team, user=user_id).first()
    Membership.objects.filter(team=team, user=user_id).delete()
    addresses = EmailAddress.objects.filter(user=user_id).values("email")
    list_unaccepted_team_invitations(team).filter(email__in=addresses).delete()
    _check_team_has_manager(team)
    if member is not None:
        was_manager = member.role == Membership.Role.MANAGER
        switch_off_webhooks_of_former_manager(team, member.user, was_manager=was_manager)
        before = {"role": member.role}
        record_audit_event(AuditAction.TEAM_MEMBER_REMOVED, team, before=before, person=member.user, team=team)


@transaction.atomic
def delete_team_without_servers_or_runs(team: Team) -> None:
    """Delete a team; MembershipError if it has servers or runs."""
    _lock_team(team)
    if team.servers.exists():
        raise MembershipError(f"{team} has servers. Remove them first.")
    record_audit_event(AuditAction.TEAM_DELETED, team, team=team)
    try:
        team.delete()
    except ProtectedError:
        raise MembershipError(
            f"{team} cannot be deleted because it has runs in a challenge, which are kept under its name."
        ) from None


def _lock_team(team: Team) -> None:
    """Lock the team's row until the transaction ends, so that two managers cannot leave at the same time."""
    Team.objects.select_for_update().get(pk=team.pk)


def _check_team_has_manager(team: Team) -> None:
    """Raise MembershipError, which rolls the transaction back, if the team has no manager left."""
    if not Membership.objects.filter(team=team, role=Membership.Role.MANAGER).exists():
        raise MembershipError(f"{team} needs a manager. Make another member a manager first.")
