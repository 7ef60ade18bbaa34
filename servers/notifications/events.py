"""The events of a server for which there are notifications, and the topics to which users can subscribe."""

from enum import StrEnum


class Topic(StrEnum):
    FAILURE = "failure"
    COMPLETED = "completed"
    FAIL = "fail"
    REVIEW = "review"


class EventType(StrEnum):
    SERVER_FAILED = "server-failed"
    QUEUE_STOPPED = "queue-stopped"
    SERVER_UNREACHED = "server-unreached"
    ARTICLE_FAILED = "article-failed"
    QUEUE_DONE = "queue-done"
    SERVER_REVIEWED = "server-reviewed"
    # Sent on request, to test a webhook.
    TEST = "test"


class MailFrequency(StrEnum):
    AT_ONCE = "at-once"
    DAILY = "daily"


class WebhookFormat(StrEnum):
    EVENTS = "events"
    CHAT = "chat"


TOPIC_BY_EVENT_TYPE = {
    EventType.SERVER_FAILED: Topic.FAIL,
    EventType.QUEUE_STOPPED: Topic.FAILURE,
    EventType.SERVER_UNREACHED: Topic.FAILURE,
    EventType.ARTICLE_FAILED: Topic.FAILURE,
    EventType.QUEUE_DONE: Topic.COMPLETED,
    EventType.SERVER_REVIEWED: Topic.REVIEW,
}


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"
