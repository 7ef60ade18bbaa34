"""An article with everybody's annotations collated, ready for its template."""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from annotations.collation import Named, Order, Span, balance
from annotations.kinds import LABELS, Finding, Kind
from annotations.models import Article
from annotations.querysets import StoredResult
from bcms.pages.agreed import NO_RULE, ChosenRule
from bcms.pages.awaited import Source
from bcms.pages.filters import Filters
from bcms.pages.marking import NOTHING, Marked, marked_passages
from bcms.pages.naming import Naming
from bcms.pages.parts import Bar, Line, Passage, Tab
from bcms.pages.words import Words
from evaluation.analyses.calibration import Knots

LISTED_KINDS = [kind for kind in Kind if kind != Kind.CLASSIFICATION]
FIRST_KINDS = (Kind.NORMALIZATION, Kind.MENTION, Kind.TAXON)
EVERYTHING = Filters()


@dataclass(frozen=True, slots=True)
class Choice:
    """What the reader asked to see; kind None lets the page choose, page None shows where the chosen one stands.

    beside is a second mention: the sentences that name both are asked for.
    """

    kind: Kind | None
    order: Order
    mention: Span | None
    beside: Span | None = None
    page: int | None = None
    filters: Filters = EVERYTHING
    rule: ChosenRule = NO_RULE


@dataclass(frozen=True, slots=True)
class Spoken:
    """One current Result: who says it, with its findings under today's identifiers.

    reported holds, by the key of such a finding, what the server said instead.
    """

    source: Source
    result: StoredResult
    findings: Sequence[Finding]
    reported: Mapping[tuple[object, ...], str] = field(default_factory=dict)


def best_of_each_server(spoken: Iterable[Spoken]) -> list[Spoken]:
    """One Result for each server and kind: a server's LIVE word stands before what it said in a phase."""
    chosen: dict[tuple[int, Kind], Spoken] = {}
    for word in sorted(spoken, key=lambda word: not word.source.live):
        chosen.setdefault((word.source.server, word.result.kind), word)
    return list(chosen.values())


def sorted_out(spoken: Iterable[Spoken]) -> dict[Kind, dict[int, Spoken]]:
    """What is said of each kind, by producer."""
    by_kind: dict[Kind, dict[int, Spoken]] = {kind: {} for kind in Kind}
    for word in spoken:
        by_kind[word.result.kind][word.source.producer] = word
    return by_kind


class Reading:
    """Collates once; each part is made when the template asks for it."""

    def __init__(
        self,
        article: Article,
        spoken: Iterable[Spoken],
        entries: Mapping[tuple[str, str], Named],
        organisms: Mapping[tuple[str, str], Named],
        choice: Choice,
        curves: Mapping[tuple[str, Kind], Knots],
    ) -> None:
        """curves: what the confidences of a server, by its slug, are worth in a kind."""
        self.article = article
        self.curves = curves
        self.choice = choice
        self.spoken = best_of_each_server(spoken)
        self.naming = Naming(entries, organisms)
        self.by_kind = sorted_out(self.spoken)
        known = {word.source.slug for word in self.spoken}
        self.slugs = [slug for slug in choice.filters.servers if slug in known]
        # What the list is made of: of the chosen servers alone when the reader chose some.
        chosen = [word for word in self.spoken if word.source.slug in self.slugs]
        self.heard = sorted_out(chosen) if self.slugs else self.by_kind

    def total(self, kind: Kind) -> int:
        """How many servers looked for this kind, whether or not they found any."""
        return len(self.by_kind[kind])

    def findings(self, kind: Kind) -> Iterator[tuple[int, Finding]]:
        """Everything of one kind, each with its producer."""
        for producer, word in self.by_kind[kind].items():
            for finding in word.findings:
                yield producer, finding

    @cached_property
    def numbers(self) -> dict[Kind, int]:
        """How many annotations of each kind there are by all servers, for the kinds that somebody looked for."""
        return {kind: self.number(kind) for kind in LISTED_KINDS if self.by_kind[kind]}

    def number(self, kind: Kind) -> int:
        if kind == Kind.MENTION:
            return len(self.words.spans)
        return len({finding.key for _, finding in self.findings(kind)})

    @cached_property
    def kind(self) -> Kind:
        """The kind whose list is open."""
        if self.choice.kind:
            return self.choice.kind
        return next((kind for kind in (*FIRST_KINDS, *LISTED_KINDS) if self.numbers.get(kind)), Kind.NORMALIZATION)

    @cached_property
    def tabs(self) -> list[Tab]:
        shown = [kind for kind in LISTED_KINDS if kind in self.numbers or kind == self.kind]
        return [Tab(kind, LABELS[kind], self.numbers.get(kind, 0)) for kind in shown]

    # The text with its heat

    @property
    def warming(self) -> Mapping[int, Spoken]:
        """Whose mentions warm the text."""
        return (self.heard if self.choice.filters.heat else self.by_kind)[Kind.MENTION]

    @property
    def looked(self) -> int:
        """How many servers looked for the mentions that warm the text."""
        return len(self.warming)

    @property
    def text_signature(self) -> str:
        """Changes whenever the marked text does, apart from what is chosen in it."""
        shown = (self.article.pk, self.article.text_version, sorted(word.result.id for word in self.warming.values()))
        return f"{zlib.crc32(repr(shown).encode()):08x}"

    @cached_property
    def passages(self) -> Sequence[Passage]:
        spans = {
            producer: [(f.start, f.end) for f in word.findings if f.start is not None and f.end is not None]
            for producer, word in self.warming.items()
        }
        return marked_passages(self.article.text, self.article.passages, spans, self.marked)

    @cached_property
    def words(self) -> Words:
        mentions = self.findings(Kind.MENTION)
        spans = ((f.start, f.end) for _, f in mentions if f.start is not None and f.end is not None)
        said = {(finding.database, finding.identifier) for _, finding in self.findings(Kind.NORMALIZATION)}
        return Words(self.article.text, spans, [entry for key, entry in self.naming.entries.items() if key in said])

    # What the reader chose

    @cached_property
    def chosen_span(self) -> Span | None:
        span = self.choice.mention
        return span if span and self.words.has(span) else None

    @cached_property
    def marked(self) -> Marked:
        """Which words stand out in the text."""
        span = self.chosen_span
        return Marked(self.words.meaning_the_same(span), span) if span else NOTHING

    @cached_property
    def chosen_entries(self) -> set[tuple[str, str]]:
        if self.chosen_span is None:
            return set()
        entries = self.words.entries[self.words.key_of(self.chosen_span)]
        return {(entry.database, entry.identifier) for entry in entries}

    def is_chosen(self, finding: Finding) -> bool:
        if self.chosen_span is None:
            return False
        if finding.kind == Kind.MENTION:
            return (finding.start, finding.end) == self.chosen_span
        names = {(finding.database, name) for name in (finding.identifier, finding.partner) if name}
        return bool(names & self.chosen_entries)

    # Who says it

    def reported(self, producer: int, finding: Finding) -> str:
        """What the server said where the finding has today's identifier; empty when it said the same."""
        said = self.by_kind[finding.kind][producer].reported.get(finding.key)
        return f"as {said}" if said else ""

    def line(self, kind: Kind, producer: int, confidence: float | None, rank: int | None, says: str = "") -> Line:
        word = self.by_kind[kind][producer]
        curve = self.curves.get((word.source.slug, kind))
        worth = curve.at(confidence) if curve and confidence is not None else None
        result = word.result
        when, took, version = result.received, result.duration, result.stated_version
        return Line(word.source, confidence, rank, when, took, result.id, says, worth, version)

    @cached_property
    def bar(self) -> Bar | None:
        """Yes or no."""
        said = [
            (producer, word.findings[0])
            for producer, word in self.by_kind[Kind.CLASSIFICATION].items()
            if word.findings
        ]
        summed = balance(finding for _, finding in said)
        if summed is None:
            return None
        return Bar(
            summed,
            [
                self.line(Kind.CLASSIFICATION, producer, f.confidence, f.rank, "yes" if f.relevant else "no")
                for producer, f in said
            ],
        )
