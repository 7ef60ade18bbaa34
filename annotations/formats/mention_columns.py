"""Many mentions in little memory: numbers in arrays, every document, text, type and list of identifiers once."""

from array import array
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, TypeVar, overload

from annotations.formats.mentions import Mention

Value = TypeVar("Value", bound=Hashable)


class Column(Generic[Value]):
    """Values, of which each distinct one is kept once: row r has values[codes[r]]."""

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


class MentionColumns(Sequence[Mention]):
    """The mentions of a file, in its order; each is made when it is asked for."""

    def __init__(self) -> None:
        self.document: Column[str] = Column()
        self.text: Column[str] = Column()
        self.type: Column[str] = Column()
        self.identifiers: Column[tuple[str, ...]] = Column()
        self.start, self.end, self.line = array("q"), array("q"), array("q")

    def add(
        self, document: str, start: int, end: int, text: str, kind: str, identifiers: tuple[str, ...], line: int
    ) -> None:
        """Put one mention behind the others; kind is its type, the rest as in Mention."""
        self.document.add(document)
        self.start.append(start)
        self.end.append(end)
        self.text.add(text)
        self.type.add(kind)
        self.identifiers.add(identifiers)
        self.line.append(line)

    def __len__(self) -> int:
        return len(self.line)

    def __iter__(self) -> Iterator[Mention]:
        return map(self.at, range(len(self)))

    @overload
    def __getitem__(self, place: int) -> Mention: ...

    @overload
    def __getitem__(self, place: slice) -> list[Mention]: ...

    def __getitem__(self, place: int | slice) -> Mention | list[Mention]:
        rows = range(len(self))[place]
        return [self.at(row) for row in rows] if isinstance(rows, range) else self.at(rows)

    def at(self, row: int) -> Mention:
        return Mention(
            self.document[row],
            self.start[row],
            self.end[row],
            self.text[row],
            self.type[row],
            self.identifiers[row],
            self.line[row],
        )
