"""The parts of the article page, as its template takes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotations.collation import Balance
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
    """One vote with its provenance."""

    source: Source
    confidence: float | None
    rank: int | None
    received: datetime
    duration: float | None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One annotation in the list of its kind."""

    id: str
    text: str
    type: str
    mention: str
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
    """A piece of text; mention is "start-end" of the mention it belongs to; again: not its first piece."""

    text: str
    level: int = 0
    count: int = 0
    mention: str = ""
    name: int = 0
    chosen: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    type: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Meaning:
    """An entry that the chosen mention means, and the name because of which it does."""

    reference: Reference
    because: str
    spelling: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The mention the reader chose."""

    text: str
    sources: Sequence[Source]
    total: int
    types: str
    meanings: Sequence[Meaning]
    neighbours: Sequence[Row]


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
