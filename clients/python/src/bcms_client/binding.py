"""One description of a method for both clients.

`get_server = Operation(servers.get_server)` in a class gives `Client.get_server(slug)`, which returns what the call
reads, and `AsyncClient.get_server(slug)`, which returns an awaitable of it. Type checkers know which of them they see.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from bcms_client.calls import Call, Download, ListCall

if TYPE_CHECKING:
    from bcms_client.async_client import AsyncClient
    from bcms_client.client import Client

P = ParamSpec("P")
T = TypeVar("T")


class Operation(Generic[P, T]):
    """A method that sends one call."""

    def __init__(self, describe: Callable[P, Call[T]]) -> None:
        self.describe, self.__doc__ = describe, describe.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Operation[P, T]: ...
    @overload
    def __get__(self, client: Client, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncClient, owner: type) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        return self if client is None else _bind(self.describe, client.send)


class Listing(Generic[P, T]):
    """A method that iterates over a list in pages."""

    def __init__(self, describe: Callable[P, ListCall[T]]) -> None:
        self.describe, self.__doc__ = describe, describe.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Listing[P, T]: ...
    @overload
    def __get__(self, client: Client, owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AsyncClient, owner: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        return self if client is None else _bind(self.describe, client.iterate)


class FileDownload(Generic[P]):
    """A method that writes a file of the site to a path, and returns the path."""

    def __init__(self, describe: Callable[P, Download]) -> None:
        self.describe, self.__doc__ = describe, describe.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> FileDownload[P]: ...
    @overload
    def __get__(self, client: Client, owner: type) -> Callable[P, Path]: ...
    @overload
    def __get__(self, client: AsyncClient, owner: type) -> Callable[P, Awaitable[Path]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        return self if client is None else _bind(self.describe, client.download)


def _bind(describe: Callable[..., Any], send: Callable[[Any], Any]) -> Callable[..., Any]:
    @wraps(describe)
    def method(*args: Any, **kwargs: Any) -> Any:
        return send(describe(*args, **kwargs))

    return method
