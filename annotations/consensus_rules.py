"""The ways to agree: one registry of methods with their parameters, and rules made of them."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

# Shares are compared without the last digits, so that 0.1 and 0.2 are enough for 0.3.
DIGITS = 12


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

    def weight(self, producers: Collection[int]) -> float:
        """Of these producers together; each has 1 unless the method weighs."""
        if not self.weights:
            return float(len(producers))
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
