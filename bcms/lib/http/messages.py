"""HTTP replies, and URLs taken apart for a request."""

import re
from dataclasses import dataclass
from email.message import Message
from urllib.parse import quote, urlsplit

from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.text import clip_text_replacing_unprintable

DEFAULT_PORTS = {"http": 80, "https": 443}
SPACE_OR_CONTROL = re.compile(r"[\x00-\x20\x7f]")


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An HTTP reply, whatever its status; the body is decompressed."""

    status: int
    headers: Message
    body: bytes
    url: str


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """The parts of a URL; host is without brackets, path includes the query."""

    url: str
    scheme: str
    host: str
    port: int
    path: str


def parse_http_url(url: str) -> ParsedUrl:
    """Parse an http or https URL. Raises HttpError(BAD_URL), whose message never contains a password."""
    if SPACE_OR_CONTROL.search(url):
        raise make_bad_url_error("it contains white space or control characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise make_bad_url_error("its host or port is malformed") from error
    if parts.scheme not in DEFAULT_PORTS:
        raise make_bad_url_error("it does not begin with http:// or https://")
    if not parts.hostname or port == 0:
        raise make_bad_url_error("it names no host or the port 0")
    if "@" in parts.netloc:
        raise make_bad_url_error("it contains a user name or password")
    path = quote(parts.path or "/", safe="/%:=&+!$,;'@()*[]~")
    query = "?" + quote(parts.query, safe="/%:=&?+!$,;'@()*[]~") if parts.query else ""
    return ParsedUrl(url, parts.scheme, _encode_host(parts.hostname), port or DEFAULT_PORTS[parts.scheme], path + query)


def format_url_without_login_and_query(url: str) -> str:
    """The target of a redirect for display: without user, query and control characters, at most 200 characters."""
    try:
        parts = urlsplit(url)
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        shown = "a malformed URL"
    return clip_text_replacing_unprintable(shown, 200)


def format_url_origin(url: str) -> str:
    """The scheme, host and port of a URL, such as https://example.org:443. Raises HttpError(BAD_URL)."""
    target = parse_http_url(url)
    host = f"[{target.host}]" if ":" in target.host else target.host
    return f"{target.scheme}://{host.lower()}:{target.port}"


def _encode_host(host: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise make_bad_url_error("its host is not a valid domain name") from error


def make_bad_url_error(reason: str) -> HttpError:
    return HttpError(HttpFault.BAD_URL, f"The URL cannot be used: {reason}")
