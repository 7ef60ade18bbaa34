"""An article with everybody's annotations collated, ready for its template."""

import zlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from annotations.collation import (
    Group,
    Links,
    Named,
    Order,
    Segment,
    Span,
    balance,
    group,
    heat_level,
    segments,
)
from annotations.databases import database_title, entry_page
from annotations.kinds import LABELS, Finding, Kind
from annotations.models import Article
from annotations.querysets import StoredResult
from bcms.lib.text import regularize
from bcms.pages.awaited import Source
from bcms.pages.parts import Bar, Chosen, Line, Meaning, Passage, Piece, Reference, Row, Tab

LISTED_KINDS = [kind for kind in Kind if kind != Kind.CLASSIFICATION]
FIRST_KINDS = (Kind.NORMALIZATION, Kind.MENTION, Kind.TAXON)
LONGEST_LIST = 300
MOST_NEIGHBOURS = 10


@dataclass(frozen=True, slots=True)
class Choice:
    """What the reader asked to see; kind None lets the page choose."""

    kind: Kind | None
    order: Order
    mention: Span | None


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


def status_of(entry: Named | None) -> str:
    """What is said beside an identifier; nothing when it is known to exist."""
    if entry is None or entry.exists is None:
        return "unverified"
    if not entry.exists:
        return "not in the database"
    if entry.withdrawn and not entry.successors:
        return "withdrawn"
    return f"divided into {', '.join(entry.successors)}" if len(entry.successors) > 1 else ""


def span_key(span: Span) -> str:
    return f"{span[0]}-{span[1]}"


class Reading:
    """Collates once; each part is made when the template asks for it."""

    def __init__(
        self,
        article: Article,
        spoken: Iterable[Spoken],
        entries: Mapping[tuple[str, str], Named],
        organisms: Mapping[tuple[str, str], Named],
        choice: Choice,
    ) -> None:
        self.article = article
        self.choice = choice
        self.spoken = best_of_each_server(spoken)
        self.entries = entries
        self.organisms = organisms
        self.by_kind: dict[Kind, dict[int, Spoken]] = defaultdict(dict)
        for word in self.spoken:
            self.by_kind[word.result.kind][word.source.producer] = word

    def findings(self, kind: Kind) -> dict[int, Sequence[Finding]]:
        return {producer: word.findings for producer, word in self.by_kind[kind].items()}

    def total(self, kind: Kind) -> int:
        """How many servers looked for this kind, whether or not they found any."""
        return len(self.by_kind[kind])

    @cached_property
    def groups(self) -> dict[Kind, list[Group]]:
        return {kind: group(self.findings(kind), self.choice.order) for kind in LISTED_KINDS if self.by_kind[kind]}

    @cached_property
    def kind(self) -> Kind:
        """The kind whose list is open."""
        if self.choice.kind:
            return self.choice.kind
        return next((kind for kind in (*FIRST_KINDS, *LISTED_KINDS) if self.groups.get(kind)), Kind.NORMALIZATION)

    @cached_property
    def tabs(self) -> list[Tab]:
        shown = [kind for kind in LISTED_KINDS if kind in self.groups or kind == self.kind]
        return [Tab(kind, LABELS[kind], len(self.groups.get(kind, ()))) for kind in shown]

    # The text with its heat

    @cached_property
    def mention_groups(self) -> dict[Span, Group]:
        groups = self.groups.get(Kind.MENTION, ())
        return {(g.finding.start, g.finding.end): g for g in groups if g.finding.start is not None and g.finding.end}

    @cached_property
    def chosen_span(self) -> Span | None:
        return self.choice.mention if self.choice.mention in self.mention_groups else None

    @cached_property
    def links(self) -> Links:
        said = {
            (finding.database, finding.identifier)
            for findings in self.findings(Kind.NORMALIZATION).values()
            for finding in findings
        }
        return Links([entry for key, entry in self.entries.items() if key in said])

    @cached_property
    def chosen_names(self) -> set[str]:
        if self.chosen_span is None:
            return set()
        return self.links.names_with(self.article.text[slice(*self.chosen_span)])

    @cached_property
    def passages(self) -> list[Passage]:
        spans = {
            producer: [(f.start, f.end) for f in findings if f.start is not None and f.end is not None]
            for producer, findings in self.findings(Kind.MENTION).items()
        }
        lengths = [len(passage["text"]) for passage in self.article.passages]
        ends = [end - 1 for end in accumulate(length + 1 for length in lengths)]
        cut = segments(self.article.text, spans, breaks=[at for end in ends for at in (end, end + 1)])
        pieces = self.pieces(cut)
        starts = [segment.start for segment in cut]
        return [
            Passage(passage["type"], pieces[bisect_left(starts, end - length) : bisect_left(starts, end)])
            for passage, length, end in zip(self.article.passages, lengths, ends, strict=True)
        ]

    def pieces(self, cut: Iterable[Segment]) -> list[Piece]:
        names: dict[str, int] = {}
        begun: set[Span] = set()
        return [self.piece(segment, names, begun) for segment in cut]

    def piece(self, segment: Segment, names: dict[str, int], begun: set[Span]) -> Piece:
        if segment.mention is None:
            return Piece(segment.text)
        name = regularize(self.article.text[slice(*segment.mention)])
        again = segment.mention in begun
        begun.add(segment.mention)
        count = len(segment.producers)
        return Piece(
            segment.text,
            level=heat_level(count, self.total(Kind.MENTION)),
            count=count,
            mention=span_key(segment.mention),
            name=names.setdefault(name, len(names) + 1),
            chosen=self.is_in_chosen(segment) or name in self.chosen_names,
            again=again,
        )

    def is_in_chosen(self, segment: Segment) -> bool:
        return self.chosen_span is not None and self.chosen_span[0] <= segment.start < self.chosen_span[1]

    # The lists

    @cached_property
    def rows(self) -> list[Row]:
        return [self.row(g) for g in self.groups.get(self.kind, ())[:LONGEST_LIST]]

    @cached_property
    def rows_left_out(self) -> int:
        return len(self.groups.get(self.kind, ())) - len(self.rows)

    def row(self, group: Group) -> Row:
        finding = group.finding
        span = (finding.start, finding.end)
        return Row(
            id=f"r{zlib.crc32(repr((finding.kind, finding.key)).encode()):08x}",
            text=finding.text,
            type=finding.type,
            mention=f"{span[0]}-{span[1]}" if finding.kind == Kind.MENTION else "",
            references=self.references(finding),
            count=group.count,
            total=self.total(finding.kind),
            mean=group.mean,
            lines=[
                self.line(
                    finding.kind, vote.producer, vote.confidence, vote.rank, self.reported(vote.producer, finding)
                )
                for vote in group.votes
            ],
            chosen=self.is_chosen(finding),
        )

    def reported(self, producer: int, finding: Finding) -> str:
        """What the server said where the finding has today's identifier; empty when it said the same."""
        said = self.by_kind[finding.kind][producer].reported.get(finding.key)
        return f"as {said}" if said else ""

    def line(self, kind: Kind, producer: int, confidence: float | None, rank: int | None, says: str = "") -> Line:
        word = self.by_kind[kind][producer]
        return Line(word.source, confidence, rank, word.result.received, word.result.duration, says)

    def is_chosen(self, finding: Finding) -> bool:
        if self.chosen_span is None:
            return False
        if finding.kind == Kind.MENTION:
            return (finding.start, finding.end) == self.chosen_span
        return (finding.database, finding.identifier) in self.chosen_entries

    def references(self, finding: Finding) -> list[Reference]:
        names = [name for name in (finding.identifier, finding.partner) if name]
        return [self.reference(finding.database, name, finding.taxon) for name in names]

    def reference(self, database: str, identifier: str, taxon: int | None = None) -> Reference:
        entry = self.entries.get((database, identifier))
        return Reference(
            database_title(database),
            identifier,
            entry_page(database, identifier),
            entry.name if entry else "",
            entry.symbol if entry else "",
            self.organism((entry.taxon if entry else None) or taxon),
            status_of(entry),
        )

    def organism(self, taxon: int | None) -> str:
        if taxon is None:
            return ""
        known = self.organisms.get(("ncbitaxon", str(taxon)))
        return known.name if known and known.name else f"taxon {taxon}"

    # The chosen mention

    @cached_property
    def chosen_entries(self) -> set[tuple[str, str]]:
        if self.chosen_span is None:
            return set()
        links = self.links.of(self.article.text[slice(*self.chosen_span)])
        return {(link.entry.database, link.entry.identifier) for link in links}

    @cached_property
    def chosen(self) -> Chosen | None:
        if self.chosen_span is None:
            return None
        group = self.mention_groups[self.chosen_span]
        text = self.article.text[slice(*self.chosen_span)]
        words = self.by_kind[Kind.MENTION]
        return Chosen(
            text=text,
            sources=[words[vote.producer].source for vote in group.votes],
            total=self.total(Kind.MENTION),
            types=group.finding.type,
            meanings=[
                Meaning(self.reference(link.entry.database, link.entry.identifier), link.because, link.spelling)
                for link in self.links.of(text)
            ],
            neighbours=self.neighbours(self.chosen_span),
        )

    def neighbours(self, chosen: Span) -> list[Row]:
        """Other mentions that share a character with the chosen one."""
        start, end = chosen
        sharing = [g for span, g in self.mention_groups.items() if span != chosen and span[0] < end and start < span[1]]
        return [self.row(g) for g in sharing[:MOST_NEIGHBOURS]]

    # Yes or no

    @cached_property
    def bar(self) -> Bar | None:
        votes = [
            (producer, finding)
            for producer, findings in self.findings(Kind.CLASSIFICATION).items()
            for finding in findings[:1]
        ]
        summed = balance(finding for _, finding in votes)
        if summed is None:
            return None
        return Bar(
            summed,
            [
                self.line(Kind.CLASSIFICATION, producer, f.confidence, f.rank, "yes" if f.relevant else "no")
                for producer, f in votes
            ],
        )
