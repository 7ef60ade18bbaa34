"""The parts of the article page, for its templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString

from annotations.results.classification_balance import ClassificationBalance
from annotations.results.heat_map import MarkedRange
from annotations.schema import Kind
from bcms.article_page.server_status import AnnotationSource

MOST_DOTS = 12


@dataclass(frozen=True, slots=True)
class EntryReference:
    """An identifier with the names that its database gives it; status is empty if it is known to exist."""

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
class VoteLine:
    """One vote with its provenance.

    duration is in seconds. answer is "yes" or "no" to a classification, or the identifiers as reported where they were
    replaced. calibrated is the calibrated confidence. version is that of the server's system then, "" if not stated.
    """

    source: AnnotationSource
    confidence: float | None
    rank: int | None
    received: datetime
    duration: float | None
    result: int
    answer: str = ""
    calibrated: float | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One annotation in the list of its kind.

    mention is the span of a mention. choice_query is the end of the URL that chooses it, empty if no mark in the text
    refers to it. name_keys are the keys of these marks (marked_text.compute_regularized_name_checksum).
    """

    id: str
    text: str
    type: str
    mention: str
    choice_query: str
    name_keys: str
    references: Sequence[EntryReference]
    count: int
    total: int
    mean: float | None
    lines: Sequence[VoteLine]
    chosen: bool

    @property
    def filled(self) -> str:
        return "●" * self.count if self.total <= MOST_DOTS else ""

    @property
    def hollow(self) -> str:
        return "●" * (self.total - self.count) if self.total <= MOST_DOTS else ""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of text; mention is "start-end" of the shortest mention around it; again: not its first piece.

    name_keys are the keys of the names of all mentions around it, the shortest first; count servers mark it.
    """

    text: str
    level: int = 0
    count: int = 0
    mention: str = ""
    name_keys: str = ""
    chosen: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    type: str
    pieces: Sequence[TextPiece]


@dataclass(frozen=True, slots=True)
class MentionMeaning:
    """An entry that the chosen mention may refer to, and the name that links them.

    key is its database and identifier; count of total servers report it.
    """

    key: tuple[str, str]
    reference: EntryReference
    because: str
    spelling: str
    count: int
    total: int
    synonyms: Sequence[str]
    more_synonyms: int
    location: str
    function: str


@dataclass(frozen=True, slots=True)
class NearbyMention:
    """A mention that overlaps with the chosen one, or stands in count sentences with it."""

    text: str
    mention: str
    count: int = 1
    on: bool = False


@dataclass(frozen=True, slots=True)
class SentenceExcerpt:
    """A sentence that names the chosen entity, as HTML; goto is the span of its first mention there."""

    sentence: MarkedRange
    html: SafeString
    goto: str


@dataclass(frozen=True, slots=True)
class MentionPanel:
    """The mention that the reader chose.

    beside is the name of another one that the sentences must contain too; excerpts has the first of the sentences.
    """

    text: str
    sources: Sequence[AnnotationSource]
    total: int
    types: str
    meanings: Sequence[MentionMeaning]
    neighbours: Sequence[NearbyMention]
    companions: Sequence[NearbyMention]
    beside: str
    excerpts: Sequence[SentenceExcerpt]
    sentences: int

    @property
    def hidden_excerpts(self) -> int:
        return self.sentences - len(self.excerpts)


@dataclass(frozen=True, slots=True)
class FilterOption:
    """One choice of a filter; count annotations have it."""

    value: str
    label: str
    count: int
    on: bool


@dataclass(frozen=True, slots=True)
class AnnotationKindTab:
    kind: Kind
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class BalanceBar:
    balance: ClassificationBalance
    lines: Sequence[VoteLine]

    @property
    def percent(self) -> str:
        return f"{100 * self.balance.position:.1f}"
