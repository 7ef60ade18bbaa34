"""Record the events of a server for notifications, in the commit in which they happen.

So events that are rolled back are not notified, and no notification is lost: mail starts as a Notice
(servers/notifications/mail/mails.py), a webhook message as a Delivery
(servers/notifications/webhooks/webhook_delivery.py). The caller has locked the server's row.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from servers.calls.leases.lease import lock_servers_and_read_field
from servers.calls.models import Call, Queue
from servers.calls.states import QueueMode
from servers.inbox.entries import notify_team
from servers.inbox.entry_groups import QUEUES_ANCHOR
from servers.inbox.models import InboxEntry
from servers.notifications.events import TOPIC_BY_EVENT_TYPE, EventType, MailFrequency
from servers.notifications.mail.mail_timing import QUIET, REPEATING, compute_mail_due_time
from servers.notifications.models import Notice
from servers.notifications.webhooks import webhook_delivery
from servers.notifications.webhooks.webhook_messages import NotificationEvent, count_ended_calls_by_state
from servers.notifications.wording import format_finished_queue, format_headline, format_queue_name
from servers.registry.models import Server

# Single articles that failed would hide everything else.
NOTIFIED_ON_SITE = frozenset(EventType) - {EventType.ARTICLE_FAILED, EventType.TEST}
# Nobody waits for a queue that is done sooner.
QUICK = timedelta(minutes=10)


def store_wanted_notice_and_deliveries_of_event(
    server_id: int, event_type: EventType, *, queue: Queue | None = None, call: Call | None = None, reason: str = ""
) -> None:
    """Store a notice and the webhook messages about an event; reason may contain secrets, which are masked later."""
    server = Server.objects.only("name", "slug", "team", "state", "mail_topics", "mail_rhythm").get(pk=server_id)
    now = timezone.now()
    if event_type == EventType.SERVER_UNREACHED and _is_in_planned_maintenance(server, now):
        return
    if event_type == EventType.QUEUE_DONE and queue is not None:
        _notify_team_of_slow_or_challenge_queue(server, queue)
    elif event_type in NOTIFIED_ON_SITE:
        _notify_team_once_in_quiet_period(server, event_type, now)
    if TOPIC_BY_EVENT_TYPE[event_type] in server.mail_topics:
        last_mail = _find_last_mail_time(server, event_type, now)
        due = compute_mail_due_time(MailFrequency(server.mail_rhythm), now, last_mail)
        attempt = call.attempts.order_by("pk").last() if call else None
        fields = {"queue": queue, "call": call, "attempt": attempt, "reason": reason, "due": due}
        Notice.objects.create(server=server, happening=event_type, **fields)
    webhook_delivery.store_deliveries_of_server_event(server, NotificationEvent(event_type, now, queue, call, reason))


def _notify_team_of_slow_or_challenge_queue(server: Server, queue: Queue) -> None:
    """Not of a live queue that took less than QUICK: who loaded it is still there, or the site has loaded it."""
    began = Now() - QUICK
    if queue.mode != QueueMode.LIVE or queue.calls.filter(created__lt=began, finished__gt=began).exists():
        articles = sum(count_ended_calls_by_state(queue).values())
        text = format_finished_queue(server.name, format_queue_name(queue.mode, queue.name), articles)
        notify_team(server.team_id, text, reverse("server", args=[server.slug]) + QUEUES_ANCHOR)


def _notify_team_once_in_quiet_period(server: Server, event_type: EventType, now: datetime) -> None:
    """Of an event that repeats, once within the QUIET period."""
    text, path = f"{server.name}: {format_headline(event_type, 1)}.", reverse("server", args=[server.slug])
    recent = InboxEntry.objects.filter(at__gt=now - QUIET, path=path, text=text)
    if event_type not in REPEATING or not recent.exists():
        notify_team(server.team_id, text, path)


def _is_in_planned_maintenance(server: Server, now: datetime) -> bool:
    """Whether the team has planned maintenance of the server for now, so that it need not be notified."""
    return server.maintenance.filter(starts__lte=now, ends__gt=now).exists()


def _find_last_mail_time(server: Server, event_type: EventType, now: datetime) -> datetime | None:
    """The time of the last mail about this repeating event within the QUIET period; None for other events."""
    if event_type not in REPEATING:
        return None
    notices = Notice.objects.filter(server=server, happening=event_type, told__gt=now - QUIET)
    latest: datetime | None = notices.aggregate(latest=Max("told"))["latest"]
    return latest


@transaction.atomic
def store_mail_settings_rescheduling_or_deleting_notices(
    server: Server, topics: Sequence[str], rhythm: MailFrequency
) -> None:
    """Store topics and frequency of the team's mail about a server, and apply them to notices that are not sent yet."""
    lock_servers_and_read_field(Server.objects.filter(pk=server.pk), "pk")
    Server.objects.filter(pk=server.pk).update(mail_topics=list(topics), mail_rhythm=rhythm)
    wanted = [event_type for event_type, topic in TOPIC_BY_EVENT_TYPE.items() if topic in topics]
    unsent = Notice.objects.filter(server=server, told__isnull=True)
    unsent.exclude(happening__in=wanted).delete()
    unsent.update(due=compute_mail_due_time(rhythm, timezone.now()))
