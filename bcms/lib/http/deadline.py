"""The time limit of one request, from looking up the name to the last byte read."""

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

    def make_deadline_error(self) -> HttpError:
        return HttpError(HttpFault.DEADLINE, f"The time limit of {self.seconds:g} s passed")
