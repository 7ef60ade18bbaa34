"""Walks through the JSON of annotated text and notes values that are not of the kind that they should be."""

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from annotations.formats.json_cursor import DEEPEST, BrokenJsonError, JsonCursor
from annotations.formats.mention_reading import MentionReading
from annotations.formats.tsv_faults import quoted
from annotations.formats.tsv_lines import BYTE_ORDER_MARK

Read = Callable[[JsonCursor], None]


def read_json(stream: BinaryIO, reading: MentionReading, walk: Read) -> None:
    """Walk through every value that the seekable stream holds; a file may hold several, one after the other.

    What is no UTF-8 (R651) or no JSON (R666) is noted. The whole text is in memory meanwhile.
    """
    stream.seek(0)
    content = stream.read().removeprefix(BYTE_ORDER_MARK)
    try:
        cursor = JsonCursor(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        reading.faults.add("R651", line, column, "this byte is not UTF-8 - save the file as UTF-8 text")
        return
    try:
        while cursor.next():
            walk(cursor)
    except BrokenJsonError as error:
        note_broken(reading, cursor, error)
    except RecursionError:
        note_broken(reading, cursor, BrokenJsonError(DEEPEST, cursor.at))


def note_broken(reading: MentionReading, cursor: JsonCursor, error: BrokenJsonError) -> None:
    said = f"the JSON is broken here, {error.what} - write it with a program that writes JSON"
    reading.faults.add("R666", *cursor.place_of(error.at), said)


def text_of(value: object) -> str:
    """A text or a number as text; anything else says nothing."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def members_of(value: object) -> Mapping[str, object]:
    """The members of an object that was read; anything else has none."""
    return value if isinstance(value, dict) else {}


class JsonWalk:
    """Objects and arrays where they should be; others are noted (R667) and skipped, null is nothing."""

    def __init__(self, reading: MentionReading) -> None:
        self.reading = reading

    def members(self, cursor: JsonCursor) -> Iterator[str]:
        """The keys of the object that comes next; stops at each value."""
        if self.comes(cursor, "{", "an object"):
            yield from cursor.members()

    def each(self, cursor: JsonCursor, read: Read) -> None:
        """Read each element of the array that comes next."""
        if self.comes(cursor, "[", "a list"):
            for _ in cursor.elements():
                read(cursor)

    def object(self, cursor: JsonCursor) -> Mapping[str, object]:
        """The object that comes next, whole."""
        return members_of(cursor.value()) if self.comes(cursor, "{", "an object") else {}

    def comes(self, cursor: JsonCursor, sign: str, what: str) -> bool:
        """Whether a value that begins so comes next; another one is skipped, and noted unless it is null."""
        if cursor.next() == sign:
            return True
        place = cursor.place()
        value = cursor.value()
        if value is not None:
            said = f"there should be {what}, not {quoted(str(value))} - write one"
            self.reading.faults.add("R667", *place, said)
        return False
