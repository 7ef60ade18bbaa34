"""The parts of the article page, for its templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.utils.safestring import SafeString

from annotations.relation_text import choose_relation_joint
from annotations.results.classification_balance import ClassificationBalance
from annotations.results.heat_map import MarkedRange
from annotations.schema import Kind
from bcms.article_page.open_annotations.entity_types import format_type_names
from bcms.article_page.server_status import AnnotationSource

MOST_DOTS = 12
MOST_SYNONYMS = 8


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
class NamedEntity:
    """A gene or another entity with the identifiers that servers report for it, at least one."""

    references: Sequence[EntryReference]

    @property
    def title(self) -> str:
        return self._find_first("symbol") or self._find_first("name") or self.references[0].identifier

    @property
    def known_title(self) -> str:
        """The title, empty if only an identifier is known."""
        return self._find_first("symbol") or self._find_first("name")

    @property
    def name(self) -> str:
        """Its name, empty if that is the title."""
        name = self._find_first("name")
        return "" if name == self.title else name

    @property
    def organism(self) -> str:
        return self._find_first("organism")

    def _find_first(self, field: str) -> str:
        return next(filter(None, (getattr(reference, field) for reference in self.references)), "")


@dataclass(frozen=True, slots=True)
class VoteLine:
    """One vote with its provenance.

    duration is in seconds. answer is "yes" or "no" to a classification, otherwise the identifier where the row has
    several, and the identifiers as reported where they were replaced. calibrated is the calibrated confidence. version
    is that of the server's system then, "" if not stated. moved: from which text it was moved, "" if
    it was not.
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
    moved: str = ""


@dataclass(frozen=True, slots=True)
class RelationEnd:
    """An argument of a relation; text is that of its mention, "" for none; entity is None without an identifier."""

    role: str
    text: str
    type: str
    entity: NamedEntity | None

    @property
    def title(self) -> str:
        return self.text or (self.entity.title if self.entity else "")

    @property
    def name(self) -> str:
        """The name of its entry, empty if that is the title."""
        name = self.entity.known_title if self.entity else ""
        return "" if name == self.title else name


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation between two or more ends; evidence: the passages of the article that state it."""

    type: str
    ends: Sequence[RelationEnd]
    directed: bool
    negated: bool
    qualifiers: Sequence[str]
    evidence: Sequence[str]

    @property
    def joint(self) -> str:
        """What stands between its ends."""
        return choose_relation_joint(len(self.ends), directed=self.directed)


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One annotation, or the identifiers of one gene or pair of genes, in the list of its kind.

    entities are a gene, both of a pair, or none for a mention. mention is the span of a mention. choice_query is the
    end of the URL that chooses it, empty if no mark in the text refers to it. name_keys are the keys of these marks
    (marked_text.compute_regularized_name_checksum). mean is the mean confidence of the count servers that report it.
    quote is a passage, or what an entity is called in the article, empty if that is its title.
    relation has the parts of a relation.
    """

    id: str
    text: str
    quote: str
    type: str
    mention: str
    choice_query: str
    name_keys: str
    entities: Sequence[NamedEntity]
    count: int
    total: int
    mean: float | None
    lines: Sequence[VoteLine]
    chosen: bool
    relation: RelationRow | None = None

    @property
    def positions(self) -> str:
        """The parts of a mention: "20-24, 30-32"."""
        return self.mention.replace(".", ", ")

    @property
    def share(self) -> str:
        return f"{self.count} of {self.total} server{'' if self.total == 1 else 's'}"

    @property
    def dots(self) -> SafeString:
        """A dot for each server, full if it reports the annotation; the share as figures for many servers."""
        return _render_dots(self.count, self.total)


@cache
def _render_dots(count: int, total: int) -> SafeString:
    if total > MOST_DOTS:
        return SafeString(f"{count}/{total}")
    return SafeString("<i></i>" * count + '<i class="hollow"></i>' * (total - count))


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of text; mention is "start-end" of the shortest mention around it, "20-24.30-32" if that is in two parts.

    again: not its first piece. name_keys are the keys of the names of all mentions around it, the shortest first; count
    servers mark it. A piece with names but without a mention is the end of a relation that no server marks. look and
    letter are those of the type of the mention; the letter is on the first piece of each part. joins: "before",
    "after" or both where another part of the mention comes before or after.
    """

    text: str
    level: int = 0
    count: int = 0
    mention: str = ""
    name_keys: str = ""
    chosen: bool = False
    again: bool = False
    look: str = ""
    letter: str = ""
    joins: str = ""


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """number: of the passage in the text, from 1."""

    type: str
    pieces: Sequence[TextPiece]
    number: int


@dataclass(frozen=True, slots=True)
class MentionMeaning:
    """An entry that the chosen mention may refer to, and the name that links them.

    key is its database and identifier, gene the key that all identifiers of its gene share; producers of total servers
    report it for the article or, if because is "link", for this mention, as for so many mentions of the article.
    """

    key: tuple[str, str]
    gene: tuple[str, str]
    reference: EntryReference
    because: str
    spelling: str
    producers: frozenset[int]
    total: int
    synonyms: Sequence[str]
    location: str
    function: str
    mentions: int = 0

    @property
    def count(self) -> int:
        return len(self.producers)


@dataclass(frozen=True, slots=True)
class MeantGene:
    """A gene or another entity that the chosen mention may refer to, with its entries, the likeliest first."""

    meanings: Sequence[MentionMeaning]

    @property
    def entity(self) -> NamedEntity:
        return NamedEntity([meaning.reference for meaning in self.meanings])

    @property
    def because(self) -> str:
        return self.meanings[0].because

    @property
    def mentions(self) -> int:
        """The number of mentions that servers link to it, 0 if they do not link this one."""
        return max(meaning.mentions for meaning in self.meanings)

    @property
    def spelling(self) -> str:
        return self.meanings[0].spelling

    @property
    def count(self) -> int:
        """The number of servers that report any of its entries."""
        return len(frozenset[int]().union(*(meaning.producers for meaning in self.meanings)))

    @property
    def total(self) -> int:
        return self.meanings[0].total

    @property
    def synonyms(self) -> Sequence[str]:
        return self._list_synonyms()[:MOST_SYNONYMS]

    @property
    def more_synonyms(self) -> int:
        return max(0, len(self._list_synonyms()) - MOST_SYNONYMS)

    @property
    def locations(self) -> Sequence[str]:
        """On its chromosome and in the cell, as far as known."""
        return list(dict.fromkeys(meaning.location for meaning in self.meanings if meaning.location))

    @property
    def function(self) -> str:
        return next((meaning.function for meaning in self.meanings if meaning.function), "")

    def _list_synonyms(self) -> list[str]:
        return list(dict.fromkeys(name for meaning in self.meanings for name in meaning.synonyms))


def group_meanings_by_gene(meanings: Sequence[MentionMeaning]) -> list[MeantGene]:
    """The genes and other entities of the meanings, first those that servers link to the mention, then by servers."""
    meanings_by_gene: dict[tuple[str, str], list[MentionMeaning]] = {}
    for meaning in meanings:
        meanings_by_gene.setdefault(meaning.gene, []).append(meaning)
    genes = [MeantGene(own) for own in meanings_by_gene.values()]
    return sorted(genes, key=lambda gene: (not gene.mentions, -gene.count))


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

    given_types: those that servers give it, as they are spelled. votes: what each server says of it. own_sentence: the
    sentence that it stands in, None if it begins in none.
    beside is the name of another one that the sentences must contain too; excerpts has the first of the sentences.
    companion_meanings: what each companion most likely refers to, each gene once, without what it refers to itself.
    """

    text: str
    sources: Sequence[AnnotationSource]
    total: int
    given_types: Sequence[str]
    votes: Sequence[VoteLine]
    own_sentence: SentenceExcerpt | None
    meanings: Sequence[MentionMeaning]
    neighbours: Sequence[NearbyMention]
    companions: Sequence[NearbyMention]
    companion_meanings: Sequence[MentionMeaning]
    beside: str
    excerpts: Sequence[SentenceExcerpt]
    sentences: int

    @property
    def types(self) -> str:
        """The given types, known ones by their names."""
        return format_type_names(self.given_types)

    @property
    def genes(self) -> list[MeantGene]:
        """The meanings, those of one gene together, first those that servers link to the mention, then by servers."""
        return group_meanings_by_gene(self.meanings)

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
