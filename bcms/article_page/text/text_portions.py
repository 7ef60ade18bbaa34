"""A long text in portions of some pages each, so that a paper of a hundred pages opens as quickly as an abstract."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

# Six pages of a journal.
PORTION_CHARACTERS = 20_000
# The value of the parameter `portion` for all of them.
WHOLE = "all"


@dataclass(frozen=True, slots=True)
class TextPortions:
    """The portions of a text, and which of them are shown: from first to last, counted from 1.

    starts: the number of the first passage of each portion, from 0, and the number of all passages at the end; offsets:
    where these passages begin in the text, and its length.
    """

    starts: Sequence[int]
    offsets: Sequence[int]
    first: int
    last: int

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    @property
    def are_all_shown(self) -> bool:
        return self.first == 1 and self.last == self.count

    @property
    def passages(self) -> range:
        """The numbers of the passages that are shown, without the title unless it is in the first portion."""
        return range(self.starts[self.first - 1], self.starts[self.last])

    @property
    def before(self) -> str:
        """The parameter for the portion before those that are shown, "" for none."""
        return str(self.first - 1) if self.first > 1 else ""

    @property
    def after(self) -> str:
        return str(self.last + 1) if self.last < self.count else ""

    @property
    def parameter(self) -> str:
        """What shows the same portions again; "" if that is what a page shows by itself."""
        if self.are_all_shown:
            return WHOLE if self.count > 1 else ""
        if self.first == self.last:
            return str(self.first) if self.first > 1 else ""
        return f"{self.first}-{self.last}"

    def shows(self, position: int) -> bool:
        """Whether what begins there is in a portion that is shown."""
        return self.first <= self.find_portion(position) <= self.last

    def find_portion(self, position: int) -> int:
        """The number of the portion with this position in the text."""
        return min(bisect_right(self.offsets, position), self.count)


def choose_portions(passages: Sequence[Mapping[str, str]], asked: str, position: int | None) -> TextPortions:
    """The portions that the parameter asks for, such as "3", "1-5" or "all"; the first one for anything else.

    position: of what the reader has chosen in the text. If it is in none of these portions, its own is shown.
    """
    lengths = [len(passage["text"]) + 1 for passage in passages]
    offsets = [0, *accumulate(lengths)]
    starts = _list_starts(lengths)
    first, last = _read_range(asked, len(starts) - 1)
    portions = TextPortions(starts, [offsets[start] for start in starts], first, last)
    if position is None or portions.shows(position):
        return portions
    own = portions.find_portion(position)
    return TextPortions(portions.starts, portions.offsets, own, own)


def _list_starts(lengths: Sequence[int]) -> list[int]:
    """A portion ends with the passage that makes it long enough; the rest of the text belongs to the last one."""
    starts, length, rest = [0], 0, sum(lengths)
    for number, each in enumerate(lengths, start=1):
        length, rest = length + each, rest - each
        if length >= PORTION_CHARACTERS and rest >= PORTION_CHARACTERS:
            starts.append(number)
            length = 0
    return [*starts, len(lengths)]


def _read_range(asked: str, count: int) -> tuple[int, int]:
    if asked == WHOLE:
        return 1, count
    first, _, last = asked.partition("-")
    if not (first.isascii() and first.isdecimal() and (last or first).isdecimal() and (last or first).isascii()):
        return 1, 1
    begin, end = int(first[:9]), int((last or first)[:9])
    return (begin, min(end, count)) if 1 <= begin <= end and begin <= count else (1, 1)
