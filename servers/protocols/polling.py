"""Where and when to poll for the answer of a server that has accepted a request, within bounds."""

from urllib.parse import urljoin

from bcms.lib.http.errors import HttpError
from bcms.lib.http.messages import HttpReply, parse_http_url
from servers.calls import diagnosis

FIRST_POLL_WAIT, LONGEST_POLL_WAIT = 2.0, 60.0


def resolve_task_url(reply: HttpReply, location: str) -> str:
    """The absolute URL of a location, which may be relative to the reply's. Raises CallError when it is invalid."""
    try:
        return parse_http_url(urljoin(reply.url, location)).url
    except ValueError as error:
        raise diagnosis.diagnose_bad_task_url("its host is malformed") from error
    except HttpError as error:
        raise diagnosis.diagnose_bad_task_url(str(error)) from error


def read_retry_after_or_default_wait(reply: HttpReply) -> float:
    """Seconds until the next poll, from the reply's Retry-After header; the default without one in seconds."""
    header = reply.headers.get("Retry-After", "").strip()
    return clamp_poll_wait(float(header)) if header.isascii() and header.isdigit() else FIRST_POLL_WAIT


def clamp_poll_wait(seconds: float) -> float:
    return min(max(seconds, 1.0), LONGEST_POLL_WAIT)
