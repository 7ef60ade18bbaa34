"""What the reply of a homeserver to a message means: whether it is in the room, what to do, and how long to wait.

Source: Matrix client-server API 1.11, "Standard error response" and "Rate limiting".
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bcms.lib.http.messages import HttpReply
from bcms.lib.http.pacing import parse_retry_after_seconds_or_zero
from bcms.lib.json_input import JsonInputError, parse_bounded_json

# However long a homeserver asks for.
LONGEST_PAUSE = timedelta(days=1)
NO_HOMESERVER = "This is not the answer of a Matrix homeserver. Correct the homeserver's URL."
NOT_LOGGED_IN = "The homeserver does not accept the access token. Create a new one and enter it."
NOT_IN_ROOM = (
    "The account of the access token may not write in this room. Check the room ID, invite the account, accept the "
    "invitation with it, and let it send messages."
)
UNKNOWN_ROOM = "The homeserver does not know this room. Correct the room ID."
TOO_MANY = "The homeserver accepts no more messages from this account for now. The next attempt waits for that."


@dataclass(frozen=True, slots=True)
class HomeserverVerdict:
    """advice: "" if the message is in the room, or if the status says all; pause: how long to send nothing."""

    advice: str = ""
    pause: timedelta = timedelta(0)


def explain_homeserver_reply(reply: HttpReply) -> HomeserverVerdict:
    content = _parse_object(reply.body)
    match reply.status:
        case status if 200 <= status < 300:
            return HomeserverVerdict("" if isinstance(content.get("event_id"), str) else NO_HOMESERVER)
        case 401:
            return HomeserverVerdict(NOT_LOGGED_IN)
        case 403:
            return HomeserverVerdict(NOT_IN_ROOM)
        case 404:
            return HomeserverVerdict(UNKNOWN_ROOM if content.get("errcode") == "M_NOT_FOUND" else NO_HOMESERVER)
        case 429:
            return HomeserverVerdict(TOO_MANY, _read_pause(reply, content))
        case _:
            return HomeserverVerdict()


def _parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object of the body, {} if it is something else, such as the page of a web server."""
    try:
        content = parse_bounded_json(body)
    except JsonInputError:
        return {}
    return content if isinstance(content, dict) else {}


def _read_pause(reply: HttpReply, content: dict[str, Any]) -> timedelta:
    """What Retry-After or, from homeservers before version 1.10 of the API, retry_after_ms asks for."""
    headers = reply.headers
    seconds = parse_retry_after_seconds_or_zero(headers.get("Retry-After", ""), headers.get("Date", ""))
    milliseconds = content.get("retry_after_ms")
    longest = LONGEST_PAUSE.total_seconds()
    if isinstance(milliseconds, int | float):
        seconds = max(seconds, min(milliseconds, longest * 1000) / 1000)
    return timedelta(seconds=min(seconds, longest))
