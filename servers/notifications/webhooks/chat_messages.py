"""The messages of webhooks of servers for people: in chats and rooms of Matrix."""

from servers.calls.secret_masking import mask_secrets
from servers.notifications.events import EventType, WebhookFormat
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.message_formats import format_sentence_with_link
from servers.notifications.webhooks.webhook_messages import NotificationEvent, count_ended_calls_by_state
from servers.notifications.wording import choose_advice, format_event_sentence, format_queue_name
from servers.registry.models import Server


def build_chat_message_json(
    server: Server, event: NotificationEvent, message_format: WebhookFormat = WebhookFormat.CHAT
) -> str:
    """What happened, what the team should do, and the page of the server; no article is named."""
    sentence = f"{server.name}: {_format_event(event)}"
    return format_sentence_with_link(sentence, build_site_url("server", server.slug), message_format)


def _format_event(event: NotificationEvent) -> str:
    reason, queue = mask_secrets(event.reason), event.queue
    if event.happening == EventType.TEST:
        return reason
    mode, label = (queue.mode, format_queue_name(queue.mode, queue.name)) if queue else ("", "")
    counts = count_ended_calls_by_state(queue) if queue and event.happening == EventType.QUEUE_DONE else {}
    sentence = format_event_sentence(event.happening, 1, label, reason, counts)
    return f"{sentence} {choose_advice(event.happening, mode)}".strip()
