"""News of phases that begin, end, change or are published.

Everybody who takes part or organizes is notified on the site and by webhooks, and who gets announcements of the
challenge is mailed.
"""

from functools import partial

from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.recipients import map_recipients_to_addresses
from evaluation.challenges.followers.choices import list_teams_in_challenge
from evaluation.challenges.followers.mail_rounds import count_written_mails
from evaluation.challenges.followers.unsubscribe_links import build_challenge_mail
from evaluation.challenges.models import Challenge, ChallengeState, PhaseEvent
from evaluation.challenges.webhooks.deliveries import (
    ChallengeNews,
    store_deliveries_to_organizers,
    store_deliveries_to_teams,
)
from servers.inbox.entries import notify_accounts
from servers.notifications.events import ChallengeEvent
from servers.notifications.site_links import build_site_url
from servers.teams.models import Membership

WEBHOOK_EVENTS = {
    PhaseEvent.Type.BEGUN: ChallengeEvent.PHASE_BEGUN,
    PhaseEvent.Type.ENDED: ChallengeEvent.PHASE_ENDED,
    PhaseEvent.Type.PUBLISHED: ChallengeEvent.PHASE_PUBLISHED,
}


def mail_phase_news() -> int:
    """One mail about all new events of a challenge to each recipient; nobody hears of drafts. Returns their number."""
    challenges = Challenge.objects.filter(phases__events__to_mail=True).distinct().order_by("pk")
    return count_written_mails(partial(_mail_news_of_challenge, challenge) for challenge in challenges)


@transaction.atomic
def _mail_news_of_challenge(challenge: Challenge) -> int:
    events = PhaseEvent.objects.filter(to_mail=True, phase__challenge=challenge)
    events = events.select_related("phase__challenge").order_by("pk")
    locked = list(events.select_for_update(of=("self",), skip_locked=True))
    if not locked:
        return 0
    # Read now: meanwhile it may have become a draft.
    challenge = locked[0].phase.challenge
    is_draft = challenge.state == ChallengeState.DRAFT
    PhaseEvent.objects.filter(pk__in=[event.pk for event in locked]).update(
        to_mail=False, mailed=None if is_draft else timezone.now()
    )
    return 0 if is_draft else _mail_events(challenge, locked)


def _mail_events(challenge: Challenge, events: list[PhaseEvent]) -> int:
    link = build_site_url("challenge", challenge.slug)
    body = render_to_string("evaluation/email/phase_news.txt", {"challenge": challenge, "events": events, "link": link})
    first = events[0]
    more = f" and {len(events) - 1} more" if len(events) > 1 else ""
    subject = f"[BCMS] {challenge}: {first.phase.sort} phase {first.get_what_display().lower()}{more}"
    recipients = map_recipients_to_addresses(challenge, AnnouncementAudience.FOLLOWERS)
    teams = list_teams_in_challenge(challenge)
    members = Membership.objects.filter(team__in=teams).values_list("user", flat=True)
    notified = {*recipients, *members, *challenge.organizers.values_list("pk", flat=True)}
    for event in events:
        sentence = f"{challenge}: {event.phase.sort} phase {event.get_what_display().lower()}."
        notify_accounts(notified, sentence, reverse("challenge", args=[challenge.slug]))
        news = _build_webhook_news(event, challenge, sentence, link)
        store_deliveries_to_teams(news, teams.values_list("pk", flat=True))
        store_deliveries_to_organizers(news)
    for account, address in sorted(recipients.items()):
        build_challenge_mail(challenge, account, address, subject, body).send()
    return len(recipients)


def _build_webhook_news(event: PhaseEvent, challenge: Challenge, sentence: str, link: str) -> ChallengeNews:
    details = {"phase": event.phase.sort, "change": event.what, "details": event.words, "reason": event.reason}
    happening = WEBHOOK_EVENTS.get(PhaseEvent.Type(event.what), ChallengeEvent.PHASE_CHANGED)
    return ChallengeNews(happening, challenge, sentence, link, details)
