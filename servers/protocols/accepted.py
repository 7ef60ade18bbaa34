"""Where and when to ask for the answer of a server that has accepted the question: what it says, within bounds."""

from urllib.parse import urljoin

from bcms.lib.http import HttpError, Reply, parse_url
from servers import diagnosis

FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0


def place_of(reply: Reply, said: str) -> str:
    """The URL that a reply names, whole or relative to its own. CallError when nothing can be asked there."""
    try:
        return parse_url(urljoin(reply.url, said)).url
    except ValueError as error:
        raise diagnosis.bad_place("its host is not well formed") from error
    except HttpError as error:
        raise diagnosis.bad_place(str(error)) from error


def wait_of(reply: Reply) -> float:
    """Seconds until the task is to be asked for, by the Retry-After of a reply."""
    said = reply.headers.get("Retry-After", "").strip()
    return within_bounds(float(said)) if said.isascii() and said.isdigit() else FIRST_WAIT


def within_bounds(seconds: float) -> float:
    return min(max(seconds, 1.0), LONGEST_WAIT)
