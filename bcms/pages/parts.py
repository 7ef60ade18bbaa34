"""The parts of the article page, as its template takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from annotations.collation import Balance, Span
from annotations.kinds import Kind
from bcms.pages.awaited import Source

MOST_DOTS = 12


@dataclass(frozen=True, slots=True)
class Reference:
    """An identifier with what its database calls it; status is empty when it is known to exist."""

    database: str
    identifier: str
    page: str
    name: str
    symbol: str
    organism: str
    status: str

    @property
    def title(self) -> str:
        return self.symbol or self.name or self.identifier


@dataclass(frozen=True, slots=True)
class Line:
    """One vote with its provenance; calibrated is how often the server is right when it is so sure, version that of its
    system then, "" when nobody stated it.
    """

    source: Source
    confidence: float | None
    rank: int | None
    received: datetime
    duration: float | None
    result: int
    says: str = ""
    calibrated: float | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One annotation in the list of its kind.

    mention is the span of a mention; choose what the address of its choice ends in, empty when it names nothing that is
    marked in the text; words the keys of the marks that it means (marking.word_key).
    """

    id: str
    text: str
    type: str
    mention: str
    choose: str
    words: str
    references: Sequence[Reference]
    count: int
    total: int
    mean: float | None
    lines: Sequence[Line]
    chosen: bool

    @property
    def filled(self) -> str:
        return "●" * self.count if self.total <= MOST_DOTS else ""

    @property
    def hollow(self) -> str:
        return "●" * (self.total - self.count) if self.total <= MOST_DOTS else ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text; mention is "start-end" of the shortest mention around it; again: not its first piece.

    words are the keys of the names of all mentions around it, the shortest first; count servers mark it.
    """

    text: str
    level: int = 0
    count: int = 0
    mention: str = ""
    words: str = ""
    chosen: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    type: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Meaning:
    """An entry that the chosen mention means, and the name because of which it does; count servers report it.

    key is its database and identifier.
    """

    key: tuple[str, str]
    reference: Reference
    because: str
    spelling: str
    count: int
    total: int
    synonyms: Sequence[str]
    more_synonyms: int
    location: str
    function: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A mention that is named beside the chosen one: count is how often."""

    text: str
    mention: str
    count: int = 1
    on: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that tells of what is chosen, as HTML; goto is the span of the chosen's first mention in it."""

    sentence: Span
    html: SafeString
    goto: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The mention the reader chose.

    beside is the name of another one that the sentences must mention too; told of sentences are shown.
    """

    text: str
    sources: Sequence[Source]
    total: int
    types: str
    meanings: Sequence[Meaning]
    neighbours: Sequence[Neighbour]
    companions: Sequence[Neighbour]
    beside: str
    told: Sequence[Told]
    sentences: int

    @property
    def untold(self) -> int:
        return self.sentences - len(self.told)


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a filter; count annotations have it."""

    value: str
    label: str
    count: int
    on: bool


@dataclass(frozen=True, slots=True)
class Tab:
    kind: Kind
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Bar:
    balance: Balance
    lines: Sequence[Line]

    @property
    def percent(self) -> str:
        return f"{100 * self.balance.position:.1f}"
