"""The messages of webhooks of servers: JSON, which bcms/lib/http/message_signatures.py signs when they are sent."""

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.db.models import Count

from servers.calls.article_names import get_pmid_or_opaque_id, is_test_call_or_blind_article
from servers.calls.models import Call, Queue
from servers.calls.secret_masking import MASK, mask_secrets
from servers.calls.states import FINAL_CALLS
from servers.notifications.events import TOPIC_BY_EVENT_TYPE, EventType, WebhookFormat
from servers.notifications.models import Webhook
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.message_formats import format_event_message
from servers.registry.models import Server

# Shorter paths and their shorter parts could be ordinary words.
SHORTEST_MASKED, SHORTEST_SECRET = 8, 16


@dataclass(frozen=True, slots=True)
class NotificationEvent:
    """An event of a server, and the queue and call that it concerns; secrets in reason are not masked yet."""

    happening: EventType
    at: datetime
    queue: Queue | None = None
    call: Call | None = None
    reason: str = ""


def count_ended_calls_by_state(queue: Queue) -> dict[str, int]:
    """The number of the queue's calls in each final state: 1 query."""
    ended = queue.calls.filter(state__in=sorted(FINAL_CALLS)).values_list("state").annotate(Count("pk"))
    return {state.value: 0 for state in sorted(FINAL_CALLS)} | dict(ended)


def build_masked_webhook_message_json(server: Server, event: NotificationEvent) -> str:
    """The message as JSON. A blind article is identified by its opaque id only."""
    data: dict[str, object] = {
        "server": {"slug": server.slug, "name": server.name, "page": build_site_url("server", server.slug)},
        "reason": mask_secrets(event.reason),
    }
    if event.queue is not None:
        data["queue"] = _build_queue_data(event.queue, with_counts=event.happening == EventType.QUEUE_DONE)
    if event.call is not None:
        data["article"] = get_pmid_or_opaque_id(event.call.article, blind=is_test_call_or_blind_article(event.call))
        data["attempt"] = build_latest_attempt_url(event.call)
    topic = TOPIC_BY_EVENT_TYPE.get(event.happening, event.happening)
    return format_event_message(event.happening, topic, event.at, data)


def build_latest_attempt_url(call: Call) -> str:
    """The URL of the page about the call's latest attempt: 2 queries, or 1 if the call's server is loaded."""
    return build_site_url("server-attempt", call.server.slug, call.attempts.latest("pk").pk)


def _build_queue_data(queue: Queue, *, with_counts: bool) -> dict[str, object]:
    """A queue as part of a message, with the number of its calls by final state if wanted."""
    data: dict[str, object] = {"id": queue.pk, "mode": queue.mode, "name": queue.name}
    return data | {"articles": count_ended_calls_by_state(queue)} if with_counts else data


def mask_webhook_url(webhook: Webhook) -> str:
    """The URL for members and lists; of a chat without its path, with which everybody could write there.

    With the room if it is the URL of a homeserver.
    """
    if webhook.format != WebhookFormat.CHAT:
        return f"{mask_secrets(webhook.url)} {webhook.room}".strip()
    parts = urlsplit(webhook.url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/{MASK}"


def mask_chat_path(webhook: Webhook, text: str) -> str:
    """The text without the path and query of the URL of a chat, which receivers repeat in answers to wrong requests."""
    parts = urlsplit(webhook.url)
    if webhook.format != WebhookFormat.CHAT:
        return text
    wholes = [each for each in (f"{parts.path}?{parts.query}", parts.path, parts.query) if len(each) >= SHORTEST_MASKED]
    for secret in [*wholes, *_list_long_parts(f"{parts.path}/{parts.query}")]:
        # In JSON, slashes may be escaped.
        text = text.replace(secret, MASK).replace(secret.replace("/", "\\/"), MASK)
    return text


def _list_long_parts(path_and_query: str) -> list[str]:
    return [part for part in re.split("[/?&=]", path_and_query) if len(part) >= SHORTEST_SECRET]
