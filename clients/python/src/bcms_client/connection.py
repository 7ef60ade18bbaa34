"""What both clients share: the settings of httpx, its requests, and the limits of answers."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx

from bcms_client.address import build_api_root
from bcms_client.conversation import Answer, Exchange
from bcms_client.errors import ConfigurationError, UnexpectedAnswerError, UnreachableError
from bcms_client.login import Login
from bcms_client.reading import HINT
from bcms_client.version import __version__

# What is read into memory; files go to disk in pieces, whatever their size.
LARGEST_ANSWER = 64 << 20
PIECE_BYTES = 1 << 16
DEFAULT_TIMEOUT = 120.0
DEFAULT_MAX_WAIT = 180.0
CONNECT_TIMEOUT = 10.0


def build_options(login: Login, timeout: float) -> dict[str, Any]:
    """The arguments of httpx.Client and httpx.AsyncClient. Redirects are never followed."""
    headers = {"Accept": "application/json, */*;q=0.5", "User-Agent": f"bcms-client/{__version__}"}
    if login.token:
        headers["Authorization"] = f"Bearer {login.token}"
    return {
        "base_url": _build_base_url(login),
        "headers": headers,
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        "follow_redirects": False,
        # What is not encrypted stays on this machine: no proxy of the environment gets it.
        "trust_env": login.url.startswith("https:"),
    }


def _build_base_url(login: Login) -> httpx.URL:
    try:
        return httpx.URL(build_api_root(login.url))
    except httpx.InvalidURL:
        raise ConfigurationError("The address of the site is not a URL.", "Use https://HOST.") from None


def build_request_arguments(exchange: Exchange) -> dict[str, Any]:
    """The arguments of `stream` of both httpx clients."""
    arguments: dict[str, Any] = {"method": exchange.method, "url": exchange.path}
    if exchange.query:
        arguments["params"] = httpx.QueryParams(exchange.query)
    if exchange.file is not None:
        arguments |= {"data": exchange.form, "files": {"file": exchange.file}}
    elif exchange.body is not None:
        arguments["json"] = exchange.body
    return arguments


class AnswerCollector:
    """Takes the pieces of one answer: into the target if it is a successful download, else into memory, limited."""

    def __init__(self, exchange: Exchange, response: httpx.Response) -> None:
        self.response, self.body = response, bytearray()
        self.target = exchange.target if response.status_code == 200 else None
        if self.target is not None and not response.headers.get("content-disposition", "").startswith("attachment"):
            raise UnexpectedAnswerError("The server answered with a page, not with the file.", HINT)

    def add_piece(self, piece: bytes) -> None:
        if self.target is not None:
            self.target.write(piece)
            return
        self.body += piece
        if len(self.body) > LARGEST_ANSWER:
            raise UnexpectedAnswerError("The answer is too large.", HINT)

    def build_answer(self) -> Answer:
        headers = {name.lower(): value for name, value in self.response.headers.items()}
        return Answer(self.response.status_code, headers, bytes(self.body))


@contextmanager
def translate_errors(login: Login) -> Generator[None]:
    """Raise errors of httpx as ours."""
    try:
        yield
    except httpx.TimeoutException:
        raise UnreachableError(f"{login.url} did not answer in time.", "Try again, or raise timeout.") from None
    except httpx.RemoteProtocolError:
        raise UnreachableError(f"{login.url} broke off the connection.", "Try again.") from None
    except httpx.DecodingError:
        raise UnexpectedAnswerError("The compression of the answer is damaged.", "Try again.") from None
    # UnicodeError: no host can have this name.
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise UnreachableError(f"{login.url} cannot be reached ({error}).", "Check the address.") from None
