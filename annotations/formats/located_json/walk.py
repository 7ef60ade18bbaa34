"""Walks through the JSON of annotated text and notes values of the wrong type."""

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.errors import quote_file_text
from annotations.formats.located_json.cursor import NESTED_TOO_DEEPLY, BrokenJsonError, JsonCursor
from annotations.formats.tsv.lines import BYTE_ORDER_MARK

JsonReadFunction = Callable[[JsonCursor], None]


def walk_json_values_noting_faults(stream: BinaryIO, collector: MentionCollector, read_value: JsonReadFunction) -> None:
    """Read every top-level value of a seekable stream; a file may have several, one after the other.

    Notes text that is not UTF-8 (R651) or not JSON (R666). The whole text is kept in memory.
    """
    stream.seek(0)
    content = stream.read().removeprefix(BYTE_ORDER_MARK)
    try:
        cursor = JsonCursor(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        collector.faults.add("R651", line, column, "this byte is not UTF-8 - save the file as UTF-8 text")
        return
    try:
        while cursor.peek_character():
            read_value(cursor)
    except BrokenJsonError as error:
        _note_broken_json(collector, cursor, error)
    except RecursionError:
        _note_broken_json(collector, cursor, BrokenJsonError(NESTED_TOO_DEEPLY, cursor.offset))


def _note_broken_json(collector: MentionCollector, cursor: JsonCursor, error: BrokenJsonError) -> None:
    message = f"the JSON is invalid here, {error.problem} - write it with a JSON library"
    collector.faults.add("R666", *cursor.find_position(error.offset), message)


def format_text_or_number_else_empty(value: object) -> str:
    """A string or a number as text; empty for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def find_json_members_or_empty(value: object) -> Mapping[str, object]:
    """The members of a JSON object; none for other values."""
    return value if isinstance(value, dict) else {}


class JsonWalk:
    """Reads objects and arrays; other values in their place are noted (R667) and skipped, null without a fault."""

    def __init__(self, collector: MentionCollector) -> None:
        self.collector = collector

    def iter_members(self, cursor: JsonCursor) -> Iterator[str]:
        """Yield the keys of the next object, before each value is read."""
        if self.check_value_type(cursor, "{", "an object"):
            yield from cursor.iter_members()

    def read_each(self, cursor: JsonCursor, read: JsonReadFunction) -> None:
        """Read each element of the next array with a function."""
        if self.check_value_type(cursor, "[", "a list"):
            for _ in cursor.iter_elements():
                read(cursor)

    def read_object(self, cursor: JsonCursor) -> Mapping[str, object]:
        """The next object, decoded; empty if the next value is not an object."""
        return (
            find_json_members_or_empty(cursor.read_value()) if self.check_value_type(cursor, "{", "an object") else {}
        )

    def check_value_type(self, cursor: JsonCursor, opening: str, expected: str) -> bool:
        """Whether the next value begins with `opening`; any other value is skipped, and noted unless it is null."""
        if cursor.peek_character() == opening:
            return True
        position = cursor.next_position()
        value = cursor.read_value()
        if value is not None:
            message = f"expected {expected}, not {quote_file_text(str(value))} - write {expected}"
            self.collector.faults.add("R667", *position, message)
        return False
