"""Pace requests to one service, and read when to retry."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from bcms.lib.http.errors import HttpFault

RETRIED_STATUSES = {429, 500, 502, 503, 504}
# Retrying does not help with these.
LASTING_FAULTS = {
    HttpFault.BAD_URL,
    HttpFault.NAME_NOT_FOUND,
    HttpFault.BLOCKED_ADDRESS,
    HttpFault.TLS,
    HttpFault.TOO_LARGE,
    HttpFault.REDIRECT,
}
WaitForTurn = Callable[[], None]


class ProcessPace:
    """Called before each request of one process: waits so that there are at most per_second requests a second."""

    def __init__(self, per_second: float) -> None:
        self.pause = 1 / per_second
        self.last_request = -self.pause

    def __call__(self) -> None:
        time.sleep(max(0.0, self.last_request + self.pause - time.monotonic()))
        self.last_request = time.monotonic()


def parse_retry_after_seconds_or_zero(header: str, reply_date: str = "") -> float:
    """The seconds that a Retry-After header asks to wait; 0 when it is missing, malformed or in the past.

    The header has seconds or an HTTP date (RFC 9110, section 10.2.3). A date is compared with reply_date, the reply's
    Date header, so that a wrong clock of the server does not matter; without one, with our clock.
    """
    header = header.strip()
    if header.isascii() and header.isdecimal():
        return float(header) if len(header) < 7 else 0.0
    end = _parse_http_date(header)
    if end is None:
        return 0.0
    return max((end - (_parse_http_date(reply_date) or datetime.now(UTC))).total_seconds(), 0.0)


def _parse_http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date
