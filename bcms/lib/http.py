"""The guarded door out: every request that the site makes to somebody else's server goes through fetch.

One total deadline over everything, a cap on the bytes, only addresses that bcms/lib/addresses.py permits, no proxies,
no redirects that are not checked, a new connection for each request, and a way to stop it from another thread.
"""

import contextlib
import http.client
import socket
import ssl
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache
from typing import Any, cast
from urllib.parse import quote, urljoin, urlsplit

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from bcms.lib.connections import Channel, connect, resolve
from bcms.lib.exchanges import KEPT_BYTES, Deadline, Exchange, HttpError, HttpFault, aborted
from bcms.lib.foreign import bounded

__all__ = ["Exchange", "HttpError", "HttpFault", "Reply", "fetch"]

USER_AGENT = "BCMS/1 (BioCreative Meta-Server)"
DEFAULT_PORTS = {"http": 80, "https": 443}
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# For the status line, the headers and the framing of chunks.
ROOM_FOR_HEADERS = 1024 * 1024
PIECE = 64 * 1024
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever its status; the body is decompressed."""

    status: int
    headers: Message
    body: bytes
    url: str


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart; host is without brackets, path with its query."""

    url: str
    scheme: str
    host: str
    port: int
    path: str


def fetch(
    method: str,
    url: str,
    *,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    deadline: float,
    max_bytes: int,
    networks: Sequence[str] = (),
    redirects: int = 0,
    exchange: Exchange | None = None,
) -> Reply:
    """Send one request and read the whole answer, whatever its status.

    deadline is seconds for all of it: looking up the name, connecting, TLS, sending, waiting and reading. max_bytes
    caps the body, as it comes and decompressed. networks (CIDR) are allowed beside the public internet. A GET follows
    at most that many redirects, each checked like the first URL; any other redirect is an error. Raises HttpError only.
    """
    exchange = exchange or Exchange()
    until = Deadline(deadline)
    for _ in range(redirects + 1):
        target = parse_url(url)
        with _faults(exchange, until):
            reply = _once(method, target, body, headers or {}, until, max_bytes, networks, exchange)
        if reply.status not in REDIRECTS:
            return reply
        url = _next_url(reply, method)
    often = f"more than {redirects} times, at last to" if redirects else "to another URL"
    raise HttpError(HttpFault.REDIRECT, f"The server redirects the request {often}", redirect_target(url))


def parse_url(url: str) -> Target:
    """Take an http or https URL apart; raises HttpError(BAD_URL), whose message never repeats a password."""
    if any(ord(character) <= 32 or ord(character) == 127 for character in url):
        raise _bad_url("it contains white space or control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad_url("its host or port is not well formed") from error
    if parts.scheme not in DEFAULT_PORTS:
        raise _bad_url("it does not begin with http:// or https://")
    if not parts.hostname or port == 0:
        raise _bad_url("it names no host or the port 0")
    if "@" in parts.netloc:
        raise _bad_url("it contains a user name or password")
    path = quote(parts.path or "/", safe="/%:=&+!$,;'@()*[]~")
    query = "?" + quote(parts.query, safe="/%:=&?+!$,;'@()*[]~") if parts.query else ""
    return Target(url, parts.scheme, _ascii_host(parts.hostname), port or DEFAULT_PORTS[parts.scheme], path + query)


def redirect_target(url: str) -> str:
    """Where a redirect leads, fit to be shown: no log-in, no query, no control characters, at most 200 characters."""
    try:
        parts = urlsplit(url)
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        shown = "a URL that is not well formed"
    return bounded(shown, 200)


def _ascii_host(host: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise _bad_url("its host is not a name that the domain name system knows") from error


def _bad_url(why: str) -> HttpError:
    return HttpError(HttpFault.BAD_URL, f"The URL cannot be used: {why}")


def _next_url(reply: Reply, method: str) -> str:
    try:
        url = urljoin(reply.url, reply.headers.get("Location", ""))
    except ValueError as error:
        raise HttpError(HttpFault.REDIRECT, "The server redirects the request to a broken URL") from error
    if method != "GET":
        where = "back to where it was sent" if url == reply.url else "to another URL"
        raise HttpError(HttpFault.REDIRECT, f"The server redirects the request {where}", redirect_target(url))
    return url


def _once(
    method: str,
    target: Target,
    body: bytes,
    headers: Mapping[str, str],
    until: Deadline,
    max_bytes: int,
    networks: Sequence[str],
    exchange: Exchange,
) -> Reply:
    """One request on one new connection."""
    request = _rendered(method, target, body, headers)
    exchange.begin(request)
    addresses = resolve(target.host, target.port, networks, until, exchange)
    channel = connect(addresses, until, exchange)
    try:
        if target.scheme == "https":
            channel.secure(target.host, tls_context())
        channel.limit = max_bytes + ROOM_FOR_HEADERS
        _send(channel, request)
        return _received(method, target, channel, max_bytes, exchange)
    finally:
        channel.close()


@contextlib.contextmanager
def _faults(exchange: Exchange, until: Deadline) -> Iterator[None]:
    """Turn whatever sockets, TLS and http.client raise into one HttpError."""
    try:
        yield
        if exchange.aborted:
            # To whom reads until the connection ends, being stopped looks like the end of the answer.
            raise aborted()
    except (HttpError, OSError, http.client.HTTPException) as error:
        raise (aborted() if exchange.aborted else fault_of(error, until)) from error
    finally:
        exchange.end()


def fault_of(error: Exception, until: Deadline) -> HttpError:
    """The HttpError for an error met while an established connection was in use."""
    match error:
        case HttpError():
            return error
        case TimeoutError():
            return until.passed()
        case http.client.RemoteDisconnected():
            return HttpError(HttpFault.CUT_OFF, "The server hung up without an answer")
        case http.client.IncompleteRead():
            return HttpError(HttpFault.CUT_OFF, "The connection ended in the middle of the answer")
        case http.client.HTTPException():
            return HttpError(HttpFault.NOT_HTTP, "The answer does not follow HTTP", str(error))
        case ssl.SSLError():
            return HttpError(HttpFault.CUT_OFF, "The TLS connection broke", error.reason or "")
        case _:
            return HttpError(HttpFault.CUT_OFF, "The connection broke", getattr(error, "strerror", None) or "")


@lru_cache(maxsize=1)
def tls_context() -> ssl.SSLContext:
    """The system's trusted roots and those that come with requests, as small systems have none of their own."""
    context = ssl.create_default_context()
    context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
    return context


def _send(channel: Channel, request: bytes) -> None:
    # A server that hangs up before it has read everything may have said why first: its answer is read all the same.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        channel.send(request)


class _Recorder:
    """Stands where http.client expects a socket and keeps what it writes."""

    def __init__(self) -> None:
        self.written = b""

    def sendall(self, data: bytes) -> None:
        self.written += data


def _rendered(method: str, target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    """The request as bytes; http.client checks every part against header injection."""
    line = http.client.HTTPConnection(target.host, target.port)
    line.default_port = DEFAULT_PORTS[target.scheme]
    recorder = _Recorder()
    line.sock = cast(Any, recorder)
    fixed = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        line.request(method, target.path, body=body if body or method != "GET" else None, headers={**headers, **fixed})
    except (ValueError, http.client.InvalidURL) as error:
        raise _bad_url("its host or path cannot be sent") from error
    return recorder.written


def _received(method: str, target: Target, channel: Channel, max_bytes: int, exchange: Exchange) -> Reply:
    response = http.client.HTTPResponse(cast(socket.socket, channel), method=method)
    try:
        response.begin()
        if channel.ended:
            # http.client takes headers that break off for headers that are complete.
            raise HttpError(HttpFault.CUT_OFF, "The connection ended in the middle of the answer's headers")
        if response.status in REDIRECTS:
            return Reply(response.status, response.headers, b"", target.url)
        if response.length is not None and response.length > max_bytes:
            raise too_large(max_bytes)
        body = _body(response, max_bytes, exchange)
    finally:
        response.close()
    return Reply(response.status, response.headers, body, target.url)


def _body(response: http.client.HTTPResponse, max_bytes: int, exchange: Exchange) -> bytes:
    inflate = _Inflation(response.headers.get("Content-Encoding", "identity"))
    body = bytearray()
    while piece := response.read1(PIECE):
        body += inflate.of(piece, max_bytes - len(body))
        exchange.received = bytes(body[:KEPT_BYTES]) if len(exchange.received) < KEPT_BYTES else exchange.received
        if len(body) > max_bytes:
            raise too_large(max_bytes, " when it is decompressed" if inflate.begun else "")
    if response.length or inflate.unfinished:
        raise HttpError(HttpFault.CUT_OFF, "The connection ended in the middle of the answer")
    return bytes(body)


def too_large(max_bytes: int, how: str = "") -> HttpError:
    return HttpError(HttpFault.TOO_LARGE, f"The answer is larger than {max_bytes:,} bytes{how}")


class _Inflation:
    """Undoes the compression that some servers apply though none was asked for; never makes more than it is told."""

    def __init__(self, encoding: str) -> None:
        encoding = encoding.strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise HttpError(HttpFault.NOT_HTTP, f"The answer is compressed as {bounded(encoding, 40)!r}, not asked for")
        self.stream = None if encoding in ("", "identity") else zlib.decompressobj(GZIP_OR_ZLIB)
        self.begun = False

    def of(self, piece: bytes, room: int) -> bytes:
        """The piece decompressed: at most one byte more than there is room for."""
        if self.stream is None:
            return piece
        self.begun = True
        try:
            return self.stream.decompress(piece, room + 1)
        except zlib.error as error:
            raise HttpError(HttpFault.CUT_OFF, "The compressed answer is damaged") from error

    @property
    def unfinished(self) -> bool:
        return self.stream is not None and self.begun and not self.stream.eof
