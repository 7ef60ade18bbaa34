"""Pace requests to one service, and read when to retry."""

import time
from collections.abc import Callable

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


def parse_retry_after_seconds_or_zero(header: str) -> float:
    """The seconds in a Retry-After header; 0 when it is missing, or a date, which NCBI does not send."""
    return float(header) if header.isdecimal() and len(header) < 7 else 0.0
