"""Where a message for a room of Matrix is sent: the URL of the homeserver, the ID of the room, and both in one URL."""

import re
from urllib.parse import quote, urlsplit

# Rooms of version 12 and later have no server name in their IDs.
ROOM_ID = re.compile(r"![\x21-\x7e]{1,254}", re.ASCII)
ACCESS_TOKEN = re.compile(r"[\x21-\x7e]{8,2000}", re.ASCII)
WHERE_ROOM_ID_IS = "In Element, it is in the room's settings under Advanced."


def explain_unusable_homeserver(url: str) -> str:
    """What is wrong with a well-formed URL of a homeserver, or ""."""
    parts = urlsplit(url)
    if "/_matrix" in parts.path or parts.query or parts.fragment:
        return "Enter only the address of the homeserver, for example https://matrix.example.org."
    return ""


def explain_unusable_room(room: str) -> str:
    """What is wrong with the ID of a room, or ""."""
    if room.startswith("#"):
        return f"This is an address of a room. Enter the room's internal ID, which begins with “!”. {WHERE_ROOM_ID_IS}"
    if not ROOM_ID.fullmatch(room):
        return f"Enter the room's internal ID, for example !abc123:example.org. {WHERE_ROOM_ID_IS}"
    return ""


def explain_unusable_token(token: str) -> str:
    """What is wrong with an access token, or ""; the token is not quoted."""
    if not ACCESS_TOKEN.fullmatch(token):
        return "An access token has 8 to 2,000 printable ASCII characters without spaces. Copy it again."
    return ""


def build_event_url(homeserver: str, room: str, transaction_id: str) -> str:
    """The URL to which a message is PUT. A homeserver stores one message for each transaction ID of a token.

    Source: Matrix client-server API 1.11, PUT /_matrix/client/v3/rooms/{roomId}/send/{eventType}/{txnId}.
    """
    segments = ("rooms", room, "send", "m.room.message", transaction_id)
    path = "/".join(quote(segment, safe="") for segment in segments)
    return f"{homeserver.rstrip('/')}/_matrix/client/v3/{path}"
