"""Messages to the URLs that teams have given: in the order in which they came, each tried five times, then failed.

One worker at a time speaks for a webhook, by its rest_until. A receiver that cannot be reached or is troubled is left
alone for a while with all that waits for it, and after three days of failures the webhook is switched off. A worker
that dies between sending and writing so down leaves a message that is sent twice, under the same id.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from bcms.lib.http import HttpError, HttpFault, fetch
from servers.masking import shown
from servers.models import Delivery, Server, Webhook, new_secret
from servers.telling.messages import News, body_of, headers_of
from servers.topics import TOPIC_OF, DeliveryState, Happening

DELIVER = "servers.tasks.deliver"
# After a try that failed; when these are used up the message has failed.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120))
# Seconds for the whole exchange, and for one worker at one webhook.
DEADLINE = 10.0
SLICE_SECONDS = 30.0
CLAIM = timedelta(seconds=30)
MOST_BYTES = 64 * 1024
KEPT_BYTES = 1000
OLD_SECRET = timedelta(days=1)
GIVE_UP = timedelta(days=3)
MOST_TESTS = 10
TESTS_WITHIN = timedelta(minutes=10)
SWITCHED_OFF = (
    f"Switched off: nothing was accepted for {GIVE_UP.days} days. Mend the receiver, then switch the webhook on."
)
# Another try cannot help before somebody changes the webhook.
PERMANENT = {
    HttpFault.BAD_URL: "Correct the webhook's URL.",
    HttpFault.BLOCKED_ADDRESS: "Give a URL that everybody on the internet can reach.",
    HttpFault.REDIRECT: "A message is never sent on: give the URL that it leads to.",
}
TROUBLED = frozenset({408, 429})


@dataclass(frozen=True, slots=True)
class Tried:
    """How a try ended: the status and beginning of an answer, or why there was none."""

    status: int | None = None
    answer: str = ""
    error: str = ""
    permanent: bool = False

    @property
    def accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def troubled(self) -> bool:
        """Whether the receiver as a whole is in trouble, and not this message alone unwelcome."""
        return self.status is None or self.status >= 500 or self.status in TROUBLED


def announce(server: Server, news: News) -> None:
    """A message for every webhook of the server that wants this topic, in the caller's transaction."""
    wanting = list(Webhook.objects.filter(server=server, active=True, topics__contains=[TOPIC_OF[news.happening]]))
    if wanting:
        body = body_of(server, news)
        Delivery.objects.bulk_create(Delivery(webhook=each, happening=news.happening, body=body) for each in wanting)
    for each in wanting:
        wake(each.pk)


class TooManyTestsError(Exception):
    """One sentence for the person who tests."""


def tests_since(webhook: Webhook, since: datetime) -> int:
    return Delivery.objects.filter(webhook=webhook, happening=Happening.TEST, created__gt=since).count()


@transaction.atomic
def send_test(webhook: Webhook) -> Delivery:
    """A message by which the team sees that its receiver works. TooManyTestsError when it was sent many of late."""
    if tests_since(webhook, timezone.now() - TESTS_WITHIN) >= MOST_TESTS:
        raise TooManyTestsError(
            f"This webhook was sent {MOST_TESTS} tests within {TESTS_WITHIN.seconds // 60} minutes; wait a while, "
            "or send one of its messages again."
        )
    news = News(Happening.TEST, timezone.now(), reason="A test, sent by hand.")
    delivery = Delivery.objects.create(webhook=webhook, happening=news.happening, body=body_of(webhook.server, news))
    hurry(webhook)
    return delivery


@transaction.atomic
def replay(delivery: Delivery) -> None:
    """Send it once more, under the same id and with five new tries."""
    Delivery.objects.filter(pk=delivery.pk).update(state=DeliveryState.WAITING, tries=0, due=Now())
    hurry(delivery.webhook)


def hurry(webhook: Webhook) -> None:
    Webhook.objects.filter(pk=webhook.pk).update(rest_until=Now())
    wake(webhook.pk)


def rotate_secret(webhook: Webhook) -> None:
    """A new secret; the old one signs beside it for a day, so that no message is refused meanwhile."""
    Webhook.objects.filter(pk=webhook.pk).update(old_secret=F("secret"), secret=new_secret(), secret_since=Now())


def switch(webhook: Webhook, *, on: bool) -> None:
    """What waits is sent when it is on again; what happens while it is off is not told."""
    Webhook.objects.filter(pk=webhook.pk).update(active=on, reason="", misses=0, failing_since=None, rest_until=Now())
    if on:
        wake(webhook.pk)


def wake(webhook_id: int) -> None:
    """Ask the broker to have what is due sent once the transaction is committed."""
    transaction.on_commit(lambda: current_app.send_task(DELIVER, [webhook_id]), robust=True)


def due() -> QuerySet[Delivery]:
    return Delivery.objects.filter(state=DeliveryState.WAITING, due__lte=Now())


def to_wake() -> QuerySet[Webhook]:
    """Webhooks that nobody speaks for and that have something to send."""
    return Webhook.objects.filter(Exists(due().filter(webhook=OuterRef("pk"))), active=True, rest_until__lte=Now())


def deliver(webhook_id: int) -> str:
    """Send what is due; says how it ended: busy, idle, rests or more."""
    if not Webhook.objects.filter(pk=webhook_id, active=True, rest_until__lte=Now()).update(rest_until=Now() + CLAIM):
        return "busy"
    until = time.monotonic() + SLICE_SECONDS
    while time.monotonic() < until:
        word = deliver_next(webhook_id)
        if word != "more":
            return word
    Webhook.objects.filter(pk=webhook_id).update(rest_until=Now())
    wake(webhook_id)
    return "more"


def deliver_next(webhook_id: int) -> str:
    delivery = due().filter(webhook=webhook_id).order_by("created", "pk").select_related("webhook").first()
    if delivery is None:
        Webhook.objects.filter(pk=webhook_id).update(rest_until=Now())
        return "idle"
    # Whoever else wants it too finds that it is not due any more.
    if not due().filter(pk=delivery.pk).update(due=Now() + CLAIM, tries=F("tries") + 1, tried=Now()):
        return "more"
    tried = send(delivery)
    with transaction.atomic():
        write_down(delivery, tried)
        return accepted(delivery.webhook) if tried.accepted else refused(delivery.webhook, tried)


def send(delivery: Delivery) -> Tried:
    webhook, body = delivery.webhook, delivery.body.encode()
    secrets = [webhook.secret]
    if webhook.old_secret and webhook.secret_since > timezone.now() - OLD_SECRET:
        secrets.append(webhook.old_secret)
    try:
        reply = fetch(
            "POST",
            webhook.url,
            body=body,
            headers=headers_of(secrets, str(delivery.pk), int(time.time()), body),
            deadline=DEADLINE,
            max_bytes=MOST_BYTES,
            networks=settings.ALLOWED_NETWORKS,
        )
    except HttpError as error:
        mend = PERMANENT.get(error.kind, "Check that the receiver runs and can be reached from outside.")
        return Tried(error=f"{error} {mend}", permanent=error.kind in PERMANENT)
    return Tried(status=reply.status, answer=shown(reply.body[:KEPT_BYTES]))


def write_down(delivery: Delivery, tried: Tried) -> None:
    fields: dict[str, object] = {"status": tried.status, "answer": tried.answer, "error": tried.error}
    tries = delivery.tries + 1
    if tried.accepted:
        fields["state"] = DeliveryState.DELIVERED
    elif tried.permanent or tries > len(WAITS):
        fields["state"] = DeliveryState.FAILED
    else:
        fields["due"] = Now() + WAITS[tries - 1]
    Delivery.objects.filter(pk=delivery.pk).update(**fields)


def accepted(webhook: Webhook) -> str:
    Webhook.objects.filter(pk=webhook.pk).update(misses=0, failing_since=None, rest_until=Now() + CLAIM)
    return "more"


def refused(webhook: Webhook, tried: Tried) -> str:
    """A receiver in trouble rests, the longer the oftener it failed; one that fails for days is switched off."""
    wait = WAITS[min(webhook.misses, len(WAITS) - 1)] if tried.troubled else CLAIM
    rows = Webhook.objects.filter(pk=webhook.pk)
    rows.update(misses=F("misses") + 1, failing_since=Coalesce("failing_since", Now()), rest_until=Now() + wait)
    rows.filter(failing_since__lt=Now() - GIVE_UP).update(active=False, reason=SWITCHED_OFF)
    return "rests" if tried.troubled else "more"
