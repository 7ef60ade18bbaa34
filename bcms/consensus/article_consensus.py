"""The consensus of the servers that a reader sees on one article, for REST and XML-RPC."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q, QuerySet

from annotations.articles.models import Article
from annotations.identifiers.gene_keys import EntriesByIdentifier
from annotations.identifiers.queries import add_stored_or_copied_successor_entries
from annotations.results.consensus.methods import (
    ConsensusMethod,
    ConsensusRule,
    ListCutoff,
    MentionMatching,
    SpanMatching,
    make_consensus_rule,
)
from annotations.results.consensus.voting import AgreedAnnotation, build_consensus
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.calibrated_confidences import load_newest_visible_calibrations
from bcms.article_annotations.current_annotations import (
    ProducerAnnotations,
    load_producer_annotations_and_reported_entries,
)
from evaluation.visibility import ANONYMOUS_READER
from servers.registry.models import Server
from servers.review.states import ReviewState

DEFAULT_CONSENSUS_METHOD = "majority"


@dataclass(frozen=True, slots=True)
class ConsensusOptions:
    """The methods and their parameters; servers by slug. Empty servers or kinds mean all of them.

    unreviewed: servers that nobody has reviewed vote, too (for XML-RPC).
    """

    methods: Sequence[str] = (DEFAULT_CONSENSUS_METHOD,)
    threshold: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    servers: Collection[str] = ()
    spans: SpanMatching = SpanMatching.STRICT
    match: MentionMatching = MentionMatching.POSITION
    kinds: Collection[Kind] = ()
    unreviewed: bool = False


class UnknownServerError(ValueError):
    """The options name a server that does not exist; the message says which."""


@dataclass(frozen=True, slots=True)
class SupportedAnnotation:
    """An annotation of a consensus, the slugs of the servers that agree, and their share of the weight."""

    annotation: AnnotationData
    servers: Sequence[str]
    support: float


@dataclass(frozen=True, slots=True)
class KindConsensus:
    """The consensus on one kind by one method; servers: the slugs of those that annotated this kind."""

    method: ConsensusMethod
    threshold: float
    kind: Kind
    servers: Sequence[str]
    agreed: Sequence[SupportedAnnotation]


def compute_consensus_of_servers(
    article: Article, producers: QuerySet[Producer], options: ConsensusOptions, *, on_older_text_in_memory: bool = False
) -> list[KindConsensus]:
    """The consensus by method and kind, in the order of the options, without kinds that no server annotated.

    producers: those of the LIVE queues that the reader sees. on_older_text_in_memory: on the annotations of the older
    text that the article has in memory. 7 queries at most. Raises UnknownServerError or
    annotations.results.consensus.methods.ConsensusRuleError.
    """
    _check_servers_exist({*options.servers, *options.weights}, producers)
    rules = [_build_unweighted_rule(method, options) for method in dict.fromkeys(options.methods)]
    loaded, reported_entries = load_producer_annotations_and_reported_entries(
        article, producers, on_older_text_in_memory=on_older_text_in_memory
    )
    entries = add_stored_or_copied_successor_entries(reported_entries)
    results = [result for result in loaded if _matches_options(result, options)]
    kinds = [kind for kind in Kind if any(result.result.kind == kind for result in results)]
    by_kind = {kind: [result for result in results if result.result.kind == kind] for kind in kinds}
    cuts = (
        load_newest_visible_calibrations(ANONYMOUS_READER, (result.server for result in results)).cuts
        if any(rule.method.cuts_lists for rule in rules)
        else {}
    )
    return [
        _compute_kind_consensus(kind, of_kind, _build_kind_rule(rule, kind, of_kind, options, cuts), entries)
        for rule in rules
        for kind, of_kind in by_kind.items()
    ]


def _matches_options(result: ProducerAnnotations, options: ConsensusOptions) -> bool:
    return (not options.servers or result.server in options.servers) and (
        not options.kinds or result.result.kind in options.kinds
    )


def _check_servers_exist(slugs: Iterable[str], producers: QuerySet[Producer]) -> None:
    """Raise UnknownServerError for the first slug that is no server of these producers. 1 query, none without slugs."""
    wanted = {slug.replace("\0", "") for slug in slugs}
    servers = Server.objects.filter(Q(queues__producer__in=producers) | Q(review=ReviewState.ACCEPTED))
    known = set(servers.filter(slug__in=wanted).values_list("slug", flat=True)) if wanted else set()
    if unknown := sorted(wanted - known):
        raise UnknownServerError(f'There is no server "{unknown[0][:50]}". The ids of all servers are at /servers/.')


def _build_unweighted_rule(method: str, options: ConsensusOptions) -> ConsensusRule:
    """The rule before the voters are known, so that invalid options are reported even if nobody votes."""
    weights = dict(enumerate(options.weights.values()))
    return make_consensus_rule(method, options.threshold, spans=options.spans, match=options.match, weights=weights)


def _build_kind_rule(
    rule: ConsensusRule,
    kind: Kind,
    results: Sequence[ProducerAnnotations],
    options: ConsensusOptions,
    cuts: Mapping[tuple[str, Kind], ListCutoff],
) -> ConsensusRule:
    """The rule with the weights and list cut-offs of the producers of these results, which are of one kind."""
    weights = {result.producer.pk: options.weights.get(result.server, 1.0) for result in results}
    cuts_by_producer = {
        result.producer.pk: cuts[result.server, kind] for result in results if (result.server, kind) in cuts
    }
    return make_consensus_rule(
        rule.method.id,
        rule.threshold or None,
        spans=rule.spans,
        match=rule.match,
        weights=weights,
        cuts=cuts_by_producer,
    )


def _compute_kind_consensus(
    kind: Kind, results: Sequence[ProducerAnnotations], rule: ConsensusRule, entries: EntriesByIdentifier
) -> KindConsensus:
    slugs = {result.producer.pk: result.server for result in results}
    agreed = build_consensus(kind, {result.producer.pk: result.annotations for result in results}, rule, entries)
    supported = [_build_supported_annotation(annotation, slugs) for annotation in agreed]
    return KindConsensus(rule.method, rule.threshold, kind, sorted(slugs.values()), supported)


def _build_supported_annotation(agreed: AgreedAnnotation, slugs: Mapping[int, str]) -> SupportedAnnotation:
    return SupportedAnnotation(
        agreed.annotation, sorted(slugs[producer] for producer in agreed.producers), agreed.support
    )
