"""The consensus that a reader chooses on the article page: the rule, and what the listed servers agree on by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from annotations.consensus import Agreed, consensus
from annotations.consensus_rules import METHODS, SHARE, VOTES, Cut, Method, RuleError, Spans, rule_of
from annotations.kinds import Finding, Kind
from bcms.agreeing import threshold_in, weights_in
from bcms.pages.naming import Naming
from bcms.pages.parts import Reference

MOST_SHOWN = 100
LONGEST_WORDS = 500


@dataclass(frozen=True, slots=True)
class ChosenRule:
    """What the reader chose, as it stands in the address; rule "" is none. The threshold is called m where it is a
    number of servers and share elsewhere, so that changing the rule does not make the one into the other."""

    rule: str = ""
    threshold: str = ""
    weights: str = ""
    spans: Spans = Spans.STRICT

    def pairs(self) -> list[tuple[str, str]]:
        """The rule as it stands in an address."""
        if not self.rule:
            return []
        spans = self.spans.value if self.spans is not Spans.STRICT else ""
        pairs = [
            ("rule", self.rule),
            (threshold_name(self.rule), self.threshold),
            ("weights", self.weights),
            ("spans", spans),
        ]
        return [(name, value) for name, value in pairs if value]

    @property
    def method(self) -> Method | None:
        return METHODS.get(self.rule)


NO_RULE = ChosenRule()


def threshold_name(rule: str) -> str:
    return "m" if METHODS[rule].has(VOTES) else "share"


def chosen_of(query: QueryDict) -> ChosenRule:
    """The rule in an address; a method that is not there is none."""
    rule = query.get("rule", "")
    if rule not in METHODS:
        return NO_RULE
    names = (threshold_name(rule), "weights")
    threshold, weights = (query.get(name, "")[:LONGEST_WORDS].strip() for name in names)
    overlapping = query.get("spans") == Spans.OVERLAPPING
    return ChosenRule(rule, threshold, weights, Spans.OVERLAPPING if overlapping else Spans.STRICT)


@dataclass(frozen=True, slots=True)
class Voter:
    """A server that is listened to, by its id and name, and where its lists of the open kind are best cut."""

    slug: str
    label: str
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """One agreed annotation, as the page lists it."""

    text: str
    mention: str
    references: Sequence[Reference]
    count: int
    confidence: float | None
    voters: Sequence[str]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The consensus by the reader's rule; fault says what is wrong with the rule, and then nothing is agreed.

    of annotations that anybody reports, number are agreed, and the first of these are shared; servers looked.
    """

    chosen: ChosenRule
    fault: str = ""
    number: int = 0
    of: int = 0
    servers: int = 0
    shared: Sequence[Shared] = ()

    @property
    def methods(self) -> list[Method]:
        return list(METHODS.values())

    @property
    def left_out(self) -> int:
        return self.number - len(self.shared)

    @property
    def by_votes(self) -> bool:
        return self.chosen.method is not None and self.chosen.method.has(VOTES)

    @property
    def by_share(self) -> bool:
        return self.chosen.method is not None and self.chosen.method.has(SHARE)


def agreement(
    chosen: ChosenRule, kind: Kind, said: Mapping[int, Sequence[Finding]], voters: Mapping[int, Voter], naming: Naming
) -> Agreement:
    """What the producers in said agree on in one kind; voters tells of each of them."""
    if chosen.method is None:
        return Agreement(chosen)
    try:
        given = weights_in(chosen.weights)
        weights = {producer: given.get(voters[producer].slug, 1.0) for producer in said}
        cuts = {producer: cut for producer in said if (cut := voters[producer].cut)}
        threshold = threshold_in(chosen.threshold)
        rule = rule_of(chosen.method.id, threshold, spans=chosen.spans, weights=weights, cuts=cuts)
    except RuleError as error:
        return Agreement(chosen, str(error))
    found = consensus(kind, said, rule)
    reported = len({finding.key for some in said.values() for finding in some})
    shared = [shared_of(each, voters, naming) for each in found[:MOST_SHOWN]]
    return Agreement(chosen, "", len(found), reported, len(said), shared)


def shared_of(agreed: Agreed, voters: Mapping[int, Voter], naming: Naming) -> Shared:
    finding = agreed.finding
    return Shared(
        text=finding.text,
        mention=f"{finding.start}-{finding.end}" if finding.kind == Kind.MENTION else "",
        references=naming.of(finding),
        count=len(agreed.producers),
        confidence=finding.confidence,
        voters=[voters[producer].label for producer in agreed.producers],
    )
