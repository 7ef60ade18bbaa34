"""The namespaces of the Bioregistry, from the table namespaces.tsv, which is read when one of them is needed first.

The table is written by tools/make_namespaces.py, where its columns are described. Source: https://bioregistry.io
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

NAMESPACE_TABLE = Path(__file__).with_name("namespaces.tsv")
# Identifiers of namespaces without a pattern in the registry.
ANY_IDENTIFIER = re.compile(r"[!-~]{1,200}")


@dataclass(frozen=True, slots=True)
class IdentifierNamespace:
    """A database: its title on pages, the pattern of a whole identifier, and the URL of its page with {} for it.

    prefix is what people write before an identifier: `MESH` in `MESH:D001943`. banana is written instead of it and the
    colon, if it is not empty: `CVCL_`, `CHEBI:`.
    """

    title: str
    pattern: re.Pattern[str]
    url_template: str
    prefix: str
    banana: str = ""


@dataclass(frozen=True, slots=True)
class EntryUrl:
    """A form of URL: the database of its identifiers, and what follows these in the URL."""

    database: str
    ending: str


@cache
def _load_cells_by_prefix() -> Mapping[str, tuple[str, ...]]:
    """The cells of each row but the first, by prefix."""
    with NAMESPACE_TABLE.open(encoding="utf-8") as lines:
        next(lines)
        rows = (tuple(line.rstrip("\n").split("\t")) for line in lines)
        return {prefix: cells for prefix, *cells in rows}  # type: ignore[misc]


@lru_cache(maxsize=1024)
def find_bioregistry_namespace(prefix: str) -> IdentifierNamespace | None:
    """The namespace of a prefix of the Bioregistry, in lower case."""
    cells = _load_cells_by_prefix().get(prefix)
    if cells is None:
        return None
    preferred, name, pattern, url, banana, _spellings, _urls = cells
    template = url.replace("{", "{{").replace("}", "}}").replace("$1", "{}")
    return IdentifierNamespace(
        name, re.compile(pattern, re.ASCII) if pattern else ANY_IDENTIFIER, template, preferred, banana
    )


@cache
def load_prefixes_by_spelling() -> Mapping[str, str]:
    """{spelling without case, white space, `-` and `_`: prefix}."""
    prefixes = {spelling: prefix for prefix, cells in _load_cells_by_prefix().items() for spelling in _spell(cells)}
    return prefixes | {re.sub("[_-]", "", prefix): prefix for prefix in _load_cells_by_prefix()}


def _spell(cells: tuple[str, ...]) -> list[str]:
    return cells[5].split("|") if cells[5] else []


@cache
def load_entry_urls() -> Mapping[str, EntryUrl]:
    """The forms of URLs by what precedes the identifier, without scheme and `www.`; the first of each beginning."""
    urls: dict[str, EntryUrl] = {}
    for prefix, cells in _load_cells_by_prefix().items():
        for start, _, ending in _iter_url_parts(cells):
            urls.setdefault(start, EntryUrl(prefix, ending))
    return urls


def _iter_url_parts(cells: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    if url := cells[3]:
        yield re.sub("^https?://(?:www[.])?", "", url).partition("$1")
    for other_url in cells[6].split():
        yield other_url.partition("$1")
