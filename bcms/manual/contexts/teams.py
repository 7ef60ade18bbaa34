"""Context of the manual's page about teams and notifications: event types, intervals and an example webhook message."""

from bcms.manual.wait_formats import format_wait_in_seconds_or_minutes
from servers.notifications.events import TOPIC_BY_EVENT_TYPE
from servers.notifications.mail.mail_timing import DAILY_HOUR, GATHER
from servers.notifications.webhooks import delivery_requests, webhook_delivery
from servers.teams.invitations import INVITATION_VALIDITY

WEBHOOK_EXAMPLE = """{
  "type": "article-failed",
  "topic": "failure",
  "timestamp": "2026-03-02T09:00:00+00:00",
  "data": {
    "server": {
      "slug": "mine",
      "name": "Mine",
      "page": "https://…/servers/mine/"
    },
    "reason": "The connection was refused. Start the server, ….",
    "queue": {"id": 7, "mode": "live", "name": ""},
    "article": "16054130",
    "attempt": "https://…/servers/mine/attempts/812/"
  }
}"""

CHALLENGE_WEBHOOK_EXAMPLE = """{
  "type": "run-scored",
  "topic": "run",
  "timestamp": "2026-03-02T09:00:00+00:00",
  "data": {
    "challenge": {
      "slug": "example",
      "name": "Example",
      "page": "https://…/challenges/example/"
    },
    "team": {"slug": "ours", "name": "Ours", "page": "https://…/teams/ours/"},
    "phase": "training",
    "task": "GN",
    "run": {"id": 12, "name": "mine"},
    "text": "mine is scored: GN, training phase, Example.",
    "link": "https://…/runs/12/"
  }
}"""


def build_invitation_and_notification_context() -> dict[str, object]:
    return {
        "invitation_days": INVITATION_VALIDITY.days,
        "gather_interval": format_wait_in_seconds_or_minutes(GATHER),
        "daily_hour": DAILY_HOUR,
        "event_types": list(TOPIC_BY_EVENT_TYPE),
        "webhook_example": WEBHOOK_EXAMPLE,
        "challenge_webhook_example": CHALLENGE_WEBHOOK_EXAMPLE,
        "webhook_seconds": int(delivery_requests.DEADLINE),
        "webhook_waits": ", ".join(format_wait_in_seconds_or_minutes(wait) for wait in webhook_delivery.WAITS),
        "webhook_most_waiting": f"{webhook_delivery.MOST_WAITING:,}",
    }
