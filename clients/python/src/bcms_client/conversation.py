"""How a call is carried out, without input and output of its own.

`send_call` and its like are generators. They yield an Exchange or a Pause, which a client carries out with or without
await, and get the answer back. So waiting, repeating and reading of errors are written once.
"""

import errno
import json
import os
import secrets
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeVar
from urllib.parse import SplitResult, urlsplit

from bcms_client.calls import Call, Download, ListCall, Page, QueryValue
from bcms_client.errors import (
    BcmsError,
    Fault,
    ProblemError,
    RedirectError,
    StillWorkingError,
    UnexpectedAnswerError,
    choose_problem_class,
)
from bcms_client.reading import HINT, make_list_reader

T = TypeVar("T")
POLL_SECONDS = 1.0
MOST_FAULTS = 1000


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request to send. target: where the body of a successful answer is written, piece by piece."""

    method: str
    path: str
    query: Mapping[str, str] | str = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    form: Mapping[str, str] = field(default_factory=dict)
    file: tuple[str, BinaryIO] | None = None
    target: BinaryIO | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """headers have names in lower case; the body is empty if it was written to the target."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


Steps = Generator[Exchange | Pause, Answer | None, T]


def send_call(call: Call[T], max_wait: float) -> Steps[T]:
    """Send a call and read its answer. A call with `until` is repeated until the answer is so."""
    deadline = time.monotonic() + call.within
    while True:
        result = call.read((yield from _exchange_json(call, max_wait)))
        if call.until is None or call.until(result):
            return result
        if time.monotonic() + POLL_SECONDS > deadline:
            raise StillWorkingError(f"The server has not finished after {call.within:g} s.", "Ask again later.")
        yield Pause(POLL_SECONDS)


def fetch_page(call: ListCall[T], next_query: str | None, max_wait: float) -> Steps[Page[T]]:
    """One page: the first, or that of a query which the page before named."""
    query = next_query if next_query is not None else _format_query({**call.query, "limit": call.page_size})
    data = _decode((yield from _exchange(Exchange("GET", call.path, query), max_wait)))
    results, following = (data.get("results"), data.get("next")) if isinstance(data, dict) else (None, None)
    if following is not None and not isinstance(following, str):
        raise UnexpectedAnswerError("The link to the next page is not a URL.", HINT)
    # Only the query: the token goes to no other host, whatever the link says.
    return Page(make_list_reader(call.record)(results), _split_url(following).query if following else None)


def send_download(call: Download, max_wait: float) -> Steps[Any]:
    """Write a file of the site to its target, which appears only when it is complete; the path of the target."""
    if call.target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(call.target))
    # A new file of a name that nobody can know: in a folder of many people, a link could lead to another file.
    partial = call.target.with_name(f".{secrets.token_hex(8)}.part")
    opened = partial.open("xb")
    try:
        with opened:
            exchange = Exchange("GET", call.path, _format_query(call.query), target=opened)
            answer = yield from _exchange(exchange, max_wait)
        if answer.status != 200:
            raise UnexpectedAnswerError(f"The server answered {answer.status}, without the file.", HINT)
        return partial.replace(call.target)
    finally:
        partial.unlink(missing_ok=True)


def _exchange_json(call: Call[Any], max_wait: float) -> Steps[Any]:
    query = _format_query(call.query)
    if call.file is None:
        exchange = Exchange(call.method, call.path, query, call.body)
        return _decode((yield from _exchange(exchange, max_wait)))
    with call.file.open("rb") as opened:
        exchange = Exchange(call.method, call.path, query, form=call.form, file=(call.file.name, opened))
        return _decode((yield from _exchange(exchange, max_wait)))


def _exchange(exchange: Exchange, max_wait: float) -> Steps[Answer]:
    """The successful answer. What only reads waits and is sent again if the server asks for it (429, 503)."""
    deadline = time.monotonic() + max_wait
    while True:
        answer = yield exchange
        assert answer is not None
        if answer.status < 300:
            return answer
        error = _make_error(answer)
        if not _may_repeat(exchange, error, deadline):
            raise error
        yield Pause(max(1.0, getattr(error, "retry_after", None) or 0))


def _may_repeat(exchange: Exchange, error: BcmsError, deadline: float) -> bool:
    if exchange.method != "GET" or not isinstance(error, ProblemError) or error.status not in (429, 503):
        return False
    return error.retry_after is not None and time.monotonic() + error.retry_after <= deadline


def _make_error(answer: Answer) -> BcmsError:
    """The error for an answer of 300 or more, from its problem details (RFC 9457) if it has some."""
    if answer.status < 400:
        location = _split_url(answer.headers.get("location", ""))
        elsewhere = f"{location.scheme}://{location.netloc}" if location.netloc else "another page"
        return RedirectError(f"The server redirects to {elsewhere}.", "If that is the site, log in with its address.")
    problem = _read_problem(answer)
    wait = answer.headers.get("retry-after", "")
    return choose_problem_class(answer.status)(
        answer.status,
        problem.get("detail") or f"The server answered {answer.status}.",
        problem.get("code", ""),
        problem.get("faults", ()),
        float(wait) if wait.isdecimal() and wait.isascii() and len(wait) < 8 else None,
    )


def _split_url(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise UnexpectedAnswerError("The server answered with a link that is not a URL.", HINT) from None


def _read_problem(answer: Answer) -> dict[str, Any]:
    """detail, code and faults; nothing unless the answer is a problem as the API describes it."""
    try:
        data = json.loads(answer.body)
        problem = {name: data[name] for name in ("detail", "code") if isinstance(data[name], str)}
        faults = [_read_fault(each) for each in data["errors"][:MOST_FAULTS]]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}
    return {**problem, "faults": faults}


def _read_fault(data: Mapping[str, Any]) -> Fault:
    loc, code, message = (str(data.get(name, "")) for name in ("loc", "code", "message"))
    return Fault(loc, code, message, int(data.get("line", 0)), int(data.get("column", 0)))


def _decode(answer: Answer) -> Any:
    """The JSON of an answer; None for an empty one."""
    if not answer.body:
        return None
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        raise UnexpectedAnswerError("The server answered with something that is not JSON.", HINT) from None


def _format_query(query: Mapping[str, QueryValue]) -> dict[str, str]:
    """The parameters that are not None as the API writes them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value is not None
    }
