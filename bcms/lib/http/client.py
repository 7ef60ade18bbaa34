"""The HTTP client for untrusted servers: every request to a server of others goes through request_permitted_url.

It has one total deadline, a limit on the bytes, only addresses that bcms/lib/http/address_policy.py permits, no
proxies, no unchecked redirects, a new connection for each request, and can be aborted from another thread.
"""

import base64
import contextlib
import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast
from urllib.parse import urljoin

from requests.utils import DEFAULT_CA_BUNDLE_PATH

from bcms.lib.http.connections import (
    ConnectionChannel,
    connect_to_first_reachable_address,
    keep_addresses_for_plain_http,
    resolve_permitted_addresses,
)
from bcms.lib.http.deadline import Deadline
from bcms.lib.http.errors import HttpError, HttpFault, make_aborted_error
from bcms.lib.http.exchange import KEPT_BYTES, Exchange
from bcms.lib.http.messages import (
    DEFAULT_PORTS,
    HttpReply,
    ParsedUrl,
    format_url_without_login_and_query,
    make_bad_url_error,
    parse_http_url,
)
from bcms.lib.http.reply_body import make_too_large_error, read_decompressed_body_or_raise_above_limit

USER_AGENT = "BCMS/1 (BioCreative Meta-Server)"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# For the status line, the headers and the framing of chunks.
ROOM_FOR_HEADERS = 1024 * 1024
MASK = "[masked]"
# Shorter values could be ordinary words.
SHORTEST_MASKED = 8


def request_permitted_url(
    method: str,
    url: str,
    *,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    secret_headers: Mapping[str, str] | None = None,
    deadline_seconds: float,
    connect_seconds: float | None = None,
    max_bytes: int,
    extra_networks: Sequence[str] = (),
    max_get_redirects: int = 0,
    exchange: Exchange | None = None,
    encrypts_secrets: bool = False,
) -> HttpReply:
    """Send one request and read the whole answer, whatever its status.

    deadline_seconds is in seconds, from looking up the name to the last byte read; connect_seconds limits looking up
    the name, connecting and the TLS handshake of each connection, within the deadline. max_bytes limits the body,
    compressed and decompressed. extra_networks (CIDR) are allowed in addition to the public internet. A GET follows at
    most `max_get_redirects` redirects, each checked like the first URL; any other redirect is an error. secret_headers
    are sent to the first URL only, never after a redirect, and their values are masked in the exchange, in the body of
    the reply and in errors. With encrypts_secrets, they are sent by http to extra_networks only, which can be the own
    machine; elsewhere, the error is HttpFault.UNENCRYPTED. Raises only HttpError, and what exchange.before_send raises.
    """
    exchange = exchange or Exchange()
    request = _HttpRequest(
        method, parse_http_url(url), body, headers or {}, secret_headers or {}, connect_seconds, encrypts_secrets
    )
    is_reply_kept_whole = False
    try:
        reply = _follow_redirects(
            request, Deadline(deadline_seconds), max_bytes, extra_networks, max_get_redirects, exchange
        )
        is_reply_kept_whole = len(reply.body) <= KEPT_BYTES
    except HttpError as error:
        if not request.secret_headers:
            raise
        quoted = mask_header_values(error.quoted.encode("utf-8", "replace"), request.secret_headers).decode()
        raise HttpError(error.kind, error.message, quoted) from None
    finally:
        is_request_kept_whole = len(exchange.request) < KEPT_BYTES
        exchange.request = _mask_kept_bytes(exchange.request, request.secret_headers, is_whole=is_request_kept_whole)
        exchange.received = _mask_kept_bytes(exchange.received, request.secret_headers, is_whole=is_reply_kept_whole)
    return replace(reply, body=mask_header_values(reply.body, request.secret_headers))


def _follow_redirects(
    request: "_HttpRequest",
    time_limit: Deadline,
    max_bytes: int,
    networks: Sequence[str],
    max_get_redirects: int,
    exchange: Exchange,
) -> HttpReply:
    """Send the request and those that its redirects lead to, without its secret headers."""
    for _ in range(max_get_redirects + 1):
        with _translate_errors(exchange, time_limit):
            reply = _send_once(request, time_limit, max_bytes, networks, exchange)
        if reply.status not in REDIRECTS:
            return reply
        url = _get_redirect_url(reply, request.method)
        request = replace(request, target=parse_http_url(url), secret_headers={})
    where = f"more than {max_get_redirects} times, finally to" if max_get_redirects else "to another URL"
    raise HttpError(
        HttpFault.REDIRECT, f"The server redirects the request {where}", format_url_without_login_and_query(url)
    )


def _get_redirect_url(reply: HttpReply, method: str) -> str:
    try:
        url = urljoin(reply.url, reply.headers.get("Location", ""))
    except ValueError as error:
        raise HttpError(HttpFault.REDIRECT, "The server redirects the request to a malformed URL") from error
    if method != "GET":
        where = "to the same URL" if url == reply.url else "to another URL"
        raise HttpError(
            HttpFault.REDIRECT, f"The server redirects the request {where}", format_url_without_login_and_query(url)
        )
    return url


@dataclass(frozen=True, slots=True)
class _HttpRequest:
    """One request; the values of secret_headers are recorded as masked, and connect_seconds limits connecting."""

    method: str
    target: ParsedUrl
    body: bytes
    headers: Mapping[str, str]
    secret_headers: Mapping[str, str] = field(repr=False)
    connect_seconds: float | None
    encrypts_secrets: bool

    @property
    def needs_trusted_network(self) -> bool:
        return self.encrypts_secrets and bool(self.secret_headers) and self.target.scheme != "https"

    def render(self, *, masks_secrets: bool = False) -> bytes:
        secrets = dict.fromkeys(self.secret_headers, MASK) if masks_secrets else self.secret_headers
        return _render_request(self.method, self.target, self.body, {**self.headers, **secrets})


def mask_header_values(content: bytes, secret_headers: Mapping[str, str]) -> bytes:
    """The content without the values of these headers, which a server may echo; short values stay."""
    for secret in _list_masked_values(secret_headers):
        content = content.replace(secret, MASK.encode())
    return content


def _mask_kept_bytes(content: bytes, secret_headers: Mapping[str, str], *, is_whole: bool) -> bytes:
    """The masked content; if it was cut, without the beginning of a value where it ends."""
    content = mask_header_values(content, secret_headers)
    if is_whole:
        return content
    beginnings = (secret[:end] for secret in _list_masked_values(secret_headers) for end in range(1, len(secret)))
    longest = max((len(beginning) for beginning in beginnings if content.endswith(beginning)), default=0)
    return content[: len(content) - longest]


def _list_masked_values(secret_headers: Mapping[str, str]) -> list[bytes]:
    forms = (form for value in secret_headers.values() for form in _iter_secret_forms(value))
    return [form for form in forms if len(form) >= SHORTEST_MASKED]


def _iter_secret_forms(header_value: str) -> Iterator[bytes]:
    """The value of a header, the same without its scheme ("Bearer"), and the password that Basic encodes."""
    scheme, _, secret = header_value.rpartition(" ")
    yield from (header_value.encode("latin-1", "replace"), secret.encode("latin-1", "replace"))
    if scheme.lower() == "basic":
        with contextlib.suppress(ValueError):
            yield base64.b64decode(secret, validate=True).partition(b":")[2]


def _send_once(
    outgoing: _HttpRequest, time_limit: Deadline, max_bytes: int, networks: Sequence[str], exchange: Exchange
) -> HttpReply:
    """Send one request on a new connection and read the answer."""
    method, target = outgoing.method, outgoing.target
    request = outgoing.render()
    exchange.record_request(outgoing.render(masks_secrets=True) if outgoing.secret_headers else request)
    connect_limit = time_limit.limit_connecting(outgoing.connect_seconds)
    addresses = resolve_permitted_addresses(target.host, target.port, networks, connect_limit, exchange)
    if outgoing.needs_trusted_network:
        addresses = keep_addresses_for_plain_http(addresses, networks)
    channel = connect_to_first_reachable_address(addresses, connect_limit, exchange)
    try:
        if target.scheme == "https":
            channel.start_tls(target.host, get_tls_context_with_bundled_roots())
        channel.deadline = time_limit
        channel.limit = max_bytes + ROOM_FOR_HEADERS
        exchange.before_send()
        _send_request(channel, request)
        return _receive_reply(method, target, channel, max_bytes, exchange)
    finally:
        channel.close()


@contextlib.contextmanager
def _translate_errors(exchange: Exchange, time_limit: Deadline) -> Iterator[None]:
    """Turn the exceptions of sockets, TLS and http.client into HttpError."""
    try:
        yield
        if exchange.aborted:
            # When the body ends with the connection, an abort looks like the end of the answer.
            raise make_aborted_error()
    except (HttpError, OSError, http.client.HTTPException) as error:
        raise (make_aborted_error() if exchange.aborted else _translate_connection_error(error, time_limit)) from error
    finally:
        exchange.unregister_stop()


def _translate_connection_error(error: Exception, time_limit: Deadline) -> HttpError:
    """The HttpError for an exception on an established connection."""
    match error:
        case HttpError():
            return error
        case TimeoutError():
            return time_limit.make_deadline_error()
        case http.client.RemoteDisconnected():
            return HttpError(HttpFault.CUT_OFF, "The server closed the connection without an answer")
        case http.client.IncompleteRead():
            return HttpError(HttpFault.CUT_OFF, "The connection ended in the middle of the answer")
        case http.client.HTTPException():
            return HttpError(HttpFault.NOT_HTTP, "The answer does not follow HTTP", str(error))
        case ssl.SSLError():
            return HttpError(HttpFault.CUT_OFF, "The TLS connection broke", error.reason or "")
        case _:
            return HttpError(HttpFault.CUT_OFF, "The connection broke", getattr(error, "strerror", None) or "")


@lru_cache(maxsize=1)
def get_tls_context_with_bundled_roots() -> ssl.SSLContext:
    """A TLS context with the system's root certificates and those of the package requests; some systems have none."""
    context = ssl.create_default_context()
    context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
    return context


def _send_request(channel: ConnectionChannel, request: bytes) -> None:
    # A server that stops reading early may still have sent an answer that says why, so go on to read it.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        channel.send(request)


class _RequestRecorder:
    """A stand-in for the socket of http.client that keeps what is written."""

    def __init__(self) -> None:
        self.written = b""

    def sendall(self, data: bytes) -> None:
        self.written += data


def _render_request(method: str, target: ParsedUrl, body: bytes, headers: Mapping[str, str]) -> bytes:
    """The request as bytes; http.client rejects header injection."""
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.default_port = DEFAULT_PORTS[target.scheme]
    recorder = _RequestRecorder()
    connection.sock = cast(Any, recorder)
    fixed = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        content = body if body or method != "GET" else None
        connection.request(method, target.path, body=content, headers={**headers, **fixed})
    except (ValueError, http.client.InvalidURL) as error:
        raise make_bad_url_error("its host or path cannot be sent") from error
    return recorder.written


def _receive_reply(
    method: str, target: ParsedUrl, channel: ConnectionChannel, max_bytes: int, exchange: Exchange
) -> HttpReply:
    response = http.client.HTTPResponse(cast(socket.socket, channel), method=method)
    try:
        response.begin()
        if channel.is_at_end:
            # http.client accepts truncated headers as complete.
            raise HttpError(HttpFault.CUT_OFF, "The connection ended in the middle of the answer's headers")
        if response.status in REDIRECTS:
            return HttpReply(response.status, response.headers, b"", target.url)
        if response.length is not None and response.length > max_bytes:
            raise make_too_large_error(max_bytes)
        body = read_decompressed_body_or_raise_above_limit(response, max_bytes, exchange)
    finally:
        response.close()
    return HttpReply(response.status, response.headers, body, target.url)
