"""The connections of a web worker: each has to make progress, or it is closed.

A thread sees a request only when it has been received completely, and hands over an answer without waiting for a client
that reads slowly. So clients that send or read slowly cost a socket and a buffer, but no thread.
"""

import json
import select
import time
from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import WSGITask
from waitress.utilities import Error

HEADER_SECONDS = 15.0
# A body or an answer may take this long, and then has to have moved at this rate on average.
TRANSFER_SECONDS = 30.0
BYTES_PER_SECOND = 2_000
MAX_CONNECTIONS = 1_000
# How long a worker that stops waits for the first bytes of a connection that it has just accepted.
FIRST_BYTES_SECONDS = 1.0
# The bytes of unfinished bodies that a worker keeps, in memory and in temporary files.
MAX_UNFINISHED_BODY_BYTES = 200_000_000
# A request that has waited for a thread for longer is refused. Whoever sent it may have left, and while requests come
# faster than they are answered, all would wait longer and longer.
MAX_WAITING_SECONDS = 10.0
RETRY_SECONDS = 5
BUSY_SENTENCE = f"The site has too many requests at the moment. Try again in {RETRY_SECONDS} seconds."
BUSY_PROBLEM = {
    "type": "about:blank",
    "title": "Service Unavailable",
    "status": 503,
    "code": "unavailable",
    "detail": BUSY_SENTENCE,
    "errors": [],
}
BUSY_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The site is busy</title>
<style>
:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }}
body {{ margin: 12vh auto; max-width: 36rem; padding: 1.5rem 2rem 2rem; border: 1px solid #8886; border-radius: 6px; }}
h1 {{ font: 600 1.75rem/1.25 Georgia, serif; margin: 0 0 .5rem; }}
</style>
<h1>The site is busy</h1>
<p>{BUSY_SENTENCE}</p>
</html>
"""


# No middleware adds its own to this answer.
BUSY_HEADERS = [
    ("Retry-After", str(RETRY_SECONDS)),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
]


class LimitedRequest(HTTPRequestParser):  # type: ignore[misc]
    """A request whose body is read only if it is not larger than its URL takes."""

    adj: Adjustments
    body_rcv: Any
    content_length: int

    def __init__(self, find_most_body_bytes: Callable[[str], int], adjustments: Adjustments) -> None:
        super().__init__(adjustments)
        self.find_most_body_bytes = find_most_body_bytes

    def parse_header(self, header_plus: bytes) -> None:
        """Read the headers, as waitress calls it.

        Of a body whose stated length is too large nothing is read: the application gets the headers, refuses the
        request, and the connection is closed. waitress itself refuses a chunked one when too many bytes
        of it have arrived.
        """
        super().parse_header(header_plus)
        if self.body_rcv is None:
            return
        most = self.find_most_body_bytes(self.path.encode("latin-1").decode("utf-8", "replace"))
        if self.chunked:
            self.adj = copy(self.adj)
            self.adj.max_request_body_size = most + 1
        elif self.content_length > most:
            self.body_rcv, self.content_length, self.expect_continue = None, 0, False
            self.headers["CONNECTION"] = "close"


class BusyError(Error):  # type: ignore[misc]
    """The refusal of a request that has waited too long, as a page or as problem details."""

    def __init__(self, path: str) -> None:
        super().__init__(BUSY_SENTENCE)
        self.path = path

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        """Status, headers and body, as waitress asks for them."""
        is_api = self.path.startswith("/api/")
        page = ("text/html; charset=utf-8", BUSY_PAGE)
        kind, body = ("application/problem+json", json.dumps(BUSY_PROBLEM)) if is_api else page
        return "503 Service Unavailable", [("Content-Type", kind), *BUSY_HEADERS], body.encode()


class Answer(WSGITask):  # type: ignore[misc]
    """An answer to a request, after which the connection stays open even if the answer has no body."""

    def set_close_on_finish(self) -> None:
        """Close the connection after this answer, as waitress calls it.

        waitress closes the connection after every answer without a length, although one of status 204 or 304 ends with
        its headers. Pages that ask again for what may have changed would have to connect for each question.
        """
        wants_to_close = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or self.version == "1.0" or wants_to_close:
            super().set_close_on_finish()


class Connection(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it receives a request or sends an answer."""

    task_class = Answer

    @property
    def parser_class(self) -> Callable[[Adjustments], LimitedRequest]:
        """What waitress makes of the bytes of a request."""
        return partial(LimitedRequest, self.server.find_most_body_bytes)

    request_began: float | None = None
    answer_began: float | None = None
    answer_bytes = 0
    waits_for_thread_since = 0.0

    def service(self) -> None:
        """Answer a request in a thread, as waitress calls it, or refuse it if it waited for the thread too long."""
        request = self.requests[0]
        if not request.error and time.monotonic() - self.waits_for_thread_since > MAX_WAITING_SECONDS:
            request.error = BusyError(request.path)
        super().service()

    def received(self, data: bytes) -> bool:
        """Take bytes of requests, as waitress calls it."""
        if self.request is None:
            self.request_began = time.monotonic()
        result = bool(super().received(data))
        if self.request is None:
            self.request_began = None
        return result

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send bytes of an answer, as waitress calls it; returns how many were sent."""
        sent = int(super().send(data, do_close=do_close))
        self.answer_bytes += sent
        return sent

    def is_too_slow(self, now: float) -> bool:
        """Whether the client sends its request or reads the answer too slowly; now is monotonic, in seconds."""
        if self.total_outbufs_len:
            if self.answer_began is None:
                self.answer_began, self.answer_bytes = now, 0
            return now - self.answer_began > TRANSFER_SECONDS + self.answer_bytes / BYTES_PER_SECOND
        self.answer_began = None
        request, began = self.request, self.request_began
        if request is None or began is None:
            return False
        if not request.headers_finished:
            return now - began > HEADER_SECONDS
        allowed: float = TRANSFER_SECONDS + request.body_bytes_received / BYTES_PER_SECOND
        return now - began > allowed

    def is_idle_since(self, moment: float) -> bool:
        """Whether nothing has been received or sent since this moment of time.time(), and nothing is under way."""
        return self.waits_for_client and self.request is None and self.last_activity < moment

    def may_bring_request(self, now: float) -> bool:
        """Whether a request is being received, or the connection is so new that its first one may be on the way; now is
        of time.time().
        """
        has_been_silent = self.last_activity == self.creation_time
        return self.request is not None or (has_been_silent and now - self.creation_time < FIRST_BYTES_SECONDS)

    @property
    def unfinished_body_bytes(self) -> int:
        """The bytes of the body that is being received."""
        return int(self.request.body_bytes_received) if self.request is not None else 0

    @property
    def waits_for_client(self) -> bool:
        """Whether no complete request has been received that is not answered yet."""
        return not self.requests and not self.total_outbufs_len


def list_longest_receiving_above_limit(connections: Iterable[Connection], most_bytes: int) -> list[Connection]:
    """The connections to close so that the unfinished bodies of the others have this many bytes at most.

    Those that began first, because a client that sends its body without pausing is ready before.
    """
    receiving = [connection for connection in connections if connection.unfinished_body_bytes]
    total, closed = sum(connection.unfinished_body_bytes for connection in receiving), []
    for connection in sorted(receiving, key=lambda connection: connection.request_began or 0.0):
        if total <= most_bytes:
            break
        total -= connection.unfinished_body_bytes
        closed.append(connection)
    return closed


class WebServer(TcpWSGIServer):  # type: ignore[misc]
    """A listening socket and the connections that it has accepted."""

    channel_class = Connection
    find_most_body_bytes: Callable[[str], int]

    def maintenance(self, now: float) -> None:
        """Close connections that are idle, too slow or hold too much, as waitress calls it every second; now is of
        time.time().
        """
        monotonic, idle_since = time.monotonic(), now - self.adj.channel_timeout
        for connection in list(self.active_channels.values()):
            if connection.is_too_slow(monotonic) or connection.is_idle_since(idle_since):
                connection.handle_close()
        open_connections = list(self.active_channels.values())
        for connection in list_longest_receiving_above_limit(open_connections, MAX_UNFINISHED_BODY_BYTES):
            connection.handle_close()

    def handle_accept(self) -> None:
        """Accept a connection; too many make place by closing the one that has been waiting for its client longest."""
        if len(self.active_channels) >= MAX_CONNECTIONS:
            waiting = [each for each in self.active_channels.values() if each.waits_for_client]
            if waiting:
                min(waiting, key=lambda connection: connection.last_activity).handle_close()
        super().handle_accept()

    def add_task(self, task: Connection) -> None:
        """Let the next request of a connection wait for a thread, as waitress calls it."""
        task.waits_for_thread_since = time.monotonic()
        super().add_task(task)

    def stop_listening(self) -> None:
        """Accept the connections that are waiting, and no more after them; those that are open go on.

        When the last socket that listens is closed, the system breaks the connections that wait there, and their
        requests with them.
        """
        for _ in range(MAX_CONNECTIONS):
            if not self._has_waiting_connection():
                break
            self.handle_accept()
        wasyncore.dispatcher.close(self)

    def _has_waiting_connection(self) -> bool:
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN)
        return bool(waiting.poll(0))

    def has_unfinished_requests(self) -> bool:
        """Whether a request is being received or answered, or may be on the way."""
        now = time.time()
        return any(
            not connection.waits_for_client or connection.may_bring_request(now)
            for connection in list(self.active_channels.values())
        )
