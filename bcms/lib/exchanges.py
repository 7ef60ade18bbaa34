"""What is known of one exchange with somebody else's server while it goes on, and the one error it can end with."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from bcms.lib.foreign import bounded

KEPT_BYTES = 64 * 1024
LONGEST_DETAIL = 300


class HttpFault(StrEnum):
    BAD_URL = "bad-url"
    NAME_NOT_FOUND = "name-not-found"
    BLOCKED_ADDRESS = "blocked-address"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TLS = "tls"
    DEADLINE = "deadline"
    CUT_OFF = "cut-off"
    NOT_HTTP = "not-http"
    TOO_LARGE = "too-large"
    REDIRECT = "redirect"
    ABORTED = "aborted"


class HttpError(Exception):
    """A request that got no usable answer: message says what happened, detail holds the other side's words.

    Not an OSError, so that no layer between takes it for a failure of the network.
    """

    def __init__(self, kind: HttpFault, message: str, detail: str = "") -> None:
        self.kind = kind
        self.message = message
        self.detail = bounded(detail, LONGEST_DETAIL)
        super().__init__(f"{message}: {self.detail}." if self.detail else f"{message}.")


class Deadline:
    """The end of all the time that one fetch may take."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds left, more than 0; raises HttpError(DEADLINE) when there are none."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> HttpError:
        return HttpError(HttpFault.DEADLINE, f"The time limit of {self.seconds:g} s passed")


@dataclass(slots=True)
class Exchange:
    """One exchange, filled in while it goes on, so that it tells what is known also after a failure.

    phases: seconds spent in resolve, connect, tls, send, wait (from the last byte sent to the first received) and
    transfer. request and received: the first 64 KiB of the request as it was made and of the decompressed body.
    request_sent: the last byte of the request went out. May be read by other threads; only fetch writes.
    """

    phases: dict[str, float] = field(default_factory=dict)
    request: bytes = b""
    received: bytes = b""
    request_sent: bool = False
    aborted: bool = False
    _stop: Callable[[], None] | None = field(default=None, repr=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def abort(self) -> None:
        """End the exchange at once, from any thread: fetch raises HttpError(ABORTED), also when it begins later."""
        with self._guard:
            self.aborted = True
            stop = self._stop
        if stop is not None:
            stop()

    def stop_by(self, stop: Callable[[], None]) -> None:
        """What wakes the thread that is about to block; raises HttpError(ABORTED) when it should not block at all."""
        with self._guard:
            self._stop = stop
            if self.aborted:
                raise aborted()

    def begin(self, request: bytes) -> None:
        self.request = request[:KEPT_BYTES]
        self.received = b""
        self.request_sent = False

    def spend(self, phase: str, seconds: float) -> None:
        self.phases[phase] = self.phases.get(phase, 0.0) + seconds

    @property
    def rounded_phases(self) -> dict[str, float]:
        return {phase: round(seconds, 6) for phase, seconds in self.phases.items()}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self.spend(name, time.monotonic() - started)

    def end(self) -> None:
        with self._guard:
            self._stop = None


def aborted() -> HttpError:
    return HttpError(HttpFault.ABORTED, "The request was stopped from our side")
