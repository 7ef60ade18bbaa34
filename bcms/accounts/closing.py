"""Close an account: what it did stays under "former member" and a number, everything about its person is deleted.

The row of the account stays, as runs, labels, judgements and the audit trail refer to it. Its user name and addresses
are free again; nothing that stays has them. Data sets that are not published are withdrawn.
"""

from collections.abc import Sequence
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User as Account
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from annotations.curation.continuation import rename_curator_where_taken_over
from annotations.curation.manuscripts.states import PRIVATE_STATES
from annotations.curation.models import Curator, CuratorProfile
from annotations.curation.projects.models import CurationProject
from annotations.data_sets.withdrawal import withdraw_data_sets
from annotations.results.models import Producer
from bcms.accounts.models import ApiToken
from bcms.accounts.sessions import end_sessions
from bcms.data_sets.publication import record_withdrawals
from bcms.mail.models import Mail
from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.models import Challenge
from evaluation.challenges.webhooks.account_webhooks import switch_off_webhooks_of_account
from evaluation.labelling.models import Labeller
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.inbox.models import InboxEntry
from servers.notifications.models import MailPreference
from servers.pasted_texts.models import PastedText
from servers.teams.models import Invitation, Membership, Team

# Each with the account as its user.
OWN_ROWS: Sequence[Any] = (
    *(ApiToken, Authenticator, SocialAccount, Membership, MailPreference, ChallengeFollower, CuratorProfile),
    *(InboxEntry, PastedText),
)


class ClosingError(Exception):
    """The account cannot be closed yet; each line of `obstacles` says what to do first."""

    def __init__(self, obstacles: list[str]) -> None:
        super().__init__(" ".join(obstacles))
        self.obstacles = obstacles


def list_closing_obstacles(account: Account) -> list[str]:
    """What the user has to do before the account can be closed; 4 queries."""
    managers = Count("membership", filter=Q(membership__role=Membership.Role.MANAGER))
    managed = Team.objects.filter(
        pk__in=Membership.objects.filter(user=account, role=Membership.Role.MANAGER).values("team")
    )
    teams = managed.annotate(managers=managers).filter(managers=1).order_by("name")
    organized = Challenge.objects.filter(pk__in=Challenge.objects.filter(organizers=account.pk).values("pk"))
    challenges = organized.annotate(number=Count("organizers")).filter(number=1).order_by("name")
    obstacles = [
        f"You are the only manager of {team}. Make another member a manager, or dissolve the team." for team in teams
    ]
    obstacles += [f"You are the only organizer of {challenge}. Add another organizer." for challenge in challenges]
    unpublished = account.manuscripts.filter(state__in=PRIVATE_STATES).count()
    if unpublished:
        obstacles.append(f"{unpublished:,} of your manuscripts are neither published nor withdrawn. Close them first.")
    others = Account.objects.filter(is_superuser=True, is_active=True).exclude(pk=account.pk)
    if account.is_superuser and not others.exists():
        obstacles.append(
            "You are the only administrator of this site. Make another one with manage.py createsuperuser."
        )
    return obstacles


@transaction.atomic
def close_account(account: Account) -> None:
    """Close an account for ever. ClosingError while teams or challenges depend on it."""
    # Locked in the order of their keys, so that two managers or organizers cannot both leave.
    list(Team.objects.filter(members=account.pk).order_by("pk").select_for_update(of=("self",)))
    list(Challenge.objects.filter(organizers=account.pk).order_by("pk").select_for_update(of=("self",), no_key=True))
    # So that nothing is connected with the account meanwhile.
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)
    obstacles = list_closing_obstacles(account)
    if obstacles:
        raise ClosingError(obstacles)
    end_sessions(account)
    addresses = EmailAddress.objects.filter(user=account)
    emails = list(addresses.values_list("email", flat=True))
    Invitation.objects.filter(email__in=emails).delete()
    # What can still be sent is: it may say that the account was closed.
    Mail.objects.filter(recipient__in=emails, failed__isnull=False).delete()
    switch_off_webhooks_of_account(account)
    for rows in OWN_ROWS:
        rows.objects.filter(user=account.pk).delete()
    addresses.delete()
    record_withdrawals(withdraw_data_sets(account.data_sets.filter(published__isnull=True)), account)
    Challenge.organizers.through.objects.filter(user=account.pk).delete()
    CurationProject.adjudicators.through.objects.filter(user=account.pk).delete()
    account.user_permissions.clear()
    account.groups.clear()
    _rename_account(account)
    record_audit_event(AuditAction.ACCOUNT_CLOSED, actor=account, person=account)


def _rename_account(account: Account) -> None:
    """Replace everything about the person. No user name has a space in it, so the new name is never taken."""
    name = f"former member {account.pk}"
    for labeller in Labeller.objects.filter(user=account).select_related("labelling__corpus"):
        Producer.objects.filter(pk=labeller.producer_id).update(name=f"{name}, {labeller.labelling.corpus}"[:200])
    Labeller.objects.filter(user=account, released__isnull=True).update(released=timezone.now(), running=None)
    for curator in Curator.objects.filter(user=account).select_related("project", "producer"):
        role = f", {curator.project}" if curator.project else " (curator)"
        new_name = f"{name}{role}"[:200]
        rename_curator_where_taken_over(curator.producer.name, new_name)
        Producer.objects.filter(pk=curator.producer_id).update(name=new_name)
    Curator.objects.filter(user=account, project__isnull=False, released__isnull=True).update(released=timezone.now())
    account.username = name
    account.email = account.first_name = account.last_name = ""
    account.is_active = account.is_staff = account.is_superuser = False
    account.last_login = None
    account.set_unusable_password()
    account.save()
