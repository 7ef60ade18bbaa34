"""Add and remove organizers of a challenge. Every change is logged, and the last organizer cannot be removed."""

from django.contrib.auth.models import User as Account
from django.db import transaction

from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.admission import find_team_participating_or_asking
from evaluation.challenges.webhooks.deliveries import make_challenge_owner
from evaluation.errors import ChallengeError
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.owners import switch_off_webhooks_of_former_organizer
from servers.teams.permissions import User
from servers.teams.person_mail import mail_person


@transaction.atomic
def add_and_mail_organizer_refusing_competitors(challenge: Challenge, account: Account, added_by: User) -> bool:
    """Make an account an organizer and notify them by mail; added_by: who does it. False if they are one already.

    ChallengeError for a member of a team that takes part, as organizers see the annotations of all teams.
    """
    if challenge.organizers.filter(pk=account.pk).exists():
        return False
    team = find_team_participating_or_asking(challenge, account)
    if team is not None:
        raise ChallengeError(
            f"{account.get_username()} is on {team}, which takes part in {challenge}, and organizers see the "
            "annotations of all teams. Choose somebody who is on no team in the challenge."
        )
    challenge.organizers.add(account)
    record_audit_event(
        AuditAction.CHALLENGE_ORGANIZER_ADDED, challenge, actor=added_by, person=account, challenge_id=challenge.pk
    )
    link = build_site_url("challenge-organize", challenge.slug)
    context = {"challenge": challenge, "link": link}
    mail_person(account, f"You organize {challenge}", "evaluation/email/organizer.txt", context)
    return True


@transaction.atomic
def remove_organizer_unless_last(challenge: Challenge, username: str, removed_by: User) -> None:
    """Remove an organizer; removed_by: who does it. ChallengeError if they are not an organizer, or the last one."""
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    account = challenge.organizers.filter(username=username).first()
    if account is None:
        raise ChallengeError(f"“{username}” is not an organizer of {challenge}.")
    if challenge.organizers.count() == 1:
        raise ChallengeError(f"{username} is the only organizer of {challenge}. Add another one first.")
    challenge.organizers.remove(account)
    organizer_ids = challenge.organizers.values_list("pk", flat=True)
    switch_off_webhooks_of_former_organizer(make_challenge_owner(challenge), account, organizer_ids)
    record_audit_event(
        AuditAction.CHALLENGE_ORGANIZER_REMOVED, challenge, actor=removed_by, person=account, challenge_id=challenge.pk
    )
