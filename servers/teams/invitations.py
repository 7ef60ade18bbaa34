"""Invite people to a team by e-mail, and accept such an invitation."""

from datetime import datetime, timedelta
from functools import partial

from allauth.account.models import EmailAddress
from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.membership import MembershipError
from servers.teams.models import Invitation, Membership, Team
from servers.teams.permissions import User, get_logged_in_user_id

INVITATION_SALT = "servers.invitation"
INVITATION_VALIDITY = timedelta(days=14)
# After the end of its validity, so that managers see for a while whom they can invite again.
KEPT = timedelta(days=30)


@transaction.atomic
def create_or_renew_invitation(team: Team, email: str, role: str, inviter: User) -> Invitation:
    """Create an open invitation for this address; an existing one gets the new role and a new period of validity."""
    invitation, _ = Invitation.objects.update_or_create(
        team=team,
        email=email.lower(),
        accepted=None,
        defaults={"role": role, "invited_by_id": inviter.pk, "created": Now()},
    )
    # Without the address: the trail keeps what it has for ever.
    record_audit_event(AuditAction.TEAM_INVITED, team, after={"role": role}, actor=inviter, team=team)
    return invitation


@transaction.atomic
def delete_unaccepted_invitation(team: Team, invitation_id: int) -> bool:
    """Withdraw an invitation; False if it was accepted or withdrawn before."""
    number, _ = Invitation.objects.filter(team=team, accepted__isnull=True, pk=invitation_id).delete()
    if number:
        record_audit_event(AuditAction.TEAM_INVITATION_WITHDRAWN, team, team=team)
    return bool(number)


def make_invitation_token(invitation: Invitation) -> str:
    """The signed token in the link of the mail; only the owner of that mailbox sees it."""
    return signing.dumps(invitation.pk, salt=INVITATION_SALT)


def get_valid_invitation(token: str) -> Invitation:
    """The invitation of a link's token; MembershipError if it is unknown, accepted or expired."""
    try:
        invitation = Invitation.objects.select_related("team", "invited_by").get(
            pk=signing.loads(token, salt=INVITATION_SALT)
        )
    except (signing.BadSignature, Invitation.DoesNotExist):
        raise MembershipError(
            "This invitation does not exist or was withdrawn. Check the link, or ask a manager of the team for another."
        ) from None
    if invitation.accepted:
        raise MembershipError("This invitation was already accepted. Log in with the account that accepted it.")
    if not list_unexpired_unaccepted_invitations().filter(pk=invitation.pk).exists():
        raise MembershipError(
            f"This invitation has expired after {INVITATION_VALIDITY.days} days. Ask a manager of the team for another."
        )
    return invitation


def list_acceptable_invitations_with_tokens(user: User) -> list[tuple[Invitation, str]]:
    """The invitations that the user can accept, each with the token of its page: 1 query."""
    addresses = EmailAddress.objects.filter(user=user.pk, verified=True).values("email")
    invitations = (
        list_unexpired_unaccepted_invitations()
        .filter(email__in=addresses)
        .select_related("team")
        .order_by("team__name")
    )
    return [(invitation, make_invitation_token(invitation)) for invitation in invitations]


def is_invited_at_confirmed_address(invitation: Invitation, user: User) -> bool:
    """Whether the invitation was sent to a confirmed address of the user."""
    return bool(EmailAddress.objects.filter(user=user.pk, verified=True, email=invitation.email).exists())


@transaction.atomic
def accept_invitation_and_add_or_promote(invitation: Invitation, user: User) -> None:
    """Add the user to the team; MembershipError if the invitation is for someone else, expired or already used."""
    if not is_invited_at_confirmed_address(invitation, user):
        raise MembershipError(
            f"This invitation is for {invitation.email}, which is not a confirmed address of your account."
        )
    # The address is that of the account from now on, and is deleted with it.
    if not list_unexpired_unaccepted_invitations().filter(pk=invitation.pk).update(accepted=Now(), email=""):
        raise MembershipError(
            "This invitation was just accepted or withdrawn. Ask a manager of the team for a new one."
        )
    member, created = Membership.objects.get_or_create(
        team=invitation.team, user_id=get_logged_in_user_id(user), defaults={"role": invitation.role}
    )
    after = {"role": invitation.role}
    record_of_user = partial(record_audit_event, actor=user, person=user, team=invitation.team)
    if created:
        record_of_user(AuditAction.TEAM_MEMBER_ADDED, invitation.team, after=after)
    elif member.role != invitation.role == Membership.Role.MANAGER:
        Membership.objects.filter(pk=member.pk).update(role=invitation.role)
        record_of_user(AuditAction.TEAM_ROLE_CHANGED, invitation.team, before={"role": member.role}, after=after)


def list_unexpired_unaccepted_invitations() -> QuerySet[Invitation]:
    """The invitations of all teams that can still be accepted."""
    return Invitation.objects.filter(accepted__isnull=True, created__gt=Now() - INVITATION_VALIDITY)


def list_old_invitations(now: datetime) -> QuerySet[Invitation]:
    """Invitations that are deleted, whether they were accepted or not."""
    return Invitation.objects.filter(created__lt=now - INVITATION_VALIDITY - KEPT)
