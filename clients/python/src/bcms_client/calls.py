"""What to send and how to read the answer, without sending it: the sync and the async client share these."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from bcms_client.reading import make_reader

T = TypeVar("T")
QueryValue = str | int | float | bool | None
LARGEST_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request. until: send it again, with pauses, until the answer is so; within so many seconds."""

    method: str
    path: str
    read: Callable[[Any], T]
    query: Mapping[str, QueryValue] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    form: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None
    until: Callable[[T], bool] | None = None
    within: float = 0


@dataclass(frozen=True, slots=True)
class ListCall(Generic[T]):
    """A list in pages, which are asked for one by one as its entries are read."""

    path: str
    record: type[T]
    query: Mapping[str, QueryValue] = field(default_factory=dict)
    page_size: int = 100


@dataclass(frozen=True, slots=True)
class Download:
    """A file of the site, and where to write it."""

    path: str
    target: Path
    query: Mapping[str, QueryValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """next_query: the query of the next page, None on the last."""

    results: tuple[T, ...]
    next_query: str | None


def get(path: str, record: type[T], query: Mapping[str, QueryValue] | None = None) -> Call[T]:
    """Read one record."""
    return Call("GET", path, make_reader(record), query or {})


def post(path: str, record: type[T], body: Mapping[str, Any] | None = None) -> Call[T]:
    """Change something; fields of the body that are None are omitted."""
    return Call("POST", path, make_reader(record), body=_drop_missing(body or {}))


def post_file(path: str, record: type[T], file: Path, form: Mapping[str, str | None]) -> Call[T]:
    """Send a file with the fields of a form; those that are None are omitted."""
    return Call("POST", path, make_reader(record), form=_drop_missing(form), file=file)


V = TypeVar("V")


def _drop_missing(values: Mapping[str, V | None]) -> dict[str, V]:
    return {name: value for name, value in values.items() if value is not None}
