"""Full-text search in the manual.

The index is made from the rendered pages, once per process, on the first search.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from django.template.loader import render_to_string

from bcms.manual.page_text import iter_anchored_page_parts
from bcms.manual.pages import MANUAL_PAGES, ManualPage

LONGEST_QUERY = 200
MOST_HITS = 50
EXCERPT_BEFORE = 80
EXCERPT_LENGTH = 240


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A part of a page, with its text without markup."""

    page: ManualPage
    anchor: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ManualHit:
    """A part that matches a query; excerpt is text in pieces, each with whether it matches a word."""

    entry: IndexEntry
    excerpt: list[tuple[str, bool]]


@cache
def build_search_index() -> list[IndexEntry]:
    return [entry for page in MANUAL_PAGES for entry in _iter_index_entries(page)]


def _iter_index_entries(page: ManualPage) -> Iterator[IndexEntry]:
    html = render_to_string(page.template, dict(page.build_context()))
    for part in iter_anchored_page_parts(html):
        yield IndexEntry(page, part.anchor, part.title, part.text)


def search_manual_for_all_words(query: str) -> list[ManualHit]:
    """The parts in which every word of the query occurs, regardless of case; matches in titles come first."""
    words = query[:LONGEST_QUERY].split()
    if not words:
        return []
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    entries = [entry for entry in build_search_index() if _has_all_words(f"{entry.title} {entry.text}", patterns)]
    entries.sort(key=lambda entry: not _has_all_words(entry.title, patterns))
    return [ManualHit(entry, _make_excerpt(entry.text, words)) for entry in entries[:MOST_HITS]]


def _has_all_words(text: str, patterns: Sequence[re.Pattern[str]]) -> bool:
    return all(pattern.search(text) for pattern in patterns)


def _make_excerpt(text: str, words: Sequence[str]) -> list[tuple[str, bool]]:
    """The text around the first match, split into pieces that match a word and pieces that do not."""
    # The longest word first, as the alternatives of a pattern are tried in order.
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE)
    match = pattern.search(text)
    start = _find_word_start(text, max(0, match.start() - EXCERPT_BEFORE)) if match else 0
    excerpt = text[start : start + EXCERPT_LENGTH]
    if start + EXCERPT_LENGTH < len(text):
        excerpt = excerpt.rpartition(" ")[0] or excerpt
    pieces = [(piece, False) for piece in pattern.split(excerpt)]
    hits = [(piece, True) for piece in pattern.findall(excerpt)]
    mixed = [piece for pair in zip(pieces, hits, strict=False) for piece in pair] + pieces[-1:]
    before = [("… ", False)] if start else []
    after = [(" …", False)] if start + EXCERPT_LENGTH < len(text) else []
    return [*before, *(piece for piece in mixed if piece[0]), *after]


def _find_word_start(text: str, position: int) -> int:
    """The first position from this one on that begins a word; the position itself in a very long word."""
    if position == 0:
        return 0
    space = text.find(" ", position - 1, position + EXCERPT_BEFORE // 2)
    return position if space == -1 else space + 1
