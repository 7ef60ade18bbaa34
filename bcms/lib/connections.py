"""Connections for bcms/lib/http.py: look up a name, connect to an address that was checked, read and write in time."""

import contextlib
import errno
import io
import math
import os
import queue
import select
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from bcms.lib.addresses import refusal
from bcms.lib.exchanges import Deadline, Exchange, HttpError, HttpFault, aborted

RESOLVE_SECONDS = 10.0
# A host that drops packets is called unreachable after this time, whatever the deadline.
CONNECT_SECONDS = 15.0
PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """One address that was checked: what socket.connect takes."""

    family: int
    address: tuple[str, int]

    @property
    def host(self) -> str:
        return self.address[0]


def resolve(host: str, port: int, networks: Sequence[str], until: Deadline, exchange: Exchange) -> list[Place]:
    """The permitted addresses of a host, in the resolver's order; raises HttpError when there are none."""
    with exchange.phase("resolve"):
        places = _looked_up(host, port, until, exchange)
    refused = {place: refusal(place.host, port, networks) for place in places}
    permitted = [place for place in places if not refused[place]]
    if not permitted:
        raise HttpError(HttpFault.BLOCKED_ADDRESS, refused[places[0]].rstrip("."))
    return permitted


def _looked_up(host: str, port: int, until: Deadline, exchange: Exchange) -> list[Place]:
    """Ask the resolver in a thread of its own, since it knows no time limit and cannot be stopped."""
    answers: queue.SimpleQueue[list[Place] | HttpError] = queue.SimpleQueue()
    exchange.stop_by(lambda: answers.put(aborted()))
    threading.Thread(target=lambda: answers.put(_ask_resolver(host, port)), name="resolve", daemon=True).start()
    try:
        answer = answers.get(timeout=min(RESOLVE_SECONDS, until.remaining()))
    except queue.Empty:
        until.remaining()
        raise HttpError(HttpFault.NAME_NOT_FOUND, f"The name {host} was not looked up in time") from None
    if isinstance(answer, HttpError):
        raise answer
    return answer


def _ask_resolver(host: str, port: int) -> list[Place] | HttpError:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else "not a valid name"
        return HttpError(HttpFault.NAME_NOT_FOUND, f"The name {host} was not found", reason)
    inet = [(family, address) for family, _, _, _, address in found if family in (socket.AF_INET, socket.AF_INET6)]
    places = [Place(family, cast(tuple[str, int], address)) for family, address in inet]
    return places or HttpError(HttpFault.NAME_NOT_FOUND, f"The name {host} has no address")


def connect(places: Sequence[Place], until: Deadline, exchange: Exchange) -> "Channel":
    """Connect to the first of these addresses that answers; the last failure is raised when none does."""
    failure = HttpError(HttpFault.UNREACHABLE, "The server cannot be reached")
    for place in places:
        try:
            with exchange.phase("connect"):
                return Channel(_connected(place, until, exchange), until, exchange)
        except HttpError as error:
            if error.kind not in (HttpFault.REFUSED, HttpFault.UNREACHABLE):
                raise
            failure = error
    raise failure


def _connected(place: Place, until: Deadline, exchange: Exchange) -> socket.socket:
    sock = socket.socket(place.family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _establish(sock, place, until, exchange)
        # The kernel connects to what it was told; should that ever not hold, nothing is sent.
        if sock.getpeername()[0] != place.host:
            raise HttpError(HttpFault.BLOCKED_ADDRESS, "The connection led to another address than was checked")
    except BaseException:
        sock.close()
        raise
    return sock


def _establish(sock: socket.socket, place: Place, until: Deadline, exchange: Exchange) -> None:
    """Connect within the time there is.

    Begun without blocking, so that abort() can act from the first moment on: shutting down a socket that has not yet
    begun to connect does nothing.
    """
    sock.setblocking(False)
    code = sock.connect_ex(place.address)
    exchange.stop_by(lambda: _shut(sock))
    if code in (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EINTR):
        code = _outcome(sock, min(CONNECT_SECONDS, until.remaining()))
    if code == 0:
        return
    if code == errno.ETIMEDOUT:
        until.remaining()
    if code == errno.ECONNREFUSED:
        raise HttpError(HttpFault.REFUSED, f"Nothing listens at {place.host} port {place.address[1]}")
    raise HttpError(
        HttpFault.UNREACHABLE, f"The address {place.host} cannot be reached at port {place.address[1]}", _words(code)
    )


def _outcome(sock: socket.socket, seconds: float) -> int:
    """Wait for a connection that was begun; the error number, 0 for success."""
    poll = select.poll()
    poll.register(sock, select.POLLOUT)
    if not poll.poll(math.ceil(seconds * 1000)):
        return errno.ETIMEDOUT
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)


def _words(code: int) -> str:
    return os.strerror(code).lower()


def _shut(sock: socket.socket) -> None:
    """Wake whoever is blocked on the socket, from any thread; a socket that is closed already is left as it is."""
    # SSLSocket.shutdown would first take the TLS object away from under the thread that reads.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


class Channel:
    """An open connection that looks at the clock before each operation and counts what comes.

    Offers http.client what it uses of a socket: makefile and close. limit is the most bytes that may come in, came how
    many have come, ended whether the other side will send no more.
    """

    def __init__(self, sock: socket.socket, until: Deadline, exchange: Exchange) -> None:
        self.sock = sock
        self.until = until
        self.exchange = exchange
        self.limit = 0
        self.came = 0
        self.ended = False

    def secure(self, host: str, context: ssl.SSLContext) -> None:
        """Begin TLS; the certificate must be one for this host name or address."""
        with self.exchange.phase("tls"):
            try:
                self.sock = context.wrap_socket(self.sock, server_hostname=host, do_handshake_on_connect=False)
                self.exchange.stop_by(lambda: _shut(self.sock))
                self._shake_hands()
            except ssl.SSLCertVerificationError as error:
                raise HttpError(HttpFault.TLS, "The certificate was not accepted", error.verify_message) from error
            except ssl.SSLError as error:
                raise HttpError(HttpFault.TLS, "TLS could not be set up", error.reason or "") from error
            except (ConnectionError, ValueError) as error:
                raise HttpError(HttpFault.TLS, "The server hung up while TLS was being set up") from error

    def _shake_hands(self) -> None:
        """One step at a time: a peer that drips its handshake gets no more than the deadline."""
        secured = cast(ssl.SSLSocket, self.sock)
        secured.setblocking(False)
        while True:
            try:
                return secured.do_handshake()
            except ssl.SSLWantReadError:
                self._wait_for(select.POLLIN)
            except ssl.SSLWantWriteError:
                self._wait_for(select.POLLOUT)

    def _wait_for(self, event: int) -> None:
        poll = select.poll()
        poll.register(self.sock, event)
        poll.poll(math.ceil(self.until.remaining() * 1000))

    def send(self, data: bytes) -> None:
        with self.exchange.phase("send"):
            rest = memoryview(data)
            while rest:
                self.sock.settimeout(self.until.remaining())
                rest = rest[self.sock.send(rest[:PIECE]) :]
        self.exchange.request_sent = True

    def receive_into(self, buffer: memoryview) -> int:
        started = time.monotonic()
        try:
            self.sock.settimeout(self.until.remaining())
            count = self.sock.recv_into(buffer)
        finally:
            self.exchange.spend("transfer" if self.came else "wait", time.monotonic() - started)
        self.came += count
        self.ended = not count
        if self.came > self.limit:
            raise HttpError(HttpFault.TOO_LARGE, f"The answer is larger than {self.limit:,} bytes")
        return count

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self), PIECE)

    def close(self) -> None:
        self.sock.close()


class _Incoming(io.RawIOBase):
    """What comes in on a channel, as the file that http.client reads."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self.channel = channel

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self.channel.receive_into(memoryview(buffer))
