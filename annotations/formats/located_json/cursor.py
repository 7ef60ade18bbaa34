"""Reads JSON from front to back with the line and column of each value.

Values whose position is not needed are decoded as a whole by the standard library. Source of the format: RFC 8259.
"""

import json
import re
from collections.abc import Iterator

JSON_SPACE = re.compile(r"[ \t\n\r]*")
# More digits than any position has; Python is slow at parsing much longer integers.
LONGEST_JSON_INTEGER = 18
NESTED_TOO_DEEPLY = "it is nested too deeply"


class BrokenJsonError(Exception):
    """The text is not valid JSON from this offset on, in characters from 0."""

    def __init__(self, problem: str, offset: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.offset = offset


def _parse_json_integer(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_JSON_INTEGER else None


def _reject_json_constant(name: str) -> None:
    raise json.JSONDecodeError(f"the value {name} is not JSON", "", 0)


class JsonCursor:
    """A position in a JSON text, from which values are read in their order.

    While iterating with iter_members or iter_elements, the caller must read each value with one of these methods. All
    of them raise BrokenJsonError.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.decoder = json.JSONDecoder(parse_int=_parse_json_integer, parse_constant=_reject_json_constant)
        self.located_offset, self.line, self.line_start = 0, 1, 0

    def next_position(self) -> tuple[int, int]:
        """Line and column of the next value, from 1."""
        self.skip_space()
        return self.find_position(self.offset)

    def find_position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, from 1. Offsets must not decrease from one call to the next."""
        lines = self.text.count("\n", self.located_offset, offset)
        if lines:
            self.line += lines
            self.line_start = self.text.rfind("\n", self.located_offset, offset) + 1
        self.located_offset = max(offset, self.located_offset)
        return self.line, offset - self.line_start + 1

    def skip_space(self) -> None:
        match = JSON_SPACE.match(self.text, self.offset)
        self.offset = match.end() if match else self.offset

    def peek_character(self) -> str:
        """The next character that is not white space, empty at the end."""
        self.skip_space()
        return self.text[self.offset : self.offset + 1]

    def expect(self, character: str) -> None:
        if self.peek_character() != character:
            raise BrokenJsonError(f"expected {character}", self.offset)
        self.offset += 1

    def read_value(self) -> object:
        """The next value, decoded."""
        self.skip_space()
        try:
            value, self.offset = self.decoder.raw_decode(self.text, self.offset)
        except json.JSONDecodeError as error:
            raise BrokenJsonError(error.msg[:1].lower() + error.msg[1:], max(error.pos, self.offset)) from None
        except RecursionError:
            raise BrokenJsonError(NESTED_TOO_DEEPLY, self.offset) from None
        return value

    def iter_elements(self) -> Iterator[None]:
        """Yield at each element of the next array, before it is read."""
        self.expect("[")
        yield from self.iter_parts("]")

    def iter_members(self) -> Iterator[str]:
        """Yield the key of each member of the next object, before its value is read."""
        self.expect("{")
        for _ in self.iter_parts("}"):
            if self.peek_character() != '"':
                raise BrokenJsonError("expected a key in quotation marks", self.offset)
            key = self.read_value()
            self.expect(":")
            yield str(key)

    def iter_parts(self, closing: str) -> Iterator[None]:
        if self.peek_character() == closing:
            self.offset += 1
            return
        while True:
            yield
            if self.peek_character() == closing:
                self.offset += 1
                return
            self.expect(",")
