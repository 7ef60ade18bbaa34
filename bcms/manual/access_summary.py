"""The access table of the manual, made from bcms/access_table.py."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from django.urls import get_resolver

from bcms.access_audiences import Audience
from bcms.access_table import AccessRow, iter_access_rows


@dataclass(frozen=True, slots=True)
class AccessEntry:
    """A URL with its HTTP methods; hidden if it is that of an object of an unpublished phase."""

    methods: str
    route: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class AccessGroup:
    who: Audience
    entries: list[AccessEntry]


def list_access_groups_by_audience() -> list[AccessGroup]:
    """The table, one group for each audience."""
    return [
        AccessGroup(who, list(_iter_access_entries(list(own))))
        for who, own in groupby(iter_access_rows(), key=lambda row: row.audience)
    ]


def _iter_access_entries(own: list[AccessRow]) -> Iterator[AccessEntry]:
    keys = sorted({(_format_route(row.name), row.hidden) for row in own})
    for route, hidden in keys:
        methods = [row.method for row in own if (_format_route(row.name), row.hidden) == (route, hidden)]
        yield AccessEntry(", ".join(sorted(set(methods))), route, hidden)


def _format_route(name: str) -> str:
    """The pattern of a URL, such as /servers/<slug>/."""
    namespace, _, local_name = name.rpartition(":")
    prefix, resolver = get_resolver().namespace_dict[namespace] if namespace else ("", get_resolver())
    form: str = prefix + resolver.reverse_dict.getlist(local_name)[0][0][0][0]
    return "/" + re.sub(r"%\((\w+)\)s", r"<\1>", form)
