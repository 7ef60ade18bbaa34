"""The messages of webhooks: a JSON body, and headers with signatures that prove its origin to the receiver.

They follow the Standard Webhooks specification 1.0.0, so that its libraries can verify them. The headers hold the id
of the message, the time of the try in seconds since 1970, and signatures: "v1," and the base64 of the HMAC-SHA256 of
id, time and body, joined by full stops. The key is the base64-decoded secret without its prefix "whsec_".
"""

import base64
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from servers.calls.article_names import get_article_name_for_server, is_blind_call
from servers.calls.masking import mask_secrets
from servers.calls.models import Call, Queue
from servers.calls.states import FINAL_CALLS
from servers.notifications.events import TOPIC_BY_EVENT_TYPE, EventType
from servers.notifications.site_links import build_site_url
from servers.registry.models import Server

SECRET_PREFIX = "whsec_"


@dataclass(frozen=True, slots=True)
class NotificationEvent:
    """An event of a server, and the queue and call that it concerns; secrets in reason are not masked yet."""

    happening: EventType
    at: datetime
    queue: Queue | None = None
    call: Call | None = None
    reason: str = ""


def count_ended_calls(queue: Queue) -> dict[str, int]:
    """The number of the queue's calls in each final state: 1 query."""
    ended = queue.calls.filter(state__in=sorted(FINAL_CALLS)).values_list("state").annotate(Count("pk"))
    return {state.value: 0 for state in sorted(FINAL_CALLS)} | dict(ended)


def build_message_body(server: Server, event: NotificationEvent) -> str:
    """The message as JSON. A blind article is identified by its opaque id only."""
    data: dict[str, object] = {
        "server": {"slug": server.slug, "name": server.name, "page": build_site_url("server", server.slug)},
        "reason": mask_secrets(event.reason),
    }
    if event.queue is not None:
        data["queue"] = build_queue_data(event.queue, with_counts=event.happening == EventType.QUEUE_DONE)
    if event.call is not None:
        data["article"] = get_article_name_for_server(event.call.article, blind=is_blind_call(event.call))
        data["attempt"] = build_attempt_url(event.call)
    topic = TOPIC_BY_EVENT_TYPE.get(event.happening, event.happening)
    return json.dumps({"type": event.happening, "topic": topic, "timestamp": event.at.isoformat(), "data": data})


def build_attempt_url(call: Call) -> str:
    """The URL of the page about the call's latest attempt: 2 queries, or 1 if the call's server is loaded."""
    return build_site_url("server-attempt", call.server.slug, call.attempts.latest("pk").pk)


def build_queue_data(queue: Queue, *, with_counts: bool) -> dict[str, object]:
    """A queue as part of a message, with the number of its calls by final state if wanted."""
    data: dict[str, object] = {"id": queue.pk, "mode": queue.mode, "name": queue.name}
    return data | {"articles": count_ended_calls(queue)} if with_counts else data


def sign_message(secret: str, identifier: str, seconds: int, body: bytes) -> str:
    """The signature of a message with this id that is sent at this time, in seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{identifier}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def build_signed_headers(secrets: list[str], identifier: str, seconds: int, body: bytes) -> Mapping[str, str]:
    """The headers of a message, with a signature for each secret, so that the receiver may know any of them."""
    return {
        "Content-Type": "application/json",
        "webhook-id": identifier,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(sign_message(secret, identifier, seconds, body) for secret in secrets),
    }
