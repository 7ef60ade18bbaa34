"""The consensus methods with their parameters, and the rules made of them."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

# Shares are rounded before they are compared, so that 0.1 + 0.2 reaches 0.3.
SHARE_DIGITS = 12
# Sums of larger weights would not be finite.
LARGEST_WEIGHT = 1_000_000


class SpanMatching(StrEnum):
    """When two mentions count as the same: if their positions are equal, or if they share a character."""

    STRICT = "strict"
    OVERLAPPING = "overlapping"


class MentionMatching(StrEnum):
    """What has to be equal in two mentions besides their positions: nothing, their type, or type and identifiers."""

    POSITION = "position"
    TYPE = "type"
    IDENTIFIER = "identifier"


class ConsensusRuleError(ValueError):
    """A rule with an invalid parameter; the message tells the user how to correct it."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


class VoteTally(NamedTuple):
    """The votes for an annotation out of how many producers, and their share of the total weight."""

    votes: int
    producer_count: int
    support: float


@dataclass(frozen=True, slots=True)
class ConsensusParameter:
    """A parameter of consensus methods; default describes its default value."""

    name: str
    about: str
    default: str


SERVERS_PARAMETER = ConsensusParameter("servers", "The ids of the servers that vote.", "all that annotated this kind")
SPANS_PARAMETER = ConsensusParameter(
    "spans", "Whether mentions must have equal positions (strict) or share a character (overlapping).", "strict"
)
MATCH_PARAMETER = ConsensusParameter(
    "match",
    "What else has to be equal in mentions: nothing (position), the type in any spelling (type), or the type and the "
    "identifiers (identifier).",
    "position",
)
MENTION_PARAMETERS = (SERVERS_PARAMETER, SPANS_PARAMETER, MATCH_PARAMETER)
VOTES_PARAMETER = ConsensusParameter("threshold", "How many servers must agree: a whole number from 1.", "2")
SHARE_PARAMETER = ConsensusParameter(
    "threshold", "The share of the total weight that must agree: greater than 0 and at most 1.", "0.5"
)
WEIGHTS_PARAMETER = ConsensusParameter(
    "weights", "The weight of each server's vote by server id: 0 to 1,000,000; 1 for servers not listed.", "1 each"
)


@dataclass(frozen=True, slots=True)
class ConsensusMethod:
    """A consensus method. has_enough_votes decides by the votes for an annotation and the threshold."""

    id: str
    name: str
    about: str
    parameters: Sequence[ConsensusParameter]
    has_enough_votes: Callable[[VoteTally, float], bool]

    def has_parameter(self, parameter: ConsensusParameter) -> bool:
        return parameter in self.parameters

    @property
    def cuts_lists(self) -> bool:
        """Whether the list of each server is cut off before voting, at the best cut-off of a training phase."""
        return self.id == "cut_votes"


CONSENSUS_METHODS = {
    method.id: method
    for method in (
        ConsensusMethod(
            "union",
            "Any server",
            "Annotations of at least one server.",
            MENTION_PARAMETERS,
            lambda tally, _: tally.votes > 0,
        ),
        ConsensusMethod(
            "intersection",
            "All servers",
            "Annotations of every server that annotated this kind.",
            MENTION_PARAMETERS,
            lambda tally, _: tally.votes == tally.producer_count,
        ),
        ConsensusMethod(
            "majority",
            "Most servers",
            "Annotations of more than half of the servers that annotated this kind.",
            MENTION_PARAMETERS,
            lambda tally, _: 2 * tally.votes > tally.producer_count,
        ),
        ConsensusMethod(
            "votes",
            "At least m servers",
            "Annotations of at least as many servers as the threshold.",
            (*MENTION_PARAMETERS, VOTES_PARAMETER),
            lambda tally, threshold: tally.votes >= threshold,
        ),
        ConsensusMethod(
            "weighted",
            "Weighted servers",
            "Annotations of servers with at least the threshold's share of the weight of all that annotated this kind.",
            (*MENTION_PARAMETERS, WEIGHTS_PARAMETER, SHARE_PARAMETER),
            lambda tally, threshold: round(tally.support, SHARE_DIGITS) >= round(threshold, SHARE_DIGITS),
        ),
        ConsensusMethod(
            "cut_votes",
            "At least m servers, lists cut off",
            "Like votes, but each server's list is first cut off where it had the best FAP on the gold standard of a "
            "training phase. A server without such a cut-off votes with its whole list.",
            (*MENTION_PARAMETERS, VOTES_PARAMETER),
            lambda tally, threshold: tally.votes >= threshold,
        ),
    )
}
# For fields of forms and of REST.
CONSENSUS_METHOD_CHOICES = [(method.id, method.name) for method in CONSENSUS_METHODS.values()]
DEFAULT_THRESHOLDS = {VOTES_PARAMETER: 2.0, SHARE_PARAMETER: 0.5}


@dataclass(frozen=True, slots=True)
class ListCutoff:
    """Where a list ends: after a number of items (rank), or before the first item below a confidence or without one."""

    criterion: Literal["confidence", "rank"]
    value: float


@dataclass(frozen=True, slots=True)
class ConsensusRule:
    """A method with valid parameters, made by make_consensus_rule(). weights and cuts are by producer."""

    method: ConsensusMethod
    threshold: float = 0.0
    spans: SpanMatching = SpanMatching.STRICT
    match: MentionMatching = MentionMatching.POSITION
    weights: Mapping[int, float] = field(default_factory=dict)
    cuts: Mapping[int, ListCutoff] = field(default_factory=dict)

    def sum_weights(self, producers: Collection[int]) -> float:
        """The sum of the weights of these producers; each has weight 1 unless the rule has weights."""
        if not self.weights:
            return float(len(producers))
        return math.fsum(self.weights.get(producer, 1.0) for producer in producers)


def make_consensus_rule(
    method: str,
    threshold: float | None = None,
    *,
    spans: SpanMatching = SpanMatching.STRICT,
    match: MentionMatching = MentionMatching.POSITION,
    weights: Mapping[int, float] | None = None,
    cuts: Mapping[int, ListCutoff] | None = None,
) -> ConsensusRule:
    """The rule for a method id; parameters that the method does not have are ignored.

    Raises ConsensusRuleError for an unknown method or an invalid parameter.
    """
    if method not in CONSENSUS_METHODS:
        message = f'There is no consensus method "{method[:50]}". Choose one of: {", ".join(CONSENSUS_METHODS)}.'
        raise ConsensusRuleError("method", message)
    chosen = CONSENSUS_METHODS[method]
    valid_weights = dict(weights or {}) if chosen.has_parameter(WEIGHTS_PARAMETER) else {}
    if not all(0 <= weight <= LARGEST_WEIGHT for weight in valid_weights.values()):
        message = f"A weight must be a number from 0 to {LARGEST_WEIGHT:,}. Servers without a weight have weight 1."
        raise ConsensusRuleError("weights", message)
    valid_cuts = dict(cuts or {}) if chosen.cuts_lists else {}
    return ConsensusRule(chosen, _validate_threshold(chosen, threshold), spans, match, valid_weights, valid_cuts)


def _validate_threshold(method: ConsensusMethod, threshold: float | None) -> float:
    parameter = next((each for each in method.parameters if each in DEFAULT_THRESHOLDS), None)
    if parameter is None:
        return 0.0
    if threshold is None:
        return DEFAULT_THRESHOLDS[parameter]
    if parameter == VOTES_PARAMETER and not (threshold >= 1 and float(threshold).is_integer()):
        message = f"The threshold of {method.id} is a number of servers. Enter a whole number from 1."
        raise ConsensusRuleError("threshold", message)
    if parameter == SHARE_PARAMETER and not 0 < threshold <= 1:
        message = f"The threshold of {method.id} is a share of the weight. Enter a number greater than 0 and at most 1."
        raise ConsensusRuleError("threshold", message)
    return float(threshold)
