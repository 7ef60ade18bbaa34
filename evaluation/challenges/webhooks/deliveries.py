"""Messages to the webhooks of a challenge and of the teams in it, stored in the commit in which the event happened.

Teams get nothing of drafts, which they do not see, and nobody gets anything of challenges that are archived. A message
never has a score or an annotation: it names what happened, and the page where those who may see more find it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from evaluation.challenges.models import Challenge, ChallengeState
from servers.notifications.events import (
    TOPIC_BY_CHALLENGE_EVENT,
    ChallengeEvent,
    WebhookFormat,
    WebhookOwnerType,
)
from servers.notifications.models import Delivery, Webhook
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.message_formats import WebhookMessage, format_message
from servers.notifications.webhooks.owners import WebhookOwner
from servers.notifications.webhooks.webhook_delivery import store_and_enqueue_deliveries
from servers.teams.models import Team

STATES_FOR_TEAMS = frozenset({ChallengeState.LISTED, ChallengeState.CLOSED})


@dataclass(frozen=True, slots=True)
class ChallengeNews:
    """An event of a challenge.

    sentence: what happened, with the name of the challenge; link: the page about it; details: further fields of the
    message for programs, such as the phase.
    """

    event: ChallengeEvent
    challenge: Challenge
    sentence: str
    link: str
    details: Mapping[str, object] = field(default_factory=dict)


def make_challenge_owner(challenge: Challenge) -> WebhookOwner:
    return WebhookOwner(WebhookOwnerType.CHALLENGE, challenge.pk, challenge.name, challenge.slug)


def store_deliveries_to_teams(news: ChallengeNews, team_ids: Iterable[int]) -> None:
    """Each message names the team that gets it, and no other."""
    if news.challenge.state in STATES_FOR_TEAMS:
        webhooks = Webhook.objects.filter(team__in=team_ids).select_related("team").order_by("pk")
        now = timezone.now()
        _store_deliveries(news, webhooks, lambda webhook: _build_body(news, webhook, webhook.team, now))


def store_deliveries_to_organizers(news: ChallengeNews, team: Team | None = None) -> None:
    """team: the one that the event is about, if any."""
    if news.challenge.state != ChallengeState.ARCHIVED:
        now = timezone.now()
        webhooks = make_challenge_owner(news.challenge).webhooks.order_by("pk")
        _store_deliveries(news, webhooks, lambda webhook: _build_body(news, webhook, team, now))


def _store_deliveries(news: ChallengeNews, webhooks: QuerySet[Webhook], build_body: Callable[[Webhook], str]) -> None:
    store_and_enqueue_deliveries(
        webhooks, news.event, TOPIC_BY_CHALLENGE_EVENT[news.event], build_body, challenge_id=news.challenge.pk
    )


def _build_body(news: ChallengeNews, webhook: Webhook, team: Team | None, now: datetime) -> str:
    challenge = news.challenge
    data: dict[str, object] = {"challenge": _describe_page(challenge, "challenge")}
    if team is not None:
        data["team"] = _describe_page(team, "team")
    data |= {**news.details, "text": news.sentence, "link": news.link}
    topic = TOPIC_BY_CHALLENGE_EVENT[news.event]
    message = WebhookMessage(news.event, topic, now, data, news.sentence, news.link)
    return format_message(message, WebhookFormat(webhook.format))


def _describe_page(owner: Challenge | Team, page: str) -> dict[str, str]:
    return {"slug": owner.slug, "name": owner.name, "page": build_site_url(page, owner.slug)}


def delete_deliveries_to_teams(challenge: Challenge) -> None:
    """Of a challenge that teams do not see any more. What waits is not sent, and pages do not show the rest."""
    Delivery.objects.filter(challenge_id=challenge.pk, webhook__team__isnull=False).delete()


def delete_deliveries_with_link(challenge: Challenge, event: ChallengeEvent, link: str) -> None:
    """Of something that was taken back. In each format, a quotation mark follows the link."""
    Delivery.objects.filter(challenge_id=challenge.pk, happening=event, body__contains=f'{link}"').delete()
