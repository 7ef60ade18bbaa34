"""Connections for bcms/lib/http/client.py: look up a name, connect to a checked address, read and write in time."""

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
from ipaddress import ip_address
from typing import Any, cast

from bcms.lib.http.address_policy import explain_blocked_address_or_empty, is_in_allowed_networks
from bcms.lib.http.deadline import Deadline
from bcms.lib.http.errors import HttpError, HttpFault, make_aborted_error
from bcms.lib.http.exchange import Exchange

RESOLVE_SECONDS = 10.0
# A host that drops packets counts as unreachable after this time, whatever the deadline.
CONNECT_SECONDS = 15.0
PIECE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class ResolvedAddress:
    """An address from the resolver; address is the argument of socket.connect."""

    family: int
    address: tuple[str, int]

    @property
    def host(self) -> str:
        return self.address[0]


def resolve_permitted_addresses(
    host: str, port: int, extra_networks: Sequence[str], deadline: Deadline, exchange: Exchange
) -> list[ResolvedAddress]:
    """The permitted addresses of a host, in the resolver's order. Raises HttpError when there are none."""
    with exchange.phase("resolve"):
        resolved = _look_up(host, port, deadline, exchange)
    objections = {address: explain_blocked_address_or_empty(address.host, port, extra_networks) for address in resolved}
    permitted = [address for address in resolved if not objections[address]]
    if not permitted:
        raise HttpError(HttpFault.BLOCKED_ADDRESS, objections[resolved[0]].rstrip("."))
    return permitted


def keep_addresses_for_plain_http(
    addresses: Sequence[ResolvedAddress], networks: Sequence[str]
) -> list[ResolvedAddress]:
    """The addresses in these networks (CIDR), to which a secret may go by http. HttpError(UNENCRYPTED) if none is."""
    kept = [address for address in addresses if is_in_allowed_networks(ip_address(address.host), networks)]
    if not kept:
        raise HttpError(HttpFault.UNENCRYPTED, "An access token is never sent by http, which does not encrypt it")
    return kept


def _look_up(host: str, port: int, deadline: Deadline, exchange: Exchange) -> list[ResolvedAddress]:
    """What the resolver answers; an address is answered at once, as no name server is asked."""
    answer = _ask_resolver(host, port) if _is_address(host) else _ask_in_thread(host, port, deadline, exchange)
    if isinstance(answer, HttpError):
        raise answer
    return answer


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _ask_in_thread(host: str, port: int, deadline: Deadline, exchange: Exchange) -> list[ResolvedAddress] | HttpError:
    """Call the resolver in a thread, since it has no time limit and cannot be interrupted."""
    answers: queue.SimpleQueue[list[ResolvedAddress] | HttpError] = queue.SimpleQueue()
    exchange.register_stop(lambda: answers.put(make_aborted_error()))
    threading.Thread(target=lambda: answers.put(_ask_resolver(host, port)), name="resolve", daemon=True).start()
    try:
        return answers.get(timeout=min(RESOLVE_SECONDS, deadline.require_remaining()))
    except queue.Empty:
        deadline.require_remaining()
        raise HttpError(HttpFault.NAME_NOT_FOUND, f"The name {host} was not looked up in time") from None


def _ask_resolver(host: str, port: int) -> list[ResolvedAddress] | HttpError:
    try:
        results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else "not a valid name"
        return HttpError(HttpFault.NAME_NOT_FOUND, f"The name {host} was not found", reason)
    inet = [(family, address) for family, _, _, _, address in results if family in (socket.AF_INET, socket.AF_INET6)]
    resolved = [ResolvedAddress(family, cast(tuple[str, int], address)) for family, address in inet]
    return resolved or HttpError(HttpFault.NAME_NOT_FOUND, f"The name {host} has no address")


def connect_to_first_reachable_address(
    addresses: Sequence[ResolvedAddress], deadline: Deadline, exchange: Exchange
) -> "ConnectionChannel":
    """Connect to the first of these addresses that accepts. Raises the last HttpError when none does."""
    failure = HttpError(HttpFault.UNREACHABLE, "The server cannot be reached")
    for address in addresses:
        try:
            with exchange.phase("connect"):
                return ConnectionChannel(_open_checked_socket(address, deadline, exchange), deadline, exchange)
        except HttpError as error:
            if error.kind not in (HttpFault.REFUSED, HttpFault.UNREACHABLE):
                raise
            failure = error
    raise failure


def _open_checked_socket(address: ResolvedAddress, deadline: Deadline, exchange: Exchange) -> socket.socket:
    sock = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _connect_socket(sock, address, deadline, exchange)
        # A last check that the connection leads to the checked address, before anything is sent.
        if sock.getpeername()[0] != address.host:
            raise HttpError(HttpFault.BLOCKED_ADDRESS, "The connection leads to another address than the checked one")
    except BaseException:
        sock.close()
        raise
    return sock


def _connect_socket(sock: socket.socket, address: ResolvedAddress, deadline: Deadline, exchange: Exchange) -> None:
    """Connect before the deadline.

    The connection is started without blocking, so that abort() always works: shutting down a socket that has not yet
    started to connect does nothing.
    """
    sock.setblocking(False)
    code = sock.connect_ex(address.address)
    exchange.register_stop(lambda: _shut_socket(sock))
    if code in (errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EINTR):
        code = _await_connect_result(sock, min(CONNECT_SECONDS, deadline.require_remaining()))
    if code == 0:
        return
    if code == errno.ETIMEDOUT:
        deadline.require_remaining()
    if code == errno.ECONNREFUSED:
        raise HttpError(HttpFault.REFUSED, f"Nothing listens at {address.host} port {address.address[1]}")
    raise HttpError(
        HttpFault.UNREACHABLE,
        f"The address {address.host} cannot be reached at port {address.address[1]}",
        _format_errno(code),
    )


def _await_connect_result(sock: socket.socket, seconds: float) -> int:
    """Wait for a started connection; returns the error number, 0 for success."""
    poll = select.poll()
    poll.register(sock, select.POLLOUT)
    if not poll.poll(math.ceil(seconds * 1000)):
        return errno.ETIMEDOUT
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)


def _format_errno(code: int) -> str:
    return os.strerror(code).lower()


def _shut_socket(sock: socket.socket) -> None:
    """Wake the thread that is blocked on the socket, from any thread; does nothing for a closed socket."""
    # SSLSocket.shutdown would first drop the TLS object that the reading thread uses.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


class ConnectionChannel:
    """An open connection that checks the deadline before each operation and counts received bytes.

    It has the methods of a socket that http.client uses: makefile and close. limit is the maximum of received bytes;
    is_at_end is whether the server has closed its side.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, exchange: Exchange) -> None:
        self.sock = sock
        self.deadline = deadline
        self.exchange = exchange
        self.limit = 0
        self.received_bytes = 0
        self.is_at_end = False

    def start_tls(self, host: str, context: ssl.SSLContext) -> None:
        """Start TLS; the certificate must be valid for this host name or address."""
        with self.exchange.phase("tls"):
            try:
                self.sock = context.wrap_socket(self.sock, server_hostname=host, do_handshake_on_connect=False)
                self.exchange.register_stop(lambda: _shut_socket(self.sock))
                self._shake_hands()
            except ssl.SSLCertVerificationError as error:
                raise HttpError(HttpFault.TLS, "The certificate was not accepted", error.verify_message) from error
            except ssl.SSLError as error:
                raise HttpError(HttpFault.TLS, "The TLS handshake failed", error.reason or "") from error
            except (ConnectionError, ValueError) as error:
                raise HttpError(HttpFault.TLS, "The server closed the connection during the TLS handshake") from error

    def _shake_hands(self) -> None:
        """Shake hands step by step, so that the deadline also holds for a peer that sends its handshake slowly."""
        tls_socket = cast(ssl.SSLSocket, self.sock)
        tls_socket.setblocking(False)
        while True:
            try:
                return tls_socket.do_handshake()
            except ssl.SSLWantReadError:
                self._await_event(select.POLLIN)
            except ssl.SSLWantWriteError:
                self._await_event(select.POLLOUT)

    def _await_event(self, event: int) -> None:
        poll = select.poll()
        poll.register(self.sock, event)
        poll.poll(math.ceil(self.deadline.require_remaining() * 1000))

    def send(self, data: bytes) -> None:
        with self.exchange.phase("send"):
            unsent = memoryview(data)
            while unsent:
                self.sock.settimeout(self.deadline.require_remaining())
                unsent = unsent[self.sock.send(unsent[:PIECE_BYTES]) :]
        self.exchange.request_sent = True

    def fill_buffer(self, buffer: memoryview) -> int:
        started = time.monotonic()
        try:
            self.sock.settimeout(self.deadline.require_remaining())
            count = self.sock.recv_into(buffer)
        finally:
            self.exchange.add_phase_seconds("transfer" if self.received_bytes else "wait", time.monotonic() - started)
        self.received_bytes += count
        if count:
            self.exchange.record_received_bytes(count)
        self.is_at_end = not count
        if self.received_bytes > self.limit:
            raise HttpError(HttpFault.TOO_LARGE, f"The answer is larger than {self.limit:,} bytes")
        return count

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_ChannelReader(self), PIECE_BYTES)

    def close(self) -> None:
        self.sock.close()


class _ChannelReader(io.RawIOBase):
    """The received bytes of a channel, as the raw file that http.client reads."""

    def __init__(self, channel: ConnectionChannel) -> None:
        super().__init__()
        self.channel = channel

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self.channel.fill_buffer(memoryview(buffer))
