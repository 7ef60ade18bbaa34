"""What happens to a server that people and programs may be told of, by topic: each topic is a choice."""

from datetime import datetime, timedelta
from enum import StrEnum


class Topic(StrEnum):
    FAILURE = "failure"
    COMPLETED = "completed"
    FAIL = "fail"


class Happening(StrEnum):
    SERVER_FAILED = "server-failed"
    QUEUE_STOPPED = "queue-stopped"
    SERVER_UNREACHED = "server-unreached"
    ARTICLE_FAILED = "article-failed"
    QUEUE_DONE = "queue-done"
    # Sent by hand, to see that a webhook works.
    TEST = "test"


class Rhythm(StrEnum):
    AT_ONCE = "at-once"
    DAILY = "daily"


TOPIC_OF = {
    Happening.SERVER_FAILED: Topic.FAIL,
    Happening.QUEUE_STOPPED: Topic.FAILURE,
    Happening.SERVER_UNREACHED: Topic.FAILURE,
    Happening.ARTICLE_FAILED: Topic.FAILURE,
    Happening.QUEUE_DONE: Topic.COMPLETED,
}
# What can happen over and over while nobody does anything about it: told of once an hour at most.
REPEATING = frozenset({Happening.ARTICLE_FAILED, Happening.SERVER_UNREACHED})
# Mail waits so long for what else happens, so that twenty failures make one mail.
GATHER = timedelta(minutes=1)
# Of what repeats by itself no second mail comes sooner.
QUIET = timedelta(hours=1)
# When the mail of a day is written, UTC.
DAILY_HOUR = 6


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


def due_at(rhythm: Rhythm, now: datetime, last_told: datetime | None = None) -> datetime:
    """When the mail about something that happened now is due.

    last_told is when a mail told of the same repeating happening before, None when none did or it does not repeat.
    """
    if rhythm == Rhythm.DAILY:
        today = now.replace(hour=DAILY_HOUR, minute=0, second=0, microsecond=0)
        return today if now < today else today + timedelta(days=1)
    soonest = now + GATHER
    return max(soonest, last_told + QUIET) if last_told else soonest
