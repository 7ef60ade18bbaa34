"""Send messages to webhooks: in the order of their creation, each with up to five tries.

Webhook.rest_until makes sure that only one worker at a time sends to a webhook. After a failure that concerns the
receiver as a whole, nothing is sent to it for a while; after three days of failures the webhook is switched off. If a
worker dies after sending a message and before recording that, the message is sent twice with the same id.
"""

import time
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import cache

from celery import current_app
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from servers.notifications.events import TOPIC_BY_EVENT_TYPE, DeliveryState, EventType, WebhookFormat
from servers.notifications.models import Delivery, Webhook
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.chat_messages import build_chat_message_json
from servers.notifications.webhooks.delivery_requests import DeliveryAttempt, send_delivery
from servers.notifications.webhooks.message_formats import WebhookMessage, format_message
from servers.notifications.webhooks.owners import PAGES_OF_OWNERS, WebhookOwner
from servers.notifications.webhooks.webhook_messages import (
    NotificationEvent,
    build_masked_webhook_message_json,
)
from servers.registry.models import Server

DELIVERY_TASK = "servers.tasks.deliver_due_webhook_messages_unless_busy"
# The asking workers alone can read access tokens of Matrix.
MATRIX_DELIVERY_TASK = "servers.tasks.deliver_due_matrix_messages_unless_busy"
FORMATS_OF_TASKS = {
    DELIVERY_TASK: frozenset({WebhookFormat.EVENTS, WebhookFormat.CHAT}),
    MATRIX_DELIVERY_TASK: frozenset({WebhookFormat.MATRIX}),
}
# The waits after failed tries; after the last one the message has failed.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120))
# Seconds for one worker at one webhook.
SLICE_SECONDS = 30.0
WEBHOOK_CLAIM = timedelta(seconds=30)
GIVE_UP = timedelta(days=3)
MOST_TESTS = 10
# Of one webhook: what its receiver does not take, or takes too slowly, would fill the database.
MOST_WAITING = 1000
TESTS_WITHIN = timedelta(minutes=10)
SWITCHED_OFF = (
    f"Switched off because no message was accepted for {GIVE_UP.days} days. Fix the receiver, then switch the webhook "
    "on again."
)


def store_and_enqueue_deliveries(
    webhooks: QuerySet[Webhook],
    happening: str,
    topic: str,
    build_body: Callable[[Webhook], str],
    challenge_id: int | None = None,
) -> None:
    """Create a message for every active one of these webhooks with the topic, in the caller's transaction.

    challenge_id: of the challenge that the message is about, if any. A webhook for which MOST_WAITING messages wait
    gets no more, and counts those that are left out.
    """
    subscribed = _list_webhooks_below_limit_counting_others(webhooks.filter(active=True, topics__contains=[topic]))
    Delivery.objects.bulk_create(
        Delivery(webhook=webhook, happening=happening, body=build_body(webhook), challenge_id=challenge_id)
        for webhook in subscribed
    )
    for webhook in subscribed:
        enqueue_webhook_sending_after_commit(webhook)


def _list_webhooks_below_limit_counting_others(webhooks: QuerySet[Webhook]) -> list[Webhook]:
    waiting = Delivery.objects.filter(webhook=OuterRef("pk"), state=DeliveryState.WAITING).order_by()
    is_full = Exists(waiting[MOST_WAITING - 1 : MOST_WAITING])
    listed = list(webhooks.annotate(is_full=is_full))
    full = [webhook.pk for webhook in listed if webhook.is_full]
    if full:
        Webhook.objects.filter(pk__in=full).update(left_out=F("left_out") + 1, left_out_last=Now())
    return [webhook for webhook in listed if not webhook.is_full]


def store_deliveries_of_server_event(server: Server, event: NotificationEvent) -> None:
    """Create a message for every active webhook of the server with the event's topic, in the caller's transaction."""
    build_once = cache(lambda message_format: _build_server_message(server, event, message_format))
    store_and_enqueue_deliveries(
        Webhook.objects.filter(server=server),
        event.happening,
        TOPIC_BY_EVENT_TYPE[event.happening],
        lambda webhook: build_once(WebhookFormat(webhook.format)),
    )


def _build_server_message(server: Server, event: NotificationEvent, message_format: WebhookFormat) -> str:
    if message_format == WebhookFormat.EVENTS:
        return build_masked_webhook_message_json(server, event)
    return build_chat_message_json(server, event, message_format)


class TooManyTestsError(Exception):
    """Too many test messages were sent to a webhook; the message says so."""


def _count_test_deliveries(webhook: Webhook, since: datetime) -> int:
    return Delivery.objects.filter(webhook=webhook, happening=EventType.TEST, created__gt=since).count()


@transaction.atomic
def enqueue_test_delivery_below_limit(owner: WebhookOwner, webhook: Webhook) -> Delivery:
    """Create a test message for a webhook. TooManyTestsError if it got too many of them recently."""
    Webhook.objects.select_for_update().get(pk=webhook.pk)
    if _count_test_deliveries(webhook, timezone.now() - TESTS_WITHIN) >= MOST_TESTS:
        raise TooManyTestsError(
            f"This webhook got {MOST_TESTS} tests within {TESTS_WITHIN.seconds // 60} minutes. Try again later, or "
            "send one of its messages again."
        )
    body = format_message(_build_test_message(owner), WebhookFormat(webhook.format))
    delivery = Delivery.objects.create(webhook=webhook, happening=EventType.TEST, body=body)
    end_webhook_rest_and_enqueue_sending(webhook)
    return delivery


def _build_test_message(owner: WebhookOwner) -> WebhookMessage:
    link, text = build_site_url(PAGES_OF_OWNERS[owner.type], owner.slug), "A test message."
    data = {owner.type: {"slug": owner.slug, "name": owner.name, "page": link}, "reason": text}
    test = EventType.TEST
    return WebhookMessage(test, test, timezone.now(), data, f"{owner.name}: {text}", link)


@transaction.atomic
def reset_delivery_and_resume_webhook_sending(delivery: Delivery) -> None:
    """Let a message be sent again with the same id and up to five new tries."""
    Delivery.objects.filter(pk=delivery.pk).update(state=DeliveryState.WAITING, tries=0, due=Now())
    end_webhook_rest_and_enqueue_sending(delivery.webhook)


def end_webhook_rest_and_enqueue_sending(webhook: Webhook) -> None:
    """Let the webhook's due messages be sent now."""
    Webhook.objects.filter(pk=webhook.pk).update(rest_until=Now())
    enqueue_webhook_sending_after_commit(webhook)


def enqueue_webhook_sending_after_commit(webhook: Webhook) -> None:
    """Enqueue the sending of the webhook's due messages once the transaction is committed."""
    [task] = [name for name, formats in FORMATS_OF_TASKS.items() if webhook.format in formats]
    transaction.on_commit(lambda: current_app.send_task(task, [webhook.pk]), robust=True)


def _list_due_deliveries() -> QuerySet[Delivery]:
    return Delivery.objects.filter(state=DeliveryState.WAITING, due__lte=Now(), webhook__active=True)


def list_ready_webhooks_with_due_messages() -> QuerySet[Webhook]:
    """Active webhooks with due messages that do not rest and to which no worker is sending."""
    return Webhook.objects.filter(
        Exists(_list_due_deliveries().filter(webhook=OuterRef("pk"))), active=True, rest_until__lte=Now()
    )


def deliver_due_messages_for_slice_unless_busy(
    webhook_id: int, formats: Collection[WebhookFormat] = frozenset(WebhookFormat)
) -> str:
    """Send the webhook's due messages for a slice of time; returns how it ended: busy, idle, rests or more.

    formats: those that this process can send; the webhook of another one is left to other workers.
    """
    claimable = Webhook.objects.filter(pk=webhook_id, active=True, rest_until__lte=Now(), format__in=sorted(formats))
    if not claimable.update(rest_until=Now() + WEBHOOK_CLAIM):
        return "busy"
    until = time.monotonic() + SLICE_SECONDS
    while time.monotonic() < until:
        status = _deliver_next_message(webhook_id)
        if status != "more":
            return status
    Webhook.objects.filter(pk=webhook_id).update(rest_until=Now())
    for webhook in Webhook.objects.filter(pk=webhook_id):
        enqueue_webhook_sending_after_commit(webhook)
    return "more"


def _deliver_next_message(webhook_id: int) -> str:
    """Send the first due message; "idle" if there is none, "rests" if the receiver failed, else "more"."""
    delivery = (
        _list_due_deliveries().filter(webhook=webhook_id).order_by("created", "pk").select_related("webhook").first()
    )
    if delivery is None:
        Webhook.objects.filter(pk=webhook_id).update(rest_until=Now())
        return "idle"
    # Claims the message: it is not due any more for other workers.
    claimable = _list_due_deliveries().filter(pk=delivery.pk)
    if not claimable.update(due=Now() + WEBHOOK_CLAIM, tries=F("tries") + 1, tried=Now()):
        return "more"
    attempt = send_delivery(delivery)
    with transaction.atomic():
        store_attempt_and_next_delivery_state(delivery, attempt)
        if attempt.is_of_other_format:
            return "more"
        if attempt.accepted:
            return _record_webhook_success(delivery.webhook)
        return _record_webhook_failure(delivery.webhook, attempt)


def store_attempt_and_next_delivery_state(delivery: Delivery, attempt: DeliveryAttempt) -> None:
    """Store the answer or error of a try, and whether the message is delivered, has failed or will be retried."""
    fields: dict[str, object] = {"status": attempt.status, "answer": attempt.answer, "error": attempt.error}
    tries = delivery.tries + 1
    if attempt.accepted:
        fields["state"] = DeliveryState.DELIVERED
    elif attempt.permanent or tries > len(WAITS):
        fields["state"] = DeliveryState.FAILED
    else:
        fields["due"] = Now() + max(WAITS[tries - 1], attempt.pause)
    Delivery.objects.filter(pk=delivery.pk).update(**fields)


def _record_webhook_success(webhook: Webhook) -> str:
    """Reset the webhook's failures and prolong this worker's claim; returns "more"."""
    Webhook.objects.filter(pk=webhook.pk).update(misses=0, failing_since=None, rest_until=Now() + WEBHOOK_CLAIM)
    return "more"


def _record_webhook_failure(webhook: Webhook, attempt: DeliveryAttempt) -> str:
    """Count a failure; returns "rests" if the receiver as a whole failed, else "more".

    A failed receiver rests, longer after each failure in a row. A webhook that has failed for days is switched off.
    """
    wait = WAITS[min(webhook.misses, len(WAITS) - 1)] if attempt.receiver_failed else WEBHOOK_CLAIM
    rows = Webhook.objects.filter(pk=webhook.pk)
    rest_until = Now() + max(wait, attempt.pause)
    rows.update(misses=F("misses") + 1, failing_since=Coalesce("failing_since", Now()), rest_until=rest_until)
    rows.filter(failing_since__lt=Now() - GIVE_UP).update(active=False, reason=SWITCHED_OFF)
    return "rests" if attempt.receiver_failed else "more"
