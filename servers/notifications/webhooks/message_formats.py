"""The formats of webhook messages: JSON for programs, and a sentence for chats and for rooms of Matrix.

Slack and Mattermost take a JSON object with a text, Matrix the content of an event of the type m.room.message.
"""

import html
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
    """What a message contains in any format.

    data: of format_event_message; sentence and link: of format_chat_message and format_matrix_message.
    """

    happening: str
    topic: str
    at: datetime
    data: Mapping[str, object]
    sentence: str
    link: str


def format_message(message: WebhookMessage, message_format: WebhookFormat) -> str:
    """The JSON text of the message in this format."""
    if message_format == WebhookFormat.EVENTS:
        return format_event_message(message.happening, message.topic, message.at, message.data)
    return format_sentence_with_link(message.sentence, message.link, message_format)


def format_sentence_with_link(sentence: str, link: str, message_format: WebhookFormat) -> str:
    """The JSON text of a message for people."""
    format_text = format_matrix_message if message_format == WebhookFormat.MATRIX else format_chat_message
    return format_text(sentence, link)


def format_event_message(happening: str, topic: str, at: datetime, data: Mapping[str, object]) -> str:
    """{"type", "topic", "timestamp", "data"} for programs."""
    return json.dumps({"type": happening, "topic": topic, "timestamp": at.isoformat(), "data": data})


def format_chat_message(sentence: str, link: str) -> str:
    """{"text": the sentence as one line that chats show as it is, and the link}."""
    plain = _make_line(sentence).translate(ESCAPED).replace("](", f"]{SPACE}(")
    return json.dumps({"text": f"{plain} {link}"})


def format_matrix_message(sentence: str, link: str) -> str:
    """The content of an event of the type m.room.message: plain text and HTML, which mention nobody.

    The type m.text, as clients notify nobody of notices. The plain text ends with the link.
    """
    line = _make_line(sentence)
    formatted = f'{html.escape(line)}<br><a href="{html.escape(link)}">Open the page</a>'
    content = {"format": "org.matrix.custom.html", "formatted_body": formatted, "m.mentions": {}}
    return json.dumps({"msgtype": "m.text", "body": f"{line} {link}", **content})


def detect_message_format(body: str) -> WebhookFormat:
    """For which format format_message wrote a message."""
    content = json.loads(body)
    if "msgtype" in content:
        return WebhookFormat.MATRIX
    return WebhookFormat.CHAT if "text" in content else WebhookFormat.EVENTS


def _make_line(sentence: str) -> str:
    """The sentence as one line that calls nobody."""
    return clip_text_replacing_unprintable(" ".join(sentence.split()), LONGEST_TEXT).replace("@", f"@{SPACE}")
