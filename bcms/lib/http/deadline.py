"""The time limit of one request, from looking up the name to the last byte read, and that of its connection."""

import time

from bcms.lib.http.errors import HttpError, HttpFault


class Deadline:
    """The end of the time for one request_permitted_url call."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def require_remaining(self) -> float:
        """The remaining seconds, above 0. Raises HttpError(DEADLINE) when there are none."""
        remaining = self.end - time.monotonic()
        if remaining <= 0:
            raise self.make_deadline_error()
        return remaining

    def limit_connecting(self, connect_seconds: float | None) -> "Deadline":
        """The deadline for a connection that may take so many seconds from now on; None: as long as the request."""
        if connect_seconds is None or time.monotonic() + connect_seconds >= self.end:
            return self
        return _ConnectDeadline(connect_seconds)

    def make_deadline_error(self) -> HttpError:
        return HttpError(HttpFault.DEADLINE, f"The time limit of {self.seconds:g} s passed")


class _ConnectDeadline(Deadline):
    def make_deadline_error(self) -> HttpError:
        return HttpError(
            HttpFault.CONNECT_LIMIT, f"There was no connection within the connect limit of {self.seconds:g} s"
        )
