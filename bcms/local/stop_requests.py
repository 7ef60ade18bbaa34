"""Requests to stop: Ctrl-C, a signal, or a closed standard output (`make demo | head`).

A signal handler only counts, and the launcher checks the count where it waits, so that no child is lost between its
start and its record.
"""

import contextlib
import os
import select
import signal
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STEP_SECONDS = 0.1


class StopRequested(KeyboardInterrupt):
    """The launcher should stop without an error message."""


class StopSignals:
    """Counts the signals that ask the launcher to stop."""

    def __init__(self) -> None:
        self.count = 0

    def install_handlers(self) -> None:
        for number in SIGNALS:
            signal.signal(number, self.record_signal)

    def record_signal(self, *_: object) -> None:
        self.count += 1

    def raise_if_asked(self) -> None:
        if self.count or _is_stdout_closed():
            raise StopRequested

    def wait_or_raise_if_asked(self, seconds: float = STEP_SECONDS) -> None:
        """Sleep; raises StopRequested as soon as a stop is requested."""
        deadline = time.monotonic() + seconds
        while (remaining := deadline - time.monotonic()) > 0:
            self.raise_if_asked()
            time.sleep(min(STEP_SECONDS, remaining))
        self.raise_if_asked()

    def is_repeated(self) -> bool:
        """Whether a second signal came, which means to stop at once."""
        return self.count > 1


def _is_stdout_closed() -> bool:
    """Whether standard output is a pipe whose reader has closed it."""
    poll = select.poll()
    with contextlib.suppress(ValueError, OSError):
        poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def print_or_stop_on_broken_pipe(line: str = "") -> None:
    """Print a line; raises StopRequested when nobody reads standard output any more."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        # Otherwise Python would report the broken pipe again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise StopRequested from None
