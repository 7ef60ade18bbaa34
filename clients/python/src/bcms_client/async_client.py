"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Generator
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


class AsyncClient(ApiMethods):
    """The API of one site, for use in an `async with` statement: the methods of Client, to be awaited.

    Lists are for `async for`. The arguments are those of Client.
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
        self._http = httpx.AsyncClient(**build_options(self._login, timeout))

    def __repr__(self) -> str:
        return f"AsyncClient({self._login.url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        """Send a call, also one of your own for a resource that has no method here."""
        return await self._carry_out(conversation.send_call(call, self._max_wait))

    async def iterate(self, call: ListCall[T]) -> AsyncIterator[T]:
        """The entries of a list, page by page."""
        query: str | None = None
        while True:
            page = await self._carry_out(conversation.fetch_page(call, query, self._max_wait))
            for entry in page.results:
                yield entry
            if page.next_query is None:
                return
            query = page.next_query

    async def download(self, call: Download) -> Path:
        """Write a file of the site to its target in constant memory."""
        path: Path = await self._carry_out(conversation.send_download(call, self._max_wait))
        return path

    async def _carry_out(self, steps: Generator[Exchange | Pause, Answer | None, T]) -> T:
        answer: Answer | None = None
        try:
            while True:
                answer = await self._perform(steps.send(answer))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            steps.close()

    async def _perform(self, step: Exchange | Pause) -> Answer | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        arguments: dict[str, Any] = build_request_arguments(step)
        with translate_errors(self._login):
            async with self._http.stream(**arguments) as response:
                collector = AnswerCollector(step, response)
                async for piece in response.aiter_bytes(PIECE_BYTES):
                    collector.add_piece(piece)
                return collector.build_answer()
