"""JSON read from front to back, so that each value is known with its line and column; values that need no place of
their own are decoded at once by the standard library.

Source of the format: RFC 8259.
"""

import json
import re
from collections.abc import Iterator

SPACE = re.compile(r"[ \t\n\r]*")
# More digits than any position has; Python takes time to read longer ones.
LONGEST_NUMBER = 18
DEEPEST = "it is nested too deeply"


class BrokenJsonError(Exception):
    """The text is no JSON from this place on: at counts characters from 0."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.what = what
        self.at = at


def number_of(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_NUMBER else None


def constant_of(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is no JSON", "", 0)


class JsonCursor:
    """A place in a text of JSON. Values are read in their order: what `members` and `elements` come upon is read, by
    any of these methods, before they go on. BrokenJsonError from all of them.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.decoder = json.JSONDecoder(parse_int=number_of, parse_constant=constant_of)
        self.counted, self.line, self.line_start = 0, 1, 0

    def place(self) -> tuple[int, int]:
        """Line and column of the next value, from 1; places are asked for in their order."""
        self.skip_space()
        return self.place_of(self.at)

    def place_of(self, at: int) -> tuple[int, int]:
        """Line and column of a character, which stands behind those asked for before."""
        lines = self.text.count("\n", self.counted, at)
        if lines:
            self.line += lines
            self.line_start = self.text.rfind("\n", self.counted, at) + 1
        self.counted = max(at, self.counted)
        return self.line, at - self.line_start + 1

    def skip_space(self) -> None:
        found = SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def next(self) -> str:
        """The character that the next value or sign begins with, empty at the end."""
        self.skip_space()
        return self.text[self.at : self.at + 1]

    def expect(self, sign: str) -> None:
        if self.next() != sign:
            raise BrokenJsonError(f"there should be {sign}", self.at)
        self.at += 1

    def value(self) -> object:
        """The next value, whole."""
        self.skip_space()
        try:
            value, self.at = self.decoder.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            raise BrokenJsonError(error.msg[:1].lower() + error.msg[1:], max(error.pos, self.at)) from None
        except RecursionError:
            raise BrokenJsonError(DEEPEST, self.at) from None
        return value

    def elements(self) -> Iterator[None]:
        """Stops at each element of the array that comes next."""
        self.expect("[")
        yield from self.parts("]")

    def members(self) -> Iterator[str]:
        """The key of each member of the object that comes next; stops at its value."""
        self.expect("{")
        for _ in self.parts("}"):
            if self.next() != '"':
                raise BrokenJsonError("there should be a key in quotation marks", self.at)
            key = self.value()
            self.expect(":")
            yield str(key)

    def parts(self, end: str) -> Iterator[None]:
        if self.next() == end:
            self.at += 1
            return
        while True:
            yield
            if self.next() == end:
                self.at += 1
                return
            self.expect(",")
