"""Asked to stop: by Ctrl-C, by a signal, or because nobody reads what is printed any more (`make demo | head`).

A signal only leaves a mark, and the launcher looks for it where it waits, so that no child is lost between its start
and its being written down.
"""

import contextlib
import os
import select
import signal
import sys
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STEP = 0.1


class StopAsked(KeyboardInterrupt):
    """Stop everything, quietly."""


class StopRequest:
    def __init__(self) -> None:
        self.times = 0

    def listen(self) -> None:
        for number in SIGNALS:
            signal.signal(number, self.ask)

    def ask(self, *_: object) -> None:
        self.times += 1

    def check(self) -> None:
        if self.times or reader_gone():
            raise StopAsked

    def wait(self, seconds: float = STEP) -> None:
        """Sleep; raises StopAsked as soon as that is so."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self.check()
            time.sleep(min(STEP, left))
        self.check()

    def again(self) -> bool:
        """Whether somebody asked a second time, who will not wait for a clean end."""
        return self.times > 1


def reader_gone() -> bool:
    """Whether standard output is a pipe whose other end is closed."""
    poll = select.poll()
    with contextlib.suppress(ValueError, OSError):
        poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def say(line: str = "") -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:
        # Python would complain once more at its own end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise StopAsked from None
