"""The consensus of public servers on one article: what the page, REST and XML-RPC ask for and get."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.consensus import Agreed, consensus
from annotations.consensus_rules import Cut, Method, Rule, RuleError, Spans, rule_of
from annotations.kinds import Finding, Kind
from annotations.models import Article
from bcms.calibrated import learned_of
from bcms.said import EVERYBODY, Said, live_producers, said_of
from servers.models import Server

USUAL = "majority"


@dataclass(frozen=True, slots=True)
class Question:
    """Which consensus is asked for; servers by their ids. Nothing in servers or kinds: all of them."""

    methods: Sequence[str] = (USUAL,)
    threshold: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    servers: Collection[str] = ()
    spans: Spans = Spans.STRICT
    kinds: Collection[Kind] = ()


class UnknownServerError(ValueError):
    """The question names a server that is not there; the message says which."""


@dataclass(frozen=True, slots=True)
class AgreedBy:
    """An annotation of a consensus, the ids of the servers that say so, and their share of the weight."""

    finding: Finding
    servers: Sequence[str]
    support: float


@dataclass(frozen=True, slots=True)
class Consensus:
    """What servers agree on in one kind by one method; servers: the ids of those that looked for it."""

    method: Method
    threshold: float
    kind: Kind
    servers: Sequence[str]
    agreed: Sequence[AgreedBy]


def consensus_of(article: Article, question: Question, *, older: bool = False) -> list[Consensus]:
    """By method and kind, in the order asked for; a kind that no server looked for is not in it.

    older: of what was said of the older text that the article has in memory. 6 queries at most.
    annotations.consensus_rules.RuleError or UnknownServerError, with how to mend it.
    """
    check_servers({*question.servers, *question.weights})
    rules = [plain_rule(method, question) for method in dict.fromkeys(question.methods)]
    said = [each for each in said_of(article, live_producers(), older=older) if asked_for(each, question)]
    kinds = [kind for kind in Kind if any(each.result.kind == kind for each in said)]
    by_kind = {kind: [each for each in said if each.result.kind == kind] for kind in kinds}
    cuts = learned_of(EVERYBODY, (each.server for each in said)).cuts if any(rule.method.cuts for rule in rules) else {}
    return [
        consensus_in(kind, some, rule_for(rule, kind, some, question, cuts))
        for rule in rules
        for kind, some in by_kind.items()
    ]


def asked_for(said: Said, question: Question) -> bool:
    return (not question.servers or said.server in question.servers) and (
        not question.kinds or said.result.kind in question.kinds
    )


def check_servers(slugs: Iterable[str]) -> None:
    wanted = {slug.replace("\0", "") for slug in slugs}
    known = set(Server.objects.filter(slug__in=wanted).values_list("slug", flat=True)) if wanted else set()
    if unknown := sorted(wanted - known):
        raise UnknownServerError(
            f'There is no server "{unknown[0][:50]}"; the list of servers at /servers/ has their ids.'
        )


def plain_rule(method: str, question: Question) -> Rule:
    """The rule before anybody is known who votes: whatever is wrong with it is told now."""
    weights = dict(enumerate(question.weights.values()))
    return rule_of(method, question.threshold, spans=question.spans, weights=weights)


def rule_for(
    rule: Rule, kind: Kind, said: Sequence[Said], question: Question, cuts: Mapping[tuple[str, Kind], Cut]
) -> Rule:
    weights = {each.producer.pk: question.weights.get(each.server, 1.0) for each in said}
    own = {each.producer.pk: cuts[each.server, kind] for each in said if (each.server, kind) in cuts}
    return rule_of(rule.method.id, rule.threshold or None, spans=rule.spans, weights=weights, cuts=own)


def consensus_in(kind: Kind, said: Sequence[Said], rule: Rule) -> Consensus:
    names = {each.producer.pk: each.server for each in said}
    found = consensus(kind, {each.producer.pk: each.findings for each in said}, rule)
    agreed = [agreed_by(each, names) for each in found]
    return Consensus(rule.method, rule.threshold, kind, sorted(names.values()), agreed)


def agreed_by(agreed: Agreed, names: Mapping[int, str]) -> AgreedBy:
    return AgreedBy(agreed.finding, sorted(names[producer] for producer in agreed.producers), agreed.support)


# What is written in an address


def parted(words: str) -> list[str]:
    """The parts of a list with commas."""
    return [part.strip() for part in words.split(",") if part.strip()]


def weights_in(words: str) -> dict[str, float]:
    """Weights by id of the server, of `genedict:2,taxonspotter:0.5`; RuleError for what is no such list."""
    pairs = [part.rpartition(":") for part in parted(words)]
    return {server.strip(): number_in("weights", weight, "genedict:2,taxonspotter:0.5") for server, _, weight in pairs}


def threshold_in(words: str) -> float | None:
    """None of nothing; RuleError for what is no number."""
    return number_in("threshold", words, "2 or 0.5") if words else None


def number_in(name: str, words: str, example: str) -> float:
    try:
        return float(words)
    except ValueError:
        raise RuleError(name, f"“{words[:20]}” is no number; write {name} like {example}.") from None
