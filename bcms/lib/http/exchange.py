"""The state of one HTTP exchange while it runs: its deadline, its phases, and how to abort it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bcms.lib.http.errors import make_aborted_error

KEPT_BYTES = 64 * 1024


def _permit_sending() -> None:
    """Nothing has to be checked before the request is sent."""


@dataclass(slots=True)
class Exchange:
    """One exchange, filled in while it runs, so that it also describes a failed one.

    phases: seconds spent in resolve, connect, tls, send, wait (from the last byte sent to the first received) and
    transfer. request and received: the first 64 KiB of the request and of the decompressed body. request_sent: the
    whole request was sent. received_bytes: of the latest answer as sent, with its headers. before_send is called when
    the connection stands, just before the first byte of each request; what it raises ends the exchange. Other threads
    may read it; only request_permitted_url writes.
    """

    before_send: Callable[[], None] = field(default=_permit_sending, repr=False)
    phases: dict[str, float] = field(default_factory=dict)
    request: bytes = b""
    received: bytes = b""
    request_sent: bool = False
    received_bytes: int = 0
    last_received: float = 0.0
    aborted: bool = False
    _stop: Callable[[], None] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def abort(self) -> None:
        """End the exchange at once, from any thread: request_permitted_url raises HttpError(ABORTED), even if it starts
        later.
        """
        with self._lock:
            self.aborted = True
            stop = self._stop
        if stop is not None:
            stop()

    def register_stop(self, stop: Callable[[], None]) -> None:
        """Set what wakes the thread that is about to block. Raises HttpError(ABORTED) when already aborted."""
        with self._lock:
            self._stop = stop
            if self.aborted:
                raise make_aborted_error()

    def record_request(self, request: bytes) -> None:
        self.request = request[:KEPT_BYTES]
        self.received = b""
        self.request_sent = False
        self.received_bytes = 0

    def record_received_bytes(self, count: int) -> None:
        self.received_bytes += count
        self.last_received = time.monotonic()

    @property
    def seconds_since_last_byte(self) -> float:
        """Seconds since the last byte of the answer, 0 if there is none."""
        return time.monotonic() - self.last_received if self.received_bytes else 0.0

    def add_phase_seconds(self, phase: str, seconds: float) -> None:
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
            self.add_phase_seconds(name, time.monotonic() - started)

    def unregister_stop(self) -> None:
        with self._lock:
            self._stop = None
