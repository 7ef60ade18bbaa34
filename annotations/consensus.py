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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from annotations.consensus_rules import DIGITS, Cut, Rule, Spans, Tally
from annotations.kinds import Finding, Kind

UNRANKED = (Kind.MENTION, Kind.CLASSIFICATION)
Ballot = Mapping[int, Finding]
Word = TypeVar("Word", str, int)


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
    whole = rule.weight(findings)
    agreed = [_agreed(each, whole, rule) for each in candidates if _enough(each, len(findings), whole, rule)]
    taken = sorted(agreed, key=lambda each: _order(each, rule))
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
            if producer not in own or _sureness(own[producer]) < _sureness(finding):
                own[producer] = finding
    return said.values()


def _sureness(finding: Finding) -> float:
    return finding.confidence or 0.0


def _agreed(candidate: _Candidate, whole: float, rule: Rule) -> Agreed:
    voters = sorted(candidate.votes)
    return Agreed(_finding(candidate, rule), voters, _share(rule.weight(voters), whole))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _enough(candidate: _Candidate, of: int, whole: float, rule: Rule) -> bool:
    tally = Tally(len(candidate.votes), of, _share(rule.weight(candidate.votes), whole))
    return rule.method.takes(tally, rule.threshold)


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
    weigh = rule.weights.get
    return round(math.fsum(weigh(producer, 1.0) * sure for producer, sure in given.items()) / weight, DIGITS)


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
    starts, ends = ([span[side] for span in map(_span, placed)] for side in (0, 1))
    left, joined = _Ends(ends), []
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
            if producer not in votes or _sureness(votes[producer]) < _sureness(finding):
                votes[producer] = finding
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
