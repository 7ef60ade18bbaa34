"""What happens to a server that people and programs may be told of, by topic: each topic is a choice."""

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


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"
