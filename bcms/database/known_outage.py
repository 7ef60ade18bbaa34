"""Remember in a process that the database cannot be reached, so that its threads do not all wait for that again.

While the last connection failed, one thread in ATTEMPT_SECONDS tries a new one. The others are refused at once; without
that, requests would queue for threads that wait, and each would wait for several of them.
"""

import threading
import time

ATTEMPT_SECONDS = 1.0


class KnownOutage:
    """Whether the last attempt to connect failed, and when the next one is due, in seconds of time.monotonic()."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.next_attempt: float | None = None

    def claim_attempt(self) -> bool:
        """Whether the calling thread shall try to connect."""
        now = time.monotonic()
        with self.lock:
            if self.next_attempt is None:
                return True
            if now < self.next_attempt:
                return False
            self.next_attempt = now + ATTEMPT_SECONDS
            return True

    def record_failure(self) -> None:
        with self.lock:
            self.next_attempt = time.monotonic() + ATTEMPT_SECONDS

    def record_success(self) -> None:
        with self.lock:
            self.next_attempt = None


known_outage = KnownOutage()
