"""The client that waits."""

import time
from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from bcms_client import conversation
from bcms_client.calls import Call, Download, ListCall
from bcms_client.connection import (
    DEFAULT_MAX_WAIT,
    DEFAULT_TIMEOUT,
    PIECE_BYTES,
    AnswerCollector,
    build_options,
    build_request_arguments,
    translate_errors,
)
from bcms_client.conversation import Answer, Exchange, Pause
from bcms_client.login import find_login
from bcms_client.methods import ApiMethods

T = TypeVar("T")


class Client(ApiMethods):
    """The API of one site, for use in a `with` statement.

    url and token default to BCMS_URL and BCMS_TOKEN, then to what `bcms login` stored; token="" sends none. timeout:
    seconds without a byte before giving up. max_wait: how many seconds a request that only reads may wait in total when
    the server asks to come back later (429, 503). Raises BcmsError.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        max_wait: float = DEFAULT_MAX_WAIT,
    ) -> None:
        self._login, self._max_wait = find_login(url, token), max_wait
        self._http = httpx.Client(**build_options(self._login, timeout))

    def __repr__(self) -> str:
        return f"Client({self._login.url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Send a call, also one of your own for a resource that has no method here."""
        return self._carry_out(conversation.send_call(call, self._max_wait))

    def iterate(self, call: ListCall[T]) -> Iterator[T]:
        """The entries of a list, page by page."""
        query: str | None = None
        while True:
            page = self._carry_out(conversation.fetch_page(call, query, self._max_wait))
            yield from page.results
            if page.next_query is None:
                return
            query = page.next_query

    def download(self, call: Download) -> Path:
        """Write a file of the site to its target in constant memory."""
        path: Path = self._carry_out(conversation.send_download(call, self._max_wait))
        return path

    def _carry_out(self, steps: Generator[Exchange | Pause, Answer | None, T]) -> T:
        answer: Answer | None = None
        try:
            while True:
                answer = self._perform(steps.send(answer))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            steps.close()

    def _perform(self, step: Exchange | Pause) -> Answer | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        arguments: dict[str, Any] = build_request_arguments(step)
        with translate_errors(self._login), self._http.stream(**arguments) as response:
            collector = AnswerCollector(step, response)
            for piece in response.iter_bytes(PIECE_BYTES):
                collector.add_piece(piece)
            return collector.build_answer()
