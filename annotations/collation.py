"""What several producers say of one article, side by side: heat over the text, lists by kind, links, one bar.

Pure: takes findings as plain data, knows no database. Producers are named by integers. Times grow with n log n for n
findings, however deeply they are nested.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from annotations.greek import in_latin
from annotations.kinds import Finding
from bcms.lib.text import regularize

Span = tuple[int, int]
LEVELS = 4
# So many of the mentions around a piece are told: deeper ones nobody reads.
MOST_AROUND = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the text that the same producers mark throughout.

    mentions are those around it, the shortest first (of equally short ones the one that begins first), four at most.
    """

    start: int
    end: int
    text: str
    producers: frozenset[int] = frozenset()
    mentions: tuple[Span, ...] = ()


def segments(text: str, mentions: Mapping[int, Iterable[Span]], breaks: Iterable[int] = ()) -> list[Segment]:
    """Cut a text where the set of producers that mark it, or the mentions around it, changes.

    mentions maps each producer to its half-open spans in code points of text; they may nest, overlap and repeat.
    breaks are further positions to cut at (where passages meet). The pieces in order join to the text; a text of no
    length gives none. Raises ValueError for a span that is empty or outside the text.
    """
    opening, closing = _edges(text, mentions)
    cuts = sorted({0, len(text), *opening, *closing, *(at for at in breaks if 0 < at < len(text))})
    covering: Counter[int] = Counter()
    around = _Around()
    pieces: list[Segment] = []
    marking: frozenset[int] = frozenset()
    for start, end in pairwise(cuts):
        if start in opening or start in closing:
            for producer in closing.get(start, ()):
                covering[producer] -= 1
            for producer, span in opening.get(start, ()):
                covering[producer] += 1
                around.open(span)
            marking = frozenset(producer for producer, count in covering.items() if count)
        pieces.append(Segment(start, end, text[start:end], marking, around.at(start)))
    return pieces


def _edges(
    text: str, mentions: Mapping[int, Iterable[Span]]
) -> tuple[dict[int, list[tuple[int, Span]]], dict[int, list[int]]]:
    opening: dict[int, list[tuple[int, Span]]] = defaultdict(list)
    closing: dict[int, list[int]] = defaultdict(list)
    for producer, spans in mentions.items():
        for start, end in spans:
            if not 0 <= start < end <= len(text):
                raise ValueError(f"the mention {start}-{end} is empty or outside a text of {len(text)} characters")
            opening[start].append((producer, (start, end)))
            closing[end].append(producer)
    return opening, closing


class _Around:
    """The shortest of the spans around a position that only moves forward, each once."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int]] = []

    def open(self, span: Span) -> None:
        start, end = span
        heapq.heappush(self._heap, (end - start, start, end))

    def at(self, position: int) -> tuple[Span, ...]:
        heap = self._heap
        found: list[tuple[int, int, int]] = []
        while heap and len(found) < MOST_AROUND:
            nearest = heapq.heappop(heap)
            if nearest[2] > position and nearest not in found:
                found.append(nearest)
        for one in found:
            heapq.heappush(heap, one)
        return tuple([one[1:] for one in found])


def heat_level(count: int, total: int) -> int:
    """How warm a character is that count of total producers mark: 0 none, 1 one, 2 up to half, 3 more, 4 all.

    One is always 1, also when there is only one producer; total counts those who looked for mentions, whether or not
    they found any. Raises ValueError when count is not in 0..total.
    """
    if not 0 <= count <= total:
        raise ValueError(f"{count} of {total} producers cannot mark a character")
    if count <= 1:
        return count
    if count == total:
        return LEVELS
    return 2 if 2 * count <= total else 3


@dataclass(frozen=True, slots=True)
class Vote:
    """One producer's word for one annotation; confidence in (0, 1] or None when not given, rank positive or None."""

    producer: int
    confidence: float | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """One annotation and everybody who makes it, one vote per producer, by producer number."""

    finding: Finding
    votes: tuple[Vote, ...]
    mean: float | None
    highest: float | None

    @property
    def count(self) -> int:
        return len(self.votes)


class Order(StrEnum):
    SERVERS = "servers"
    CONFIDENCE = "confidence"


def group(findings: Mapping[int, Iterable[Finding]], order: Order = Order.SERVERS) -> list[Group]:
    """Gather the findings of one kind by what they say (Finding.key), most agreed or most confident first.

    findings maps each producer to what it says. A producer that says a thing twice has one vote, its more confident
    one. Mean and highest confidence are over the votes that carry one, None when none does, and None sorts last; ties
    are broken by the other order, then by position or identifier.
    """
    first: dict[tuple[object, ...], Finding] = {}
    votes: dict[tuple[object, ...], dict[int, Vote]] = defaultdict(dict)
    for producer in sorted(findings):
        for finding in findings[producer]:
            key = finding.key
            first.setdefault(key, finding)
            vote = Vote(producer, finding.confidence, finding.rank)
            votes[key][producer] = max(votes[key].get(producer, vote), vote, key=_certainty)
    groups = [_group(first[key], tuple(votes[key].values())) for key in first]
    return sorted(groups, key=_ORDERS[order])


def _certainty(vote: Vote) -> float:
    return vote.confidence or 0.0


def _group(finding: Finding, votes: tuple[Vote, ...]) -> Group:
    given = [vote.confidence for vote in votes if vote.confidence is not None]
    return Group(finding, votes, sum(given) / len(given) if given else None, max(given, default=None))


def _place(finding: Finding) -> tuple[object, ...]:
    return (finding.start or 0, finding.end or 0, finding.database, finding.identifier, finding.partner, finding.text)


_ORDERS: dict[Order, Callable[[Group], tuple[object, ...]]] = {
    Order.SERVERS: lambda group: (-group.count, -(group.mean or 0.0), _place(group.finding)),
    Order.CONFIDENCE: lambda group: (-(group.mean or 0.0), -group.count, _place(group.finding)),
}


@dataclass(frozen=True, slots=True)
class Balance:
    """The classifications summed: position 0 is a certain no by all, 1 a certain yes by all, 0.5 undecided."""

    position: float
    yes: int
    no: int
    mean_confidence: float | None


def balance(classifications: Iterable[Finding]) -> Balance | None:
    """Where the bar between no (0) and yes (1) stands, None when nobody classified the article.

    Each classification pulls from the middle with its confidence; one without a confidence pulls with full weight.
    """
    votes = [finding for finding in classifications if finding.relevant is not None]
    if not votes:
        return None
    pull = sum((1 if vote.relevant else -1) * (1.0 if vote.confidence is None else vote.confidence) for vote in votes)
    given = [vote.confidence for vote in votes if vote.confidence is not None]
    yes = sum(1 for vote in votes if vote.relevant)
    mean = sum(given) / len(given) if given else None
    return Balance(0.5 + pull / (2 * len(votes)), yes, len(votes) - yes, mean)


@dataclass(frozen=True, slots=True)
class Named:
    """A database entry with what it is called."""

    database: str
    identifier: str
    name: str = ""
    symbol: str = ""
    synonyms: tuple[str, ...] = ()
    taxon: int | None = None
    exists: bool | None = None
    withdrawn: bool = False
    successors: tuple[str, ...] = ()

    @property
    def current(self) -> str:
        """The identifier of the entry that it means today: its successor's when there is exactly one."""
        return self.successors[0] if len(self.successors) == 1 else self.identifier


def named_today(finding: Finding, entries: Mapping[tuple[str, str], Named]) -> Finding:
    """The finding with the identifiers that its own mean today (of a secondary accession, say); mostly itself."""
    known = [entries.get((finding.database, name)) for name in (finding.identifier, finding.partner)]
    if not any(entry and entry.current != entry.identifier for entry in known):
        return finding
    identifier, partner = (entry.current if entry else "" for entry in known)
    return replace(finding, identifier=identifier or finding.identifier, partner=partner or finding.partner)


@dataclass(frozen=True, slots=True)
class Link:
    """A mention means an entry because of one of its names; because is "symbol", "name" or "synonym"."""

    entry: Named
    because: str
    spelling: str


class Links:
    """Which entries a mention's text means: one of their names equals it, both regularized, Greek letters by name."""

    def __init__(self, entries: Sequence[Named]) -> None:
        self._by_name: dict[str, dict[Named, Link]] = defaultdict(dict)
        for entry in entries:
            self._add(entry, "symbol", [entry.symbol])
            self._add(entry, "name", [entry.name])
            self._add(entry, "synonym", entry.synonyms)

    def _add(self, entry: Named, because: str, spellings: Iterable[str]) -> None:
        for spelling in spellings:
            if name := _compared(spelling):
                self._by_name[name].setdefault(entry, Link(entry, because, spelling))

    def of(self, mention: str) -> list[Link]:
        """The links of a mention's text, in the order of the entries; none when no name fits."""
        return list(self._by_name.get(_compared(mention), {}).values())


def _compared(name: str) -> str:
    """The form in which a mention and the names of entries are compared: tables write "beta-catenin" alone."""
    return regularize(in_latin(name))
