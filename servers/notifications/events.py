"""The events of a server for which there are notifications, and the topics to which users can subscribe."""

from datetime import datetime, timedelta
from enum import StrEnum


class Topic(StrEnum):
    FAILURE = "failure"
    COMPLETED = "completed"
    FAIL = "fail"


class EventType(StrEnum):
    SERVER_FAILED = "server-failed"
    QUEUE_STOPPED = "queue-stopped"
    SERVER_UNREACHED = "server-unreached"
    ARTICLE_FAILED = "article-failed"
    QUEUE_DONE = "queue-done"
    # Sent on request, to test a webhook.
    TEST = "test"


class MailFrequency(StrEnum):
    AT_ONCE = "at-once"
    DAILY = "daily"


TOPIC_BY_EVENT_TYPE = {
    EventType.SERVER_FAILED: Topic.FAIL,
    EventType.QUEUE_STOPPED: Topic.FAILURE,
    EventType.SERVER_UNREACHED: Topic.FAILURE,
    EventType.ARTICLE_FAILED: Topic.FAILURE,
    EventType.QUEUE_DONE: Topic.COMPLETED,
}
# Events that can repeat until somebody solves the problem: at most one mail per QUIET period.
REPEATING = frozenset({EventType.ARTICLE_FAILED, EventType.SERVER_UNREACHED})
# Mail is delayed by this time to collect further events, so that twenty failures make one mail.
GATHER = timedelta(minutes=1)
# The minimum time between two mails about the same repeating event.
QUIET = timedelta(hours=1)
# The hour (UTC) at which daily mail is written.
DAILY_HOUR = 6


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


def compute_mail_due_time(rhythm: MailFrequency, now: datetime, last_mail: datetime | None = None) -> datetime:
    """When the mail about an event of now is due.

    last_mail is the time of the last mail about the same repeating event, None if there was none or it does not repeat.
    """
    if rhythm == MailFrequency.DAILY:
        today = now.replace(hour=DAILY_HOUR, minute=0, second=0, microsecond=0)
        return today if now < today else today + timedelta(days=1)
    earliest = now + GATHER
    return max(earliest, last_mail + QUIET) if last_mail else earliest
