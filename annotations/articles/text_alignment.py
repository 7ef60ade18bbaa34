"""Where the characters of a text are in a slightly different one, so that annotations can be moved to it.

Lines are aligned first, which are passages in a canonical text, and then the characters of those that changed, both by
the fewest insertions and deletions.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from annotations.schema import Span
from bcms.lib.text import collapse_white_space

# Texts that share less are different texts, not changed ones.
LEAST_SHARED_PART = 0.9
# A long text has the single characters of any short one somewhere, in their order: they are not shared.
SHORTEST_SHARED_BLOCK = 2
# Aligning takes a bit of memory for each pair of lines or characters, here at most 50 MB, and about a second. Longer
# changes are not aligned.
MOST_PAIRS = 400_000_000
# So many in all texts of a file: some 15 seconds, or 3,000 abstracts in which every sentence changed.
MOST_PAIRS_OF_FILE = 8_000_000_000
# White space makes a text longer, but rarely twice as long; what is even longer is not aligned at all.
MOST_GROWTH = 2
# Longer spans are only found if they are unchanged, since comparing them in another form takes long.
LONGEST_CHANGED_SPAN = 5_000
WHITE_SPACE = re.compile(r"\s")


class EqualBlock(NamedTuple):
    """Characters that both texts have: where they start in each, in code points, and how many they are."""

    earlier: int
    later: int
    length: int


class AlignmentBudget:
    """How many pairs of lines or characters may still be aligned."""

    def __init__(self, pairs: int = MOST_PAIRS) -> None:
        self.pairs = pairs

    def spend(self, pairs: int) -> bool:
        """Whether so many may be aligned, at once and in all; if so, they count as aligned."""
        if pairs > min(MOST_PAIRS, self.pairs):
            return False
        self.pairs -= pairs
        return True


class TextAlignment:
    """The alignment of an earlier text with a later one. budget: shared with other texts; by default, a new one."""

    def __init__(self, earlier: str, later: str, budget: AlignmentBudget | None = None) -> None:
        self.earlier, self.later = earlier, later
        blocks = _iter_equal_blocks(earlier, later, budget or AlignmentBudget())
        # The last one is empty and at the end of both.
        self.blocks = [*blocks, EqualBlock(len(earlier), len(later), 0)]
        self.starts = [block.earlier for block in self.blocks]

    @property
    def is_slight_change(self) -> bool:
        """Whether LEAST_SHARED_PART of the earlier text is in the later one, apart from white space."""
        shared = (block for block in self.blocks if block.length >= SHORTEST_SHARED_BLOCK)
        number = sum(_count_solid(self.earlier[start : start + length]) for start, _, length in shared)
        return number >= LEAST_SHARED_PART * _count_solid(self.earlier)

    @cached_property
    def later_with_collapsed_space(self) -> str:
        return collapse_white_space(self.later)

    def find_span(self, span: Span) -> Span | None:
        """The place of a span of the earlier text in the later one; None if its words are not there, or it has none.

        They may differ in case, in white space and in the form of characters, such as a ligature. What begins or ends a
        word has to do so in the later text.
        """
        if not 0 <= span.start < span.end <= len(self.earlier):
            return None
        start, end = self._find_start(span.start), self._find_end(span.end)
        words, earlier_words = self.later[start:end], self.earlier[span.start : span.end]
        if not words.strip() or not _have_same_words(words, earlier_words):
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


def align_carried_text(carried: str, stored: str, budget: AlignmentBudget | None = None) -> TextAlignment | None:
    """The alignment of a text that came with annotations with the stored text of their article; None if they differ
    too much.

    budget: shared by all texts of a file.
    """
    may_be_same = carried.strip() and len(carried) <= MOST_GROWTH * len(stored)
    if not may_be_same or _count_solid(stored) < LEAST_SHARED_PART * _count_solid(carried):
        return None
    alignment = TextAlignment(carried, stored, budget)
    return alignment if alignment.is_slight_change else None


def has_same_positions(carried: str, stored: str) -> bool:
    """Whether positions in a text that came with annotations are those in the stored text of their article.

    It is that text, or its beginning up to white space, such as the title. White space may have another form.
    """
    if carried == stored:
        return True
    carried = carried.rstrip()
    if not carried or not (stored[len(carried) :][:1].isspace() or len(stored) == len(carried)):
        return False
    return WHITE_SPACE.sub(" ", carried) == WHITE_SPACE.sub(" ", stored[: len(carried)])


def _count_solid(text: str) -> int:
    """The number of characters that are not white space."""
    return sum(map(len, text.split()))


def _have_same_words(words: str, earlier_words: str) -> bool:
    if words == earlier_words:
        return True
    return max(len(words), len(earlier_words)) <= LONGEST_CHANGED_SPAN and _fold(words) == _fold(earlier_words)


def _is_within_word(text: str, position: int) -> bool:
    return text[position - 1 : position].isalnum() and text[position : position + 1].isalnum()


def _fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _iter_equal_blocks(earlier: str, later: str, budget: AlignmentBudget) -> Iterator[EqualBlock]:
    earlier_lines, later_lines = earlier.split("\n"), later.split("\n")
    earlier_starts, later_starts = _list_line_starts(earlier_lines), _list_line_starts(later_lines)
    next_earlier, next_later = 0, 0
    for first, later_first, number in _iter_blocks_of_items(earlier_lines, later_lines, budget):
        start, later_start = earlier_starts[first], later_starts[later_first]
        before, after = (next_earlier, start), (next_later, later_start)
        yield from _iter_blocks_of_changed_part(earlier, later, before, after, budget)
        next_earlier = min(earlier_starts[first + number], len(earlier))
        next_later = min(later_starts[later_first + number], len(later))
        yield EqualBlock(start, later_start, min(next_earlier - start, next_later - later_start))
    before, after = (next_earlier, len(earlier)), (next_later, len(later))
    yield from _iter_blocks_of_changed_part(earlier, later, before, after, budget)


def _list_line_starts(lines: list[str]) -> list[int]:
    """The start of each line, and of a line after the last."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _iter_blocks_of_changed_part(
    earlier: str, later: str, part: tuple[int, int], later_part: tuple[int, int], budget: AlignmentBudget
) -> Iterator[EqualBlock]:
    for block in _iter_blocks_of_items(earlier[slice(*part)], later[slice(*later_part)], budget):
        yield EqualBlock(part[0] + block.earlier, later_part[0] + block.later, block.length)


def _iter_blocks_of_items(
    earlier: str | list[str], later: str | list[str], budget: AlignmentBudget
) -> Iterator[EqualBlock]:
    if not budget.spend(len(earlier) * len(later)):
        return
    # Not above, because the kit for participants imports this module and runs without the package.
    from rapidfuzz.distance import Indel

    for operation in Indel.opcodes(earlier, later):
        if operation.tag == "equal":
            yield EqualBlock(operation.src_start, operation.dest_start, operation.src_end - operation.src_start)
