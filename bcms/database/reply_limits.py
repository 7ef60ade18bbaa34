"""For how long a thread waits for a reply of the database: pages get a limit of their own, others that of the process.

A backend that has stopped cannot end its own statement, so the limit is on our side: one thread of the process looks
at the statements under way and shuts down the sockets of those that are overdue. The waiting thread then gets an
OperationalError, and the server ends the statement when it notices. psycopg2's own hook, set_wait_callback, is of no
use here: with it, COPY is refused.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg2

# How often overdue statements are looked for, and after how long without any the thread ends.
PAUSE_SECONDS = 0.2
IDLE_SECONDS = 30.0
# Far above what one statement of a worker or command takes, so that only a database that has stopped exceeds it.
WORKER_SECONDS = 1800.0
COMMAND_SECONDS = 86_400.0


class _ThreadLimit(threading.local):
    seconds: float | None = None


class _ProcessLimit:
    seconds: float | None = None


_thread_limit, _process_limit = _ThreadLimit(), _ProcessLimit()


def get_limit_of_thread() -> float | None:
    """The seconds that this thread waits for a reply; None if it has no limit of its own."""
    return _thread_limit.seconds


def set_limit_of_thread(seconds: float | None) -> None:
    _thread_limit.seconds = seconds


def set_limit_of_process(seconds: float | None) -> None:
    """Limit the threads that have no limit of their own, and those of processes that are forked from this one."""
    _process_limit.seconds = seconds


@contextlib.contextmanager
def shorten_limit_of_thread(seconds: float) -> Iterator[None]:
    """Wait at most this long inside, if the thread has a limit of its own."""
    before = _thread_limit.seconds
    _thread_limit.seconds = None if before is None else min(seconds, before)
    try:
        yield
    finally:
        _thread_limit.seconds = before


class Wait:
    """A statement under way, whose connection is shut down when its reply takes longer than the limit."""

    __slots__ = ("connection", "deadline", "is_overdue", "seconds")

    def __init__(self, connection: Any, seconds: float) -> None:
        self.connection, self.seconds, self.is_overdue = connection, seconds, False
        self.deadline = time.monotonic() + seconds

    def __enter__(self) -> None:
        _watch.add(self)

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        _watch.remove(self)
        if self.is_overdue and isinstance(error, psycopg2.Error):
            raise psycopg2.OperationalError(f"The database did not reply within {self.seconds:g} s.") from error


def limit_reply(connection: Any) -> contextlib.AbstractContextManager[None]:
    """Limit what is sent on the psycopg2 connection inside; raises psycopg2.OperationalError after the limit."""
    seconds = _process_limit.seconds if _thread_limit.seconds is None else _thread_limit.seconds
    return NO_LIMIT if seconds is None else Wait(connection, seconds)


NO_LIMIT = contextlib.nullcontext()


class ReplyWatch:
    """The statements under way in this process, and the thread that shuts down the connections of overdue ones."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Watch nothing. In a child process, the lock may be held by a thread that only its parent has."""
        self.lock = threading.Lock()
        self.waits: set[Wait] = set()
        self.thread: threading.Thread | None = None

    def add(self, wait: Wait) -> None:
        with self.lock:
            self.waits.add(wait)
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self._watch_until_idle, name="database-replies", daemon=True)
                self.thread.start()

    def remove(self, wait: Wait) -> None:
        with self.lock:
            self.waits.discard(wait)

    def _watch_until_idle(self) -> None:
        busy = time.monotonic()
        while True:
            time.sleep(PAUSE_SECONDS)
            now = time.monotonic()
            # The lock keeps a connection from being used for anything else meanwhile.
            with self.lock:
                if self.waits:
                    busy = now
                elif now - busy > IDLE_SECONDS:
                    self.thread = None
                    return
                for wait in [each for each in self.waits if each.deadline <= now]:
                    self.waits.remove(wait)
                    wait.is_overdue = True
                    _shut_down(wait.connection)


def _shut_down(connection: Any) -> None:
    """Make the thread that waits on the socket of the connection read its end."""
    with (
        contextlib.suppress(psycopg2.InterfaceError, OSError),
        socket.socket(fileno=os.dup(connection.fileno())) as own,
    ):
        own.shutdown(socket.SHUT_RDWR)


_watch = ReplyWatch()
os.register_at_fork(after_in_child=_watch.begin)
