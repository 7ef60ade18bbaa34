"""Where the characters of a text are in a slightly different one, so that annotations can be moved to it.

Lines are aligned first, which are passages in a canonical text, and then the characters of those that changed, both by
the fewest insertions and deletions.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from rapidfuzz.distance import Indel

from annotations.schema import Span

# Texts that share less are different texts, not changed ones.
LEAST_SHARED_PART = 0.9
# An alignment takes a bit of memory for each pair of characters, here at most 50 MB. Longer changes are not aligned.
MOST_PAIRS_OF_CHARACTERS = 400_000_000


class EqualBlock(NamedTuple):
    """Characters that both texts have: where they start in each, in code points, and how many they are."""

    earlier: int
    later: int
    length: int


class TextAlignment:
    """The alignment of an earlier text with a later one."""

    def __init__(self, earlier: str, later: str) -> None:
        self.earlier, self.later = earlier, later
        # The last one is empty and at the end of both.
        self.blocks = [*_iter_equal_blocks(earlier, later), EqualBlock(len(earlier), len(later), 0)]
        self.starts = [block.earlier for block in self.blocks]

    @property
    def is_slight_change(self) -> bool:
        """Whether LEAST_SHARED_PART of the earlier text is in the later one."""
        return sum(block.length for block in self.blocks) >= LEAST_SHARED_PART * len(self.earlier)

    def find_span(self, span: Span) -> Span | None:
        """The place of a span of the earlier text in the later one; None if its words are not there.

        They may differ in case, in white space and in the form of characters, such as a ligature. What begins or ends a
        word has to do so in the later text.
        """
        start, end = self._find_start(span.start), self._find_end(span.end)
        words = self.later[start:end]
        if not words.strip() or _fold(words) != _fold(self.earlier[span.start : span.end]):
            return None
        start += len(words) - len(words.lstrip())
        end = start + len(words.strip())
        if _is_within_word(self.later, start) > _is_within_word(self.earlier, span.start):
            return None
        return None if _is_within_word(self.later, end) > _is_within_word(self.earlier, span.end) else Span(start, end)

    def _find_start(self, position: int) -> int:
        """Where the character at the position is in the later text, or what stands in its place begins."""
        index = bisect_right(self.starts, position) - 1
        if index < 0:
            return 0
        block = self.blocks[index]
        return block.later + min(position - block.earlier, block.length)

    def _find_end(self, position: int) -> int:
        """Where the character before the position ends in the later text, or what stands in its place."""
        index = bisect_right(self.starts, position - 1) - 1
        block = self.blocks[index]
        if index >= 0 and position <= block.earlier + block.length:
            return block.later + position - block.earlier
        return self.blocks[index + 1].later


def _is_within_word(text: str, position: int) -> bool:
    return text[position - 1 : position].isalnum() and text[position : position + 1].isalnum()


def _fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _iter_equal_blocks(earlier: str, later: str) -> Iterator[EqualBlock]:
    earlier_lines, later_lines = earlier.split("\n"), later.split("\n")
    earlier_starts, later_starts = _list_line_starts(earlier_lines), _list_line_starts(later_lines)
    next_earlier, next_later = 0, 0
    for first, later_first, number in _iter_blocks_of_items(earlier_lines, later_lines):
        start, later_start = earlier_starts[first], later_starts[later_first]
        yield from _iter_blocks_of_changed_part(earlier, later, (next_earlier, start), (next_later, later_start))
        next_earlier = min(earlier_starts[first + number], len(earlier))
        next_later = min(later_starts[later_first + number], len(later))
        yield EqualBlock(start, later_start, min(next_earlier - start, next_later - later_start))
    yield from _iter_blocks_of_changed_part(earlier, later, (next_earlier, len(earlier)), (next_later, len(later)))


def _list_line_starts(lines: list[str]) -> list[int]:
    """The start of each line, and of a line after the last."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _iter_blocks_of_changed_part(
    earlier: str, later: str, part: tuple[int, int], later_part: tuple[int, int]
) -> Iterator[EqualBlock]:
    before, after = earlier[slice(*part)], later[slice(*later_part)]
    if len(before) * len(after) <= MOST_PAIRS_OF_CHARACTERS:
        for block in _iter_blocks_of_items(before, after):
            yield EqualBlock(part[0] + block.earlier, later_part[0] + block.later, block.length)


def _iter_blocks_of_items(earlier: str | list[str], later: str | list[str]) -> Iterator[EqualBlock]:
    for operation in Indel.opcodes(earlier, later):
        if operation.tag == "equal":
            yield EqualBlock(operation.src_start, operation.dest_start, operation.src_end - operation.src_start)
