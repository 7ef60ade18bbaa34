"""Publish and remove announcements, and write their mails, each once."""

from datetime import timedelta
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.challenges.announcements.models import Announcement, AnnouncementAudience
from evaluation.challenges.announcements.recipients import list_teams_of_audience, map_recipients_to_addresses
from evaluation.challenges.followers.mail_rounds import count_written_mails
from evaluation.challenges.followers.unsubscribe_links import build_challenge_mail
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.repeated_texts import REPEATED_WITHIN
from evaluation.challenges.webhooks.deliveries import (
    ChallengeNews,
    delete_deliveries_with_link,
    store_deliveries_to_teams,
)
from evaluation.errors import ChallengeError
from servers.audit.models import AuditAction, AuditEvent
from servers.audit.trail import record_audit_event
from servers.inbox.entries import delete_entries_with_path, notify_accounts
from servers.notifications.events import ChallengeEvent
from servers.notifications.site_links import build_site_url
from servers.teams.permissions import User, get_logged_in_user_id

MAIL_ANNOUNCEMENTS_TASK = "evaluation.tasks.mail_announcements_unless_busy"
# People who get too much mail stop to read it, and a stolen account of an organizer must not flood them.
DAILY_ANNOUNCEMENTS = 10
DAY = timedelta(days=1)


@transaction.atomic
def publish_announcement(
    challenge: Challenge, author: User, *, title: str, text: str, audience: AnnouncementAudience
) -> Announcement:
    """Show an announcement on the page of a challenge and in its feed; a worker writes the mails.

    If the author has just published the same, return that. ChallengeError for a draft, and for more than
    DAILY_ANNOUNCEMENTS within a day.
    """
    challenge = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    if challenge.state == ChallengeState.DRAFT:
        raise ChallengeError(f"Nobody else sees {challenge} yet. List it first, then announce it.")
    fields = {"title": title, "text": text, "audience": audience, "author_id": get_logged_in_user_id(author)}
    just_published = challenge.announcements.filter(at__gt=timezone.now() - REPEATED_WITHIN, **fields)
    if repeated := just_published.first():
        return repeated
    since = timezone.now() - DAY
    # From the audit trail, as announcements that were removed have sent their mails.
    published = AuditEvent.objects.filter(
        challenge_id=challenge.pk, action=AuditAction.CHALLENGE_ANNOUNCED, at__gt=since
    )
    if published.count() >= DAILY_ANNOUNCEMENTS:
        raise ChallengeError(
            f"{challenge} has had {DAILY_ANNOUNCEMENTS} announcements within a day. Wait, or put the news into one."
        )
    announcement = Announcement.objects.create(challenge=challenge, **fields)
    record_audit_event(
        AuditAction.CHALLENGE_ANNOUNCED, challenge, after={"title": title}, actor=author, challenge_id=challenge.pk
    )
    transaction.on_commit(lambda: current_app.send_task(MAIL_ANNOUNCEMENTS_TASK), robust=True)
    return announcement


@transaction.atomic
def remove_announcement(announcement: Announcement) -> None:
    """Take an announcement from the page, the feed and notifications. Mails that were sent cannot be taken back."""
    challenge = announcement.challenge
    record_audit_event(
        AuditAction.CHALLENGE_ANNOUNCEMENT_REMOVED,
        challenge,
        before={"title": announcement.title},
        challenge_id=challenge.pk,
    )
    path, at = _build_announcement_path(announcement), announcement.at
    # First: it waits for a worker that is notifying people of it.
    announcement.delete()
    delete_entries_with_path(path, at)
    delete_deliveries_with_link(challenge, ChallengeEvent.ANNOUNCED, f"{settings.SITE_URL}{path}")


def _build_announcement_path(announcement: Announcement) -> str:
    page = reverse("challenge-announcements", args=[announcement.challenge.slug])
    return f"{page}#announcement-{announcement.pk}"


def list_announcements_to_mail() -> QuerySet[Announcement]:
    """Those of a challenge that is a draft again wait until it is listed."""
    waiting = Announcement.objects.filter(mailed__isnull=True).exclude(challenge__state=ChallengeState.DRAFT)
    return waiting.select_related("challenge").order_by("at", "pk")


def write_mails_of_announcements() -> int:
    """Write the mails of all announcements that wait. Returns their number."""
    waiting = list_announcements_to_mail()
    return count_written_mails(partial(write_mails_of_announcement, announcement) for announcement in waiting)


@transaction.atomic
def write_mails_of_announcement(announcement: Announcement) -> int:
    """Put the mails of an announcement into the outbox, unless that was done. Returns their number.

    Mails and the mark that they are written are of one transaction, so that nobody gets two.
    """
    # Meanwhile it may have been mailed or removed, or its challenge made a draft.
    if not list_announcements_to_mail().filter(pk=announcement.pk).update(mailed=timezone.now()):
        return 0
    challenge = announcement.challenge
    context = {
        "announcement": announcement,
        "challenge": challenge,
        "link": build_site_url("challenge-announcements", challenge.slug),
    }
    body = render_to_string("evaluation/email/announcement.txt", context)
    subject = f"[BCMS] {challenge}: {announcement.title}"
    audience, path = AnnouncementAudience(announcement.audience), _build_announcement_path(announcement)
    recipients = map_recipients_to_addresses(challenge, audience)
    sentence = f"{challenge}: {announcement.title}"
    notify_accounts(recipients, sentence, path)
    details = {"announcement": {"id": announcement.pk, "title": announcement.title}}
    news = ChallengeNews(ChallengeEvent.ANNOUNCED, challenge, sentence, f"{settings.SITE_URL}{path}", details)
    store_deliveries_to_teams(news, list_teams_of_audience(challenge, audience).values_list("pk", flat=True))
    for account, address in sorted(recipients.items()):
        build_challenge_mail(challenge, account, address, subject, body).send()
    Announcement.objects.filter(pk=announcement.pk).update(mails=len(recipients))
    return len(recipients)
