"""What several producers agree on in one article, by a rule: one list of annotations made of theirs.

Two say the same by the matching key of their kind (Finding.key: a pair has no direction), mentions on the reader's wish
also when they overlap. A producer that says a thing twice has one vote, its surer one. Every producer that looked
counts among those who could have agreed, an empty list too; one that was not asked or did not answer is not in the
mapping.

An agreed annotation has as confidence the mean of those of its voters that give one (weighted where votes are), none
where none does: how sure they are, not how many, which its votes and support say. It need not fall with the rank. Its
rank is its place in the list, most votes (or weight) first, then the surest, then by identifier; mentions stand in the
same order and have no rank, as they never have. Its type and organism are what most voters say.

With equal weights and strict spans these are the joined runs of evaluation.analyses.ensemble. Pure: producers are
numbers; time grows with n log n for n findings, however they overlap.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, TypeVar

from annotations.kinds import Finding, Kind

UNRANKED = (Kind.MENTION, Kind.CLASSIFICATION)
# Means and shares are compared without the last digits, so that 0.1 and 0.2 tie with 0.15 twice.
DIGITS = 12
Ballot = Mapping[int, Finding]
Word = TypeVar("Word", str, int)


class Spans(StrEnum):
    """When two mentions are the same: equal positions, or a character in common."""

    STRICT = "strict"
    OVERLAPPING = "overlapping"


class RuleError(ValueError):
    """A rule that cannot be: the parameter at fault, and a message that tells its author how to mend it."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class Tally:
    """votes of so many producers (of), and the share of all weight that they have."""

    votes: int
    of: int
    support: float


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    about: str
    default: str


SERVERS = Parameter("servers", "The ids of the servers that have a vote.", "all that looked for this kind")
SPANS = Parameter(
    "spans", "Whether mentions must have equal positions (strict) or share a character (overlapping).", "strict"
)
VOTES = Parameter("threshold", "How many servers must say it, a whole number from 1.", "2")
SHARE = Parameter("threshold", "The share of all weight that must say it, over 0 and at most 1.", "0.5")
WEIGHTS = Parameter(
    "weights", "The weight of each server's vote by its id, 0 or more; 1 for those not named.", "1 each"
)


@dataclass(frozen=True, slots=True)
class Method:
    """A way to agree. takes says whether so many votes are enough at a threshold."""

    id: str
    name: str
    about: str
    parameters: Sequence[Parameter]
    takes: Callable[[Tally, float], bool]

    def has(self, parameter: Parameter) -> bool:
        return parameter in self.parameters

    @property
    def cuts(self) -> bool:
        """Whether each list is cut, before it votes, where that did best in training."""
        return self.id == "cut_votes"


METHODS = {
    method.id: method
    for method in (
        Method("union", "Any server", "What at least one server says.", (SERVERS, SPANS), lambda own, _: own.votes > 0),
        Method(
            "intersection",
            "All servers",
            "What every server says that looked for this kind.",
            (SERVERS, SPANS),
            lambda own, _: own.votes == own.of,
        ),
        Method(
            "majority",
            "Most servers",
            "What more than half of the servers say that looked for this kind.",
            (SERVERS, SPANS),
            lambda own, _: 2 * own.votes > own.of,
        ),
        Method(
            "votes",
            "At least m servers",
            "What at least as many servers say as the threshold asks for.",
            (SERVERS, SPANS, VOTES),
            lambda own, threshold: own.votes >= threshold,
        ),
        Method(
            "weighted",
            "Weighted servers",
            "What servers say that have at least the threshold's share of the weight of all that looked for this kind.",
            (SERVERS, SPANS, WEIGHTS, SHARE),
            lambda own, threshold: round(own.support, DIGITS) >= round(threshold, DIGITS),
        ),
        Method(
            "cut_votes",
            "At least m servers, each cut",
            "As votes, but each server's list ends first where that gave the best FAP on the gold standard of a "
            "training phase; a server without such a cut-off votes with its whole list.",
            (SERVERS, SPANS, VOTES),
            lambda own, threshold: own.votes >= threshold,
        ),
    )
}
DEFAULTS = {VOTES: 2.0, SHARE: 0.5}


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a list ends: after so many items (rank), or at its first item below a confidence or without one."""

    by: Literal["confidence", "rank"]
    value: float


@dataclass(frozen=True, slots=True)
class Rule:
    """A method with its parameters, by number of producer; made by rule_of."""

    method: Method
    threshold: float = 0.0
    spans: Spans = Spans.STRICT
    weights: Mapping[int, float] = field(default_factory=dict)
    cuts: Mapping[int, Cut] = field(default_factory=dict)

    def weight(self, producers: Iterable[int]) -> float:
        """Of these producers together; each has 1 unless the method weighs."""
        if not self.method.has(WEIGHTS):
            return float(sum(1 for _ in producers))
        return math.fsum(self.weights.get(producer, 1.0) for producer in producers)


def rule_of(
    method: str,
    threshold: float | None = None,
    *,
    spans: Spans = Spans.STRICT,
    weights: Mapping[int, float] | None = None,
    cuts: Mapping[int, Cut] | None = None,
) -> Rule:
    """The rule of a method's id; what a method does not take is left aside. RuleError when a parameter cannot be."""
    if method not in METHODS:
        words = f'There is no consensus method "{method[:50]}"; choose one of {", ".join(METHODS)}.'
        raise RuleError("method", words)
    chosen = METHODS[method]
    given = dict(weights or {}) if chosen.has(WEIGHTS) else {}
    if not all(math.isfinite(weight) and weight >= 0 for weight in given.values()):
        raise RuleError("weights", "A weight is a number from 0 on; give each server such a weight, or none for 1.")
    return Rule(chosen, _threshold(chosen, threshold), spans, given, dict(cuts or {}) if chosen.cuts else {})


def _threshold(method: Method, given: float | None) -> float:
    parameter = next((each for each in method.parameters if each in DEFAULTS), None)
    if parameter is None:
        return 0.0
    threshold = DEFAULTS[parameter] if given is None else given
    if parameter == VOTES and not (threshold >= 1 and float(threshold).is_integer()):
        words = f"The threshold of {method.id} is a number of servers; give a whole number from 1 on."
        raise RuleError("threshold", words)
    if parameter == SHARE and not 0 < threshold <= 1:
        words = f"The threshold of {method.id} is a share of the weight; give a number over 0 and at most 1."
        raise RuleError("threshold", words)
    return float(threshold)


@dataclass(frozen=True, slots=True)
class Agreed:
    """An annotation of the consensus, the producers that say so, and their share of the weight of all that looked."""

    finding: Finding
    producers: Sequence[int]
    support: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    """seed: who says exactly this; votes: these, and who says what counts as the same."""

    seed: Ballot
    votes: Ballot


def consensus(kind: Kind, findings: Mapping[int, Sequence[Finding]], rule: Rule) -> list[Agreed]:
    """What the producers agree on in one kind, best first; empty when fewer looked than the rule asks for.

    findings maps each producer that looked to what it says, of this kind only. A classification is one agreed answer,
    yes when those who say yes are enough and no otherwise; none when nobody classified the article.
    """
    if kind == Kind.CLASSIFICATION:
        return _decided(findings, rule)
    ballots = list(_ballots({producer: cut(own, rule.cuts.get(producer)) for producer, own in findings.items()}))
    candidates = [_Candidate(ballot, ballot) for ballot in ballots]
    if kind == Kind.MENTION and rule.spans is Spans.OVERLAPPING:
        candidates = _joined(ballots, rule)
    agreed = [_agreed(candidate, findings, rule) for candidate in candidates]
    taken = sorted((each for each in agreed if _enough(each, findings, rule)), key=lambda each: _order(each, rule))
    if kind in UNRANKED:
        return taken
    return [replace(each, finding=replace(each.finding, rank=rank)) for rank, each in enumerate(taken, 1)]


def cut(findings: Sequence[Finding], at: Cut | None) -> Sequence[Finding]:
    """A list up to its cut-off, by rank, else by confidence, surest first; as it is when there is none."""
    if at is None:
        return findings
    ordered = sorted(findings, key=_unsureness)
    if at.by == "rank":
        return ordered[: int(at.value)]
    ends = (place for place, finding in enumerate(ordered) if (finding.confidence or 0.0) < at.value)
    return ordered[: next(ends, len(ordered))]


def _unsureness(finding: Finding) -> tuple[bool, int, float]:
    return (finding.rank is None, finding.rank or 0, -(finding.confidence or 0.0))


def _ballots(findings: Mapping[int, Iterable[Finding]]) -> Iterable[Ballot]:
    """What is said, each with the surest word of everybody who says it."""
    said: dict[tuple[object, ...], dict[int, Finding]] = {}
    for producer in sorted(findings):
        for finding in findings[producer]:
            own = said.setdefault(finding.key, {})
            own[producer] = max(own.get(producer, finding), finding, key=_sureness)
    return said.values()


def _sureness(finding: Finding) -> float:
    return finding.confidence or 0.0


def _agreed(candidate: _Candidate, findings: Mapping[int, object], rule: Rule) -> Agreed:
    voters = sorted(candidate.votes)
    support = _share(rule.weight(voters), rule.weight(findings))
    return Agreed(_finding(candidate, rule), voters, support)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _enough(agreed: Agreed, findings: Mapping[int, object], rule: Rule) -> bool:
    return rule.method.takes(Tally(len(agreed.producers), len(findings), agreed.support), rule.threshold)


def _order(agreed: Agreed, rule: Rule) -> tuple[object, ...]:
    own = agreed.finding
    strength, sure = round(rule.weight(agreed.producers), DIGITS), own.confidence or 0.0
    return (-strength, -sure, own.start or 0, own.end or 0, own.database, own.identifier, own.partner, own.text)


def _finding(candidate: _Candidate, rule: Rule) -> Finding:
    said = candidate.seed.values()
    surest = max(said, key=_sureness)
    identifier, partner = surest.identifier, surest.partner
    if partner:
        identifier, partner = sorted((identifier, partner))
    return replace(
        surest,
        confidence=_mean(candidate.votes, rule),
        rank=None,
        identifier=identifier,
        partner=partner,
        type=_commonest(finding.type for finding in said) or "",
        taxon=_commonest(finding.taxon for finding in said),
    )


def _mean(votes: Ballot, rule: Rule) -> float | None:
    """The mean confidence of those who give one, by their weights."""
    given = {producer: finding.confidence for producer, finding in votes.items() if finding.confidence is not None}
    weight = rule.weight(given)
    if not weight:
        return None
    return round(math.fsum(rule.weight([producer]) * sure for producer, sure in given.items()) / weight, DIGITS)


def _commonest(words: Iterable[Word | None]) -> Word | None:
    counts = Counter(word for word in words if word)
    return min(counts, key=lambda word: (-counts[word], word), default=None)


def _decided(findings: Mapping[int, Sequence[Finding]], rule: Rule) -> list[Agreed]:
    calls = {producer: own[0] for producer, own in findings.items() if own and own[0].relevant is not None}
    if not calls:
        return []
    yes = {producer: call for producer, call in calls.items() if call.relevant}
    tally = Tally(len(yes), len(findings), _share(rule.weight(yes), rule.weight(findings)))
    relevant = bool(yes) and rule.method.takes(tally, rule.threshold)
    votes = {producer: call for producer, call in calls.items() if call.relevant == relevant}
    finding = Finding(Kind.CLASSIFICATION, _mean(votes, rule), relevant=relevant)
    return [Agreed(finding, sorted(votes), _share(rule.weight(votes), rule.weight(findings)))]


# Mentions that overlap


def _joined(ballots: Sequence[Ballot], rule: Rule) -> list[_Candidate]:
    """Mentions best first, each with all those that share a character with it and that no better one took.

    Best: marked so by the most (or heaviest), then by the surest, then the longest, then the first. So a chain of
    mentions, each overlapping the next, is not one annotation, and no two of these overlap.
    """
    placed = sorted(ballots, key=_span)
    starts = [_span(ballot)[0] for ballot in placed]
    left = _Ends([_span(ballot)[1] for ballot in placed])
    joined = []
    for number in sorted(range(len(placed)), key=lambda number: _quality(placed[number], rule)):
        start, end = _span(placed[number])
        if left.has(number):
            joined.append(
                _candidate(placed[number], [placed[each] for each in left.take(bisect_left(starts, end), start)])
            )
    return joined


def _span(ballot: Ballot) -> tuple[int, int]:
    finding = next(iter(ballot.values()))
    return finding.start or 0, finding.end or 0


def _quality(ballot: Ballot, rule: Rule) -> tuple[float, float, int, int]:
    start, end = _span(ballot)
    return (-round(rule.weight(ballot), DIGITS), -(_mean(ballot, rule) or 0.0), start - end, start)


def _candidate(seed: Ballot, members: Iterable[Ballot]) -> _Candidate:
    votes: dict[int, Finding] = {}
    for member in members:
        for producer, finding in member.items():
            votes[producer] = max(votes.get(producer, finding), finding, key=_sureness)
    return _Candidate(seed, {**votes, **seed})


class _Ends:
    """Ends of spans in the order of their starts, from which all that overlap a piece of text can be taken."""

    def __init__(self, ends: Sequence[int]) -> None:
        self._leaves = 1 << max(len(ends) - 1, 0).bit_length()
        # The highest end under each node of a binary tree in an array, 0 where all are taken.
        self._highest = [0] * self._leaves + [*ends] + [0] * (self._leaves - len(ends))
        for node in range(self._leaves - 1, 0, -1):
            self._highest[node] = max(self._highest[2 * node], self._highest[2 * node + 1])

    def has(self, place: int) -> bool:
        return self._highest[self._leaves + place] > 0

    def take(self, before: int, after: int) -> list[int]:
        """The places below before of all ends over after; they are taken away."""
        found = list(self._over(before, after))
        for place in found:
            node = self._leaves + place
            self._highest[node] = 0
            while node > 1:
                node //= 2
                self._highest[node] = max(self._highest[2 * node], self._highest[2 * node + 1])
        return found

    def _over(self, before: int, after: int) -> Iterator[int]:
        nodes = [(1, 0, self._leaves)]
        while nodes:
            node, first, width = nodes.pop()
            if self._highest[node] <= after or first >= before:
                continue
            if width == 1:
                yield first
            else:
                half = width // 2
                nodes += [(2 * node + 1, first + half, half), (2 * node, first, half)]
