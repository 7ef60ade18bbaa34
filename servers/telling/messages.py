"""What a webhook sends: a JSON body, and headers by which the receiver knows that it comes from us.

Both are as the Standard Webhooks specification 1.0.0 has them, so that its libraries can verify them: the id of the
message, the time of the try in seconds since 1970, and "v1," with the base64 of the HMAC-SHA256 of id, time and body,
a full stop between them, keyed with the bytes behind the secret's "whsec_".
"""

import base64
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count
from django.urls import reverse

from servers.masking import masked
from servers.models import Call, Queue, Server
from servers.naming import is_blind, name_of
from servers.states import FINAL_CALLS
from servers.topics import TOPIC_OF, Happening

SECRET_BEGINS = "whsec_"


@dataclass(frozen=True, slots=True)
class News:
    """One happening and what it concerns; reason is not yet masked."""

    happening: Happening
    at: datetime
    queue: Queue | None = None
    call: Call | None = None
    reason: str = ""


def site_link(name: str, *arguments: object) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=arguments)}"


def ended_calls(queue: Queue) -> dict[str, int]:
    """How many calls of the queue ended in which state: 1 query."""
    ended = queue.calls.filter(state__in=sorted(FINAL_CALLS)).values_list("state").annotate(Count("pk"))
    return {state.value: 0 for state in sorted(FINAL_CALLS)} | dict(ended)


def body_of(server: Server, news: News) -> str:
    """The message as JSON; a blind article has its opaque id in it, and nothing else that tells which one it is."""
    data: dict[str, object] = {
        "server": {"slug": server.slug, "name": server.name, "page": site_link("server", server.slug)},
        "reason": masked(news.reason),
    }
    if news.queue is not None:
        data["queue"] = about_queue(news.queue, counted=news.happening == Happening.QUEUE_DONE)
    if news.call is not None:
        data["article"] = name_of(news.call.article, blind=is_blind(news.call))
        data["attempt"] = link_to_attempt(news.call)
    topic = TOPIC_OF.get(news.happening, news.happening)
    return json.dumps({"type": news.happening, "topic": topic, "timestamp": news.at.isoformat(), "data": data})


def link_to_attempt(call: Call) -> str:
    """The page of the latest attempt: 2 queries, or 1 when the server is at hand."""
    return site_link("server-attempt", call.server.slug, call.attempts.latest("pk").pk)


def about_queue(queue: Queue, *, counted: bool) -> dict[str, object]:
    said: dict[str, object] = {"id": queue.pk, "mode": queue.mode, "name": queue.name}
    return said | {"articles": ended_calls(queue)} if counted else said


def signature(secret: str, identifier: str, seconds: int, body: bytes) -> str:
    """One signature of a message that is sent at this time."""
    key = base64.b64decode(secret.removeprefix(SECRET_BEGINS))
    signed = f"{identifier}.{seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def headers_of(secrets: list[str], identifier: str, seconds: int, body: bytes) -> Mapping[str, str]:
    """One signature for each secret, so that a receiver may have the old or the new one."""
    return {
        "Content-Type": "application/json",
        "webhook-id": identifier,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signature(secret, identifier, seconds, body) for secret in secrets),
    }
