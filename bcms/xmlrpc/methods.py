"""The methods of the XML-RPC service: those of the original meta-server, and Annotations.getAwaited.

They return the annotations of LIVE queues of accepted servers and, on request, of unreviewed ones; everything else is
available by REST. Each error is a fault with a code (bcms/xmlrpc/faults.py) and a sentence.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest

from annotations.articles.models import Article
from annotations.results import consensus_parameters
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.current_annotations import (
    list_producer_annotations_with_current_identifiers,
    list_public_producers_of_live_queues,
)
from bcms.article_page.server_status import list_queues_with_last_calls
from bcms.article_requests.annotation_start import start_rate_limited_annotation
from bcms.consensus.article_consensus import KindConsensus, UnknownServerError, compute_consensus_of_servers
from bcms.lib.rest.limits import TooManyRequests
from bcms.xmlrpc.faults import (
    NO_ANNOTATION,
    UNKNOWN_CONSENSUS,
    UNKNOWN_SERVER,
    WRONG_PARAMETER,
    RpcFault,
)
from bcms.xmlrpc.parameters import (
    get_public_article_by_pmid,
    get_server_by_slug,
    read_consensus_options,
    read_unreviewed_option,
)
from evaluation.visibility import ANONYMOUS_READER
from servers.protocols.bcms_xmlrpc import ANSWER_PARTS, build_answer_struct

NO_OPTIONS: Mapping[str, object] = {}


def _build_server_structs(article: Article, producers: QuerySet[Producer]) -> dict[str, dict[str, object]]:
    """The annotations of the article as one struct of the protocol per server, by slug: 4 queries at most.

    Identifiers are current; an element with replaced identifiers has the reported ones in an array, `reported`.
    """
    structs: dict[str, dict[str, object]] = defaultdict(dict)
    for result in list_producer_annotations_with_current_identifiers(article, producers):
        extra_values = [
            {"reported": list(resolved.reported)} if resolved.reported else {}
            for resolved in result.resolved_annotations
        ]
        if result.result.kind in ANSWER_PARTS:
            structs[result.server] |= _build_kind_struct(result.result.kind, result.annotations, extra_values, article)
    return dict(structs)


def _build_kind_struct(
    kind: Kind, annotations: Sequence[AnnotationData], extra_values: Sequence[Mapping[str, object]], article: Article
) -> dict[str, object]:
    """The protocol's struct for annotations of one kind; extra_values are added to its elements, one by one."""
    struct = build_answer_struct(annotations, len(article.title))
    elements = struct.get(ANSWER_PARTS[kind])
    if kind != Kind.CLASSIFICATION and isinstance(elements, list):
        struct[ANSWER_PARTS[kind]] = [
            {**element, **extra} for element, extra in zip(elements, extra_values, strict=True)
        ]
    return struct


def _get_annotations(request: HttpRequest, pmid: object, options: object = NO_OPTIONS) -> object:
    article, producers = get_public_article_by_pmid(pmid), _list_live_producers(options)
    refusal = _start_annotation_or_return_refusal(request, article)
    structs = _build_server_structs(article, producers)
    if refusal and not structs:
        raise refusal
    return structs


def _start_annotation_or_return_refusal(request: HttpRequest, article: Article) -> TooManyRequests | None:
    """Call the accepted servers that were not called for the article yet, within the limits of the client.

    Above them, annotations that are here can still be read.
    """
    try:
        start_rate_limited_annotation(request, article, ANONYMOUS_READER)
    except TooManyRequests as error:
        return error
    return None


def _list_live_producers(options: object) -> QuerySet[Producer]:
    return list_public_producers_of_live_queues(with_unreviewed=read_unreviewed_option(options))


def get_server_live_annotations(
    request: HttpRequest, pmid: object, server_slug: object, options: object = NO_OPTIONS
) -> object:
    article, server = get_public_article_by_pmid(pmid), get_server_by_slug(server_slug)
    producers = _list_live_producers(options).filter(queue__server=server)
    refusal = _start_annotation_or_return_refusal(request, article)
    structs = _build_server_structs(article, producers)
    if server.slug not in structs:
        raise refusal or RpcFault(
            NO_ANNOTATION, f"{server} has not annotated PMID {article.pmid} yet. Try again later."
        )
    return structs[server.slug]


def _get_awaited(_request: HttpRequest, pmid: object, options: object = NO_OPTIONS) -> object:
    article = get_public_article_by_pmid(pmid)
    sources = list_queues_with_last_calls(article, _list_live_producers(options), ANONYMOUS_READER)
    return sorted(source.slug for source in sources if source.awaited)


def _get_annotation_server_list(_request: HttpRequest, pmid: object, options: object = NO_OPTIONS) -> object:
    return sorted(_build_server_structs(get_public_article_by_pmid(pmid), _list_live_producers(options)))


def get_server_description_struct(_request: HttpRequest, server_slug: object) -> object:
    server = get_server_by_slug(server_slug)
    return {
        "id": server.slug,
        "name": server.name,
        "team": server.team.name,
        "description": server.description,
        "kinds": list(server.kinds),
        "state": server.state,
    }


def _get_consensus_methods(_request: HttpRequest) -> object:
    return [_describe_consensus_method(method) for method in consensus_parameters.CONSENSUS_METHODS.values()]


def _get_consensus_method(_request: HttpRequest, name: object) -> object:
    method = consensus_parameters.CONSENSUS_METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise RpcFault(
            UNKNOWN_CONSENSUS,
            f"There is no such consensus method. The methods are {', '.join(consensus_parameters.CONSENSUS_METHODS)}.",
        )
    return _describe_consensus_method(method)


def _describe_consensus_method(method: consensus_parameters.ConsensusMethod) -> dict[str, object]:
    return {
        "id": method.id,
        "name": method.name,
        "description": method.about,
        "parameters": [
            {"name": parameter.name, "description": parameter.about, "default": parameter.default}
            for parameter in method.parameters
        ],
    }


def _get_consensus(_request: HttpRequest, pmid: object, options: object) -> object:
    article, consensus_options = get_public_article_by_pmid(pmid), read_consensus_options(options)
    try:
        producers = list_public_producers_of_live_queues(with_unreviewed=consensus_options.unreviewed)
        results = compute_consensus_of_servers(article, producers, consensus_options)
    except UnknownServerError as error:
        raise RpcFault(UNKNOWN_SERVER, str(error)) from error
    except consensus_parameters.ConsensusRuleError as error:
        code = UNKNOWN_CONSENSUS if error.parameter == "method" else WRONG_PARAMETER
        raise RpcFault(code, str(error)) from error
    structs: dict[str, dict[str, object]] = {method: {} for method in consensus_options.methods}
    for result in results:
        structs[result.method.id] |= _build_consensus_struct(result, article)
    return structs


def _build_consensus_struct(consensus: KindConsensus, article: Article) -> dict[str, object]:
    """The protocol's struct of the agreed annotations, each with the servers that agree and their support."""
    extra_values = [{"servers": list(agreed.servers), "support": agreed.support} for agreed in consensus.agreed]
    annotations = [agreed.annotation for agreed in consensus.agreed]
    return _build_kind_struct(consensus.kind, annotations, extra_values, article)


def _list_rpc_methods(_request: HttpRequest) -> object:
    return list(RPC_METHODS)


@dataclass(frozen=True, slots=True)
class RpcMethod:
    """A method: the function that computes its value from the HTTP request and the parameters, their names, and about.

    with_options: a struct of options may follow the parameters.
    """

    function: Callable[..., object]
    parameters: Sequence[str]
    about: str
    with_options: bool = False

    @property
    def signature(self) -> str:
        return f"{', '.join(self.parameters)}{'[, options]' if self.with_options else ''}"


RPC_METHODS = {
    "Annotations.getAnnotations": RpcMethod(
        _get_annotations,
        ["pmid"],
        "The annotations of an article by every accepted server: a struct by server id. Servers that have not been "
        "called for the article yet are called; repeat the call while getAwaited lists servers. The option unreviewed, "
        "a boolean, includes unreviewed servers, which are not called.",
        with_options=True,
    ),
    "Annotations.getAwaited": RpcMethod(
        _get_awaited,
        ["pmid"],
        "The ids of the servers whose annotations of an article are awaited; none are called. Option: unreviewed.",
        with_options=True,
    ),
    "Annotations.getAnnotation": RpcMethod(
        get_server_live_annotations,
        ["pmid", "server"],
        "The annotations of an article by one server: a struct. Servers are called as by getAnnotations. Option: "
        "unreviewed.",
        with_options=True,
    ),
    "Annotations.getAnnotationServerList": RpcMethod(
        _get_annotation_server_list,
        ["pmid"],
        "The ids of the servers that have annotated an article. Option: unreviewed.",
        with_options=True,
    ),
    "Resources.getServer": RpcMethod(
        get_server_description_struct, ["server"], "Name, team, description, kinds and state of a server."
    ),
    "Consensus.getConsensusMethods": RpcMethod(
        _get_consensus_methods, [], "The consensus methods: id, name, description and parameters of each."
    ),
    "Consensus.getConsensusMethod": RpcMethod(_get_consensus_method, ["id"], "One consensus method."),
    "Consensus.getConsensus": RpcMethod(
        _get_consensus,
        ["pmid", "options"],
        "The consensus of the servers: a struct of annotations by method id. options is a struct with any of servers, "
        "methods (default: majority), weights, threshold, spans, kinds and unreviewed. A gene has one identifier: "
        "that of most of the servers.",
    ),
    "system.listMethods": RpcMethod(_list_rpc_methods, [], "The names of these methods."),
}
