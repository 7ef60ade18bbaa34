"""The manual's table of who may what (bcms/roles.py)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django.urls import get_resolver

from bcms.roles import Row, Who, rows


@dataclass(frozen=True, slots=True)
class Entry:
    """An address, with the methods by which it may be asked; hidden: where it leads to what is not published."""

    methods: str
    route: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Granted:
    who: Who
    entries: list[Entry]


def granted() -> list[Granted]:
    """The table, one entry for each group of people."""
    return [Granted(who, list(entries_of(list(own)))) for who, own in groupby(rows(), key=lambda row: row.who)]


def entries_of(own: list[Row]) -> Iterator[Entry]:
    keys = sorted({(route_of(row.name), row.hidden) for row in own})
    for route, hidden in keys:
        methods = [row.method for row in own if (route_of(row.name), row.hidden) == (route, hidden)]
        yield Entry(", ".join(sorted(set(methods))), route, hidden)


def route_of(name: str) -> str:
    """The form of an address: /servers/<slug>/."""
    form: str = get_resolver().reverse_dict.getlist(name)[0][0][0][0]
    return "/" + re.sub(r"%\((\w+)\)s", r"<\1>", form)
