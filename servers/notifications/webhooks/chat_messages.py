"""The messages of webhooks for chats: Slack, Mattermost and the bridges of Matrix take a JSON object with a text."""

import json

from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls.secret_masking import mask_secrets
from servers.notifications.events import EventType
from servers.notifications.site_links import build_site_url
from servers.notifications.webhooks.webhook_messages import NotificationEvent, count_ended_calls_by_state
from servers.notifications.wording import choose_advice, format_event_sentence, format_queue_name
from servers.registry.models import Server

LONGEST_TEXT = 2000
# Slack reads <!channel> as a call to everybody there, and <https://...|text> as a link.
ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Mattermost and Matrix read @channel and @room as such a call, and [text](https://...) as a link: names that others
# choose, of servers, challenges and corpora, do neither, as an invisible space is in between.
SPACE = "\N{ZERO WIDTH SPACE}"


def build_chat_message_json(server: Server, event: NotificationEvent) -> str:
    """{"text": what happened, what the team should do, and the page of the server}; no article is named."""
    text = _write_plainly(f"{server.name}: {_format_event(event)}")
    return json.dumps({"text": f"{text} {build_site_url('server', server.slug)}"})


def _write_plainly(text: str) -> str:
    """The text as one line that chats show as it is."""
    line = clip_text_replacing_unprintable(" ".join(text.split()), LONGEST_TEXT)
    return line.translate(ESCAPED).replace("@", f"@{SPACE}").replace("](", f"]{SPACE}(")


def _format_event(event: NotificationEvent) -> str:
    reason, queue = mask_secrets(event.reason), event.queue
    if event.happening == EventType.TEST:
        return reason
    mode, label = (queue.mode, format_queue_name(queue.mode, queue.name)) if queue else ("", "")
    counts = count_ended_calls_by_state(queue) if queue and event.happening == EventType.QUEUE_DONE else {}
    sentence = format_event_sentence(event.happening, 1, label, reason, counts)
    return f"{sentence} {choose_advice(event.happening, mode)}".strip()
