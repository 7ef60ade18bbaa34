"""The two formats of webhook messages: JSON for programs, and a sentence for chats.

Slack, Mattermost and the bridges of Matrix take a JSON object with a text.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bcms.lib.text import clip_text_replacing_unprintable
from servers.notifications.events import WebhookFormat

LONGEST_TEXT = 2000
# Slack reads <!channel> as a call to everybody there, and <https://...|text> as a link.
ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# Mattermost and Matrix read @channel and @room as such a call, and [text](https://...) as a link: names that others
# choose, of servers, challenges and corpora, do neither, as an invisible space is in between.
SPACE = "\N{ZERO WIDTH SPACE}"


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """What a message contains in either format.

    data: of format_event_message; sentence and link: of format_chat_message.
    """

    happening: str
    topic: str
    at: datetime
    data: Mapping[str, object]
    sentence: str
    link: str


def format_message(message: WebhookMessage, message_format: WebhookFormat) -> str:
    """The JSON text of the message in this format."""
    if message_format == WebhookFormat.CHAT:
        return format_chat_message(message.sentence, message.link)
    return format_event_message(message.happening, message.topic, message.at, message.data)


def format_event_message(happening: str, topic: str, at: datetime, data: Mapping[str, object]) -> str:
    """{"type", "topic", "timestamp", "data"} for programs."""
    return json.dumps({"type": happening, "topic": topic, "timestamp": at.isoformat(), "data": data})


def format_chat_message(sentence: str, link: str) -> str:
    """{"text": the sentence as one line that chats show as it is, and the link}."""
    line = clip_text_replacing_unprintable(" ".join(sentence.split()), LONGEST_TEXT)
    plain = line.translate(ESCAPED).replace("@", f"@{SPACE}").replace("](", f"]{SPACE}(")
    return json.dumps({"text": f"{plain} {link}"})
