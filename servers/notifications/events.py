"""The events of servers and challenges for which there are notifications, and the topics that users choose."""

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
    MATRIX = "matrix"


TOPIC_BY_EVENT_TYPE = {
    EventType.SERVER_FAILED: Topic.FAIL,
    EventType.QUEUE_STOPPED: Topic.FAILURE,
    EventType.SERVER_UNREACHED: Topic.FAILURE,
    EventType.ARTICLE_FAILED: Topic.FAILURE,
    EventType.QUEUE_DONE: Topic.COMPLETED,
    EventType.SERVER_REVIEWED: Topic.REVIEW,
}


class WebhookOwnerType(StrEnum):
    SERVER = "server"
    TEAM = "team"
    CHALLENGE = "challenge"


class ChallengeTopic(StrEnum):
    """What the webhooks of teams and challenges choose."""

    ENTRY = "entry"
    RUN = "run"
    PHASE = "phase"
    NEWS = "news"
    FILE = "file"


class ChallengeEvent(StrEnum):
    TEAM_ASKED = "team-asked"
    TEAM_APPROVED = "team-approved"
    TEAM_REFUSED = "team-refused"
    RUN_UPLOADED = "run-uploaded"
    RUN_SCORED = "run-scored"
    RUN_REFUSED = "run-refused"
    RUN_FAILED = "run-failed"
    PHASE_BEGUN = "phase-begun"
    PHASE_ENDED = "phase-ended"
    PHASE_CHANGED = "phase-changed"
    PHASE_PUBLISHED = "phase-published"
    ANNOUNCED = "announced"
    FILE_STORED = "file-stored"
    FILE_REFUSED = "file-refused"


TOPIC_BY_CHALLENGE_EVENT = {
    ChallengeEvent.TEAM_ASKED: ChallengeTopic.ENTRY,
    ChallengeEvent.TEAM_APPROVED: ChallengeTopic.ENTRY,
    ChallengeEvent.TEAM_REFUSED: ChallengeTopic.ENTRY,
    ChallengeEvent.RUN_UPLOADED: ChallengeTopic.RUN,
    ChallengeEvent.RUN_SCORED: ChallengeTopic.RUN,
    ChallengeEvent.RUN_REFUSED: ChallengeTopic.RUN,
    ChallengeEvent.RUN_FAILED: ChallengeTopic.RUN,
    ChallengeEvent.PHASE_BEGUN: ChallengeTopic.PHASE,
    ChallengeEvent.PHASE_ENDED: ChallengeTopic.PHASE,
    ChallengeEvent.PHASE_CHANGED: ChallengeTopic.PHASE,
    ChallengeEvent.PHASE_PUBLISHED: ChallengeTopic.PHASE,
    ChallengeEvent.ANNOUNCED: ChallengeTopic.NEWS,
    ChallengeEvent.FILE_STORED: ChallengeTopic.FILE,
    ChallengeEvent.FILE_REFUSED: ChallengeTopic.FILE,
}


class DeliveryState(StrEnum):
    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"
