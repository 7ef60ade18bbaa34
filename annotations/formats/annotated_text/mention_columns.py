"""Stores many mentions in little memory: numbers in arrays; distinct documents, texts, types and identifiers once."""

from array import array
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, TypeVar, overload

from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mentions import TextMention
from annotations.schema import EntityId, Span

Value = TypeVar("Value", bound=Hashable)
# Spans, exact links, confidence and rank of a mention.
MentionExtras = tuple[tuple[Span, ...], tuple[EntityId, ...], float | None, int | None]
NO_EXTRAS: MentionExtras = ((), (), None, None)


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
    """The mentions of a file in its order; each is created on access.

    given: the identifiers as given, or, where those without prefix do not follow from them, both. extras: what few
    mentions have, by row.
    """

    def __init__(self) -> None:
        self.document: DistinctValues[str] = DistinctValues()
        self.text: DistinctValues[str] = DistinctValues()
        self.type: DistinctValues[str] = DistinctValues()
        self.given: DistinctValues[str | tuple[tuple[str, ...], str]] = DistinctValues()
        self.start, self.end, self.line = array("q"), array("q"), array("q")
        self.extras: dict[int, MentionExtras] = {}

    def add(
        self,
        document: str,
        start: int,
        end: int,
        text: str,
        mention_type: str,
        identifiers: tuple[str, ...],
        line: int,
        given: str,
        extras: MentionExtras = NO_EXTRAS,
    ) -> None:
        """Append a mention; the parameters are the fields of TextMention."""
        if extras != NO_EXTRAS:
            self.extras[len(self)] = extras
        self.document.add(document)
        self.start.append(start)
        self.end.append(end)
        self.text.add(text)
        self.type.add(mention_type)
        follows = split_distinct_identifiers_without_prefix(given) == identifiers
        self.given.add(given if follows else (identifiers, given))
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
        value = self.given[row]
        identifiers, given = (
            (split_distinct_identifiers_without_prefix(value), value) if isinstance(value, str) else value
        )
        spans, exact, confidence, rank = self.extras.get(row, NO_EXTRAS)
        return TextMention(
            self.document[row],
            self.start[row],
            self.end[row],
            self.text[row],
            self.type[row],
            identifiers,
            self.line[row],
            spans,
            given,
            exact,
            confidence,
            rank,
        )
