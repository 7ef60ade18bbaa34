"""Teams and who is on them: create, invite, accept, change a role, remove, leave, dissolve.

A change of members locks the team's row first, so that two managers who leave at the same moment cannot both go.
"""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from servers.models import Invitation, Membership, Team

VALID = timedelta(days=14)
SALT = "servers.invitation"
# Words that are pages of their own below /teams/.
RESERVED_SLUGS = {"new"}


class MembershipError(Exception):
    """What was asked for cannot be done; one sentence for the person who asked."""


def create_team(name: str, creator: Any) -> Team:
    """A team under a slug of its own, its creator the manager; raises MembershipError when the name is taken."""
    base = slugify(name)[:90] or "team"
    number = 1
    while (team := stored(name, base if number == 1 else f"{base}-{number}", creator)) is None:
        number += 1
    return team


def stored(name: str, slug: str, creator: Any) -> Team | None:
    """None when the slug is taken, by another team or by a page."""
    if slug in RESERVED_SLUGS:
        return None
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name, slug=slug)
            Membership.objects.create(team=team, user=creator, role=Membership.Role.MANAGER)
    except IntegrityError:
        if Team.objects.filter(name=name).exists():
            raise MembershipError(f"There is a team called {name} by now: choose another name.") from None
        return None
    return team


def invite(team: Team, email: str, role: str, by: Any) -> Invitation:
    """An open invitation to this address; an earlier one begins anew, with the new role."""
    invitation, _ = Invitation.objects.update_or_create(
        team=team,
        email=email.lower(),
        accepted=None,
        defaults={"role": role, "invited_by": by, "created": Now()},
    )
    return invitation


def open_invitations(team: Team) -> QuerySet[Invitation]:
    return Invitation.objects.filter(team=team, accepted__isnull=True).order_by("email")


def token_of(invitation: Invitation) -> str:
    """What the link in the mail carries; only the reader of that mailbox gets to see it."""
    return signing.dumps(invitation.pk, salt=SALT)


def invitation_of(token: str) -> Invitation:
    """The invitation that a link names and that can still be accepted; raises MembershipError."""
    try:
        found = Invitation.objects.select_related("team", "invited_by").get(pk=signing.loads(token, salt=SALT))
    except (signing.BadSignature, Invitation.DoesNotExist):
        raise MembershipError(
            "This invitation is not known, or was taken back: check the link, or ask a manager of the team for another."
        ) from None
    if found.accepted:
        raise MembershipError("This invitation was accepted already: log in with the account that accepted it.")
    if not valid_invitations().filter(pk=found.pk).exists():
        raise MembershipError(
            f"This invitation is more than {VALID.days} days old: ask a manager of the team to send it again."
        )
    return found


def valid_invitations() -> QuerySet[Invitation]:
    return Invitation.objects.filter(accepted__isnull=True, created__gt=Now() - VALID)


def invitations_for(user: Any) -> list[tuple[Invitation, str]]:
    """What the user can accept, each with the token of its page: 1 query."""
    addresses = EmailAddress.objects.filter(user=user, verified=True).values("email")
    found = valid_invitations().filter(email__in=addresses).select_related("team").order_by("team__name")
    return [(invitation, token_of(invitation)) for invitation in found]


def is_for(invitation: Invitation, user: Any) -> bool:
    return EmailAddress.objects.filter(user=user, verified=True, email=invitation.email).exists()


@transaction.atomic
def accept(invitation: Invitation, user: Any) -> None:
    """Put the user on the team; raises MembershipError when the invitation is another's, old, or used by now."""
    if not is_for(invitation, user):
        raise MembershipError(f"This invitation is for {invitation.email}, which is no confirmed address of yours.")
    if not valid_invitations().filter(pk=invitation.pk).update(accepted=Now()):
        raise MembershipError("This invitation was accepted or taken back just now: ask a manager of the team.")
    member, new = Membership.objects.get_or_create(team=invitation.team, user=user, defaults={"role": invitation.role})
    if not new and invitation.role == Membership.Role.MANAGER:
        Membership.objects.filter(pk=member.pk).update(role=invitation.role)


@transaction.atomic
def change_role(team: Team, user_id: int, role: str) -> None:
    lock(team)
    Membership.objects.filter(team=team, user=user_id).update(role=role)
    demand_manager(team)


@transaction.atomic
def remove(team: Team, user_id: int) -> None:
    """Take a member off the team, and back what would let them in again."""
    lock(team)
    Membership.objects.filter(team=team, user=user_id).delete()
    addresses = EmailAddress.objects.filter(user=user_id).values("email")
    open_invitations(team).filter(email__in=addresses).delete()
    demand_manager(team)


@transaction.atomic
def dissolve(team: Team) -> None:
    """Delete a team that has nothing; raises MembershipError when it has servers or runs."""
    lock(team)
    if team.servers.exists():
        raise MembershipError(f"{team} has servers: remove them first.")
    try:
        team.delete()
    except ProtectedError:
        raise MembershipError(f"{team} has runs in a challenge, which are kept with its name.") from None


def lock(team: Team) -> None:
    Team.objects.select_for_update().get(pk=team.pk)


def demand_manager(team: Team) -> None:
    """Undo the transaction when nobody could manage the team any more."""
    if not Membership.objects.filter(team=team, role=Membership.Role.MANAGER).exists():
        raise MembershipError(f"{team} would have no manager: make another member manager first.")
