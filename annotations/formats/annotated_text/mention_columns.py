"""Stores many mentions in little memory: numbers in arrays; distinct documents, texts, types and identifiers once."""

from array import array
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, TypeVar, overload

from annotations.formats.annotated_text.mentions import TextMention

Value = TypeVar("Value", bound=Hashable)


class DistinctValues(Generic[Value]):
    """A column that stores each distinct value once: the value of row r is values[codes[r]]."""

    def __init__(self) -> None:
        self.codes = array("i")
        self.values: list[Value] = []
        self.numbers: dict[Value, int] = {}

    def add(self, value: Value) -> None:
        number = self.numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        self.codes.append(number)

    def __getitem__(self, row: int) -> Value:
        return self.values[self.codes[row]]


class MentionColumns(Sequence[TextMention]):
    """The mentions of a file in its order; each is created on access."""

    def __init__(self) -> None:
        self.document: DistinctValues[str] = DistinctValues()
        self.text: DistinctValues[str] = DistinctValues()
        self.type: DistinctValues[str] = DistinctValues()
        self.identifiers: DistinctValues[tuple[str, ...]] = DistinctValues()
        self.start, self.end, self.line = array("q"), array("q"), array("q")

    def add(
        self, document: str, start: int, end: int, text: str, mention_type: str, identifiers: tuple[str, ...], line: int
    ) -> None:
        """Append a mention; the parameters are the fields of TextMention."""
        self.document.add(document)
        self.start.append(start)
        self.end.append(end)
        self.text.add(text)
        self.type.add(mention_type)
        self.identifiers.add(identifiers)
        self.line.append(line)

    def __len__(self) -> int:
        return len(self.line)

    def __iter__(self) -> Iterator[TextMention]:
        return map(self.make_mention, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> TextMention: ...

    @overload
    def __getitem__(self, index: slice) -> list[TextMention]: ...

    def __getitem__(self, index: int | slice) -> TextMention | list[TextMention]:
        rows = range(len(self))[index]
        return [self.make_mention(row) for row in rows] if isinstance(rows, range) else self.make_mention(rows)

    def make_mention(self, row: int) -> TextMention:
        return TextMention(
            self.document[row],
            self.start[row],
            self.end[row],
            self.text[row],
            self.type[row],
            self.identifiers[row],
            self.line[row],
        )
