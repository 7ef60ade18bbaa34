"""Why a mention is not where a server says it is: the usual mistakes, tried one after another."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate


class Text:
    """An article's canonical text with what is needed to try out mistakes, made once and only when needed.

    title_length is the length of the title; one newline and the abstract follow. Everything counts code points.
    """

    def __init__(self, text: str, title_length: int) -> None:
        self.text = text
        self.title_length = title_length

    @property
    def body(self) -> int:
        """Where the abstract begins."""
        return self.title_length + 1

    def has(self, mention: str, start: int) -> bool:
        return start >= 0 and self.text.startswith(mention, start)

    def cause(self, start: int, end: int, mention: str) -> str:
        """The likely cause of a wrong position, as one sentence; empty when no usual mistake explains it.

        start and end are what was understood, half-open, after an offset in the abstract was moved to the whole text.
        """
        return next((words for guess in GUESSES if (words := guess(self, start, end, mention))), "")

    @cached_property
    def bytes_before(self) -> list[int]:
        """For each character, and for the end, the number of UTF-8 bytes before it."""
        return list(accumulate((len(character.encode("utf-8", "surrogatepass")) for character in self.text), initial=0))

    @cached_property
    def units_before(self) -> list[int]:
        """For each character, and for the end, the number of UTF-16 units before it."""
        return list(accumulate((2 if character > "\uffff" else 1 for character in self.text), initial=0))

    @cached_property
    def collapsed(self) -> list[int]:
        """The positions of the characters that stay when each run of white space becomes one space."""
        text = self.text
        return [at for at, sign in enumerate(text) if not sign.isspace() or (at and not text[at - 1].isspace())]


def _in_units(text: Text, before: list[int], start: int) -> Iterator[int]:
    """The characters that start would mean if it counted units, in the whole text or in the abstract."""
    if before[-1] == len(text.text):
        return
    for origin in {0, min(text.body, len(text.text))}:
        wanted = start - origin + before[origin]
        at = bisect_left(before, wanted)
        if at < len(before) and before[at] == wanted:
            yield at


def _bytes(text: Text, start: int, _: int, mention: str) -> str:
    if any(text.has(mention, at) for at in _in_units(text, text.bytes_before, start)):
        return "It seems that bytes were counted instead of characters."
    return ""


def _utf16(text: Text, start: int, _: int, mention: str) -> str:
    if any(text.has(mention, at) for at in _in_units(text, text.units_before, start)):
        return "It seems that UTF-16 units were counted instead of characters, as Java and JavaScript do."
    return ""


def _inclusive_end(text: Text, start: int, end: int, mention: str) -> str:
    if text.has(mention, start) and end == start + len(mention) - 1:
        return "It seems that the end is the mention's last character instead of the one after it."
    return ""


def _from_one(text: Text, start: int, _: int, mention: str) -> str:
    if not text.has(mention, start - 1):
        return ""
    if start > text.body:
        return "It seems that characters were counted from 1, or that title and abstract were joined by two characters."
    return "It seems that characters were counted from 1 instead of 0."


def _nothing_between(text: Text, start: int, _: int, mention: str) -> str:
    if start >= text.title_length and text.has(mention, start + 1):
        return "It seems that title and abstract were joined with nothing between them; one newline belongs there."
    return ""


def _title_left_out(text: Text, start: int, _: int, mention: str) -> str:
    if text.has(mention, start + text.body):
        return 'It seems that the title was not counted; count it, or name the section "abstract".'
    return ""


def _title_counted_twice(text: Text, start: int, _: int, mention: str) -> str:
    if start >= text.body and text.has(mention, start - text.body):
        return "It seems that the title was counted although the section is the abstract."
    return ""


def _white_space(text: Text, start: int, _: int, mention: str) -> str:
    words = mention.split()
    near = text.text[start : start + 2 * len(mention) + 20] if start >= 0 else ""
    shrunk = 0 <= start < len(text.collapsed) and text.has(mention, text.collapsed[start])
    if shrunk or (words and near.split()[: len(words)] == words):
        return "It seems that white space was normalized; the text must stay as it was sent."
    return ""


def _wrong_encoding(text: Text, start: int, _: int, mention: str) -> str:
    for encoding in ("latin-1", "cp1252"):
        try:
            meant = mention.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        if meant != mention and text.has(meant, start):
            return "It seems that the text was sent in UTF-8 and read in another encoding."
    return ""


def _other_case(text: Text, start: int, end: int, mention: str) -> str:
    if start >= 0 and text.text[start:end].casefold() == mention.casefold():
        return "It seems that upper and lower case were changed."
    return ""


def _elsewhere(text: Text, start: int, _: int, mention: str) -> str:
    at = text.text.find(mention)
    if at < 0:
        return "The article does not have this text anywhere."
    return f"The article has this text at character {at}, which is {abs(at - start)} further {_way(at - start)}."


def _way(difference: int) -> str:
    return "on" if difference > 0 else "back"


GUESSES: tuple[Callable[[Text, int, int, str], str], ...] = (
    _inclusive_end,
    _bytes,
    _utf16,
    _from_one,
    _nothing_between,
    _title_left_out,
    _title_counted_twice,
    _white_space,
    _wrong_encoding,
    _other_case,
    _elsewhere,
)
