"""The methods of the XML-RPC service, which are those of the original meta-server.

They return public annotations of LIVE queues only; everything else is available by REST. Each error is a fault with a
code (bcms/xmlrpc/faults.py) and a sentence.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.results import consensus_rules
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.current_annotations import list_live_producers, list_producer_annotations
from bcms.consensus.article_consensus import (
    KindConsensus,
    UnknownServerError,
    compute_article_consensus,
)
from bcms.xmlrpc.faults import (
    NO_ANNOTATION,
    UNKNOWN_CONSENSUS,
    UNKNOWN_SERVER,
    WRONG_PARAMETER,
    RpcFault,
)
from bcms.xmlrpc.parameters import (
    get_rpc_article,
    get_rpc_server,
    read_consensus_options,
)
from servers.protocols.bcms_xmlrpc import ANSWER_PARTS, build_answer_struct


def build_server_structs(article: Article, producers: QuerySet[Producer]) -> dict[str, dict[str, object]]:
    """The annotations of the article as one struct of the protocol per server, by slug: 4 queries at most.

    Identifiers are current; an element with replaced identifiers has the reported ones in an array, `reported`.
    """
    structs: dict[str, dict[str, object]] = defaultdict(dict)
    for result in list_producer_annotations(article, producers):
        extra_values = [
            {"reported": list(resolved.reported)} if resolved.reported else {}
            for resolved in result.resolved_annotations
        ]
        structs[result.server] |= build_kind_struct(result.result.kind, result.annotations, extra_values, article)
    return dict(structs)


def build_kind_struct(
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


def get_annotations(pmid: object) -> object:
    return build_server_structs(get_rpc_article(pmid), list_live_producers())


def get_annotation(pmid: object, name: object) -> object:
    article, server = get_rpc_article(pmid), get_rpc_server(name)
    structs = build_server_structs(article, list_live_producers().filter(queue__server=server))
    if server.slug not in structs:
        raise RpcFault(NO_ANNOTATION, f"{server} has not annotated PMID {article.pmid} yet. Try again later.")
    return structs[server.slug]


def get_annotation_server_list(pmid: object) -> object:
    return sorted(build_server_structs(get_rpc_article(pmid), list_live_producers()))


def get_server(name: object) -> object:
    server = get_rpc_server(name)
    return {
        "id": server.slug,
        "name": server.name,
        "team": server.team.name,
        "description": server.description,
        "kinds": list(server.kinds),
        "state": server.state,
    }


def get_consensus_methods() -> object:
    return [describe_consensus_method(method) for method in consensus_rules.CONSENSUS_METHODS.values()]


def get_consensus_method(name: object) -> object:
    method = consensus_rules.CONSENSUS_METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise RpcFault(
            UNKNOWN_CONSENSUS,
            f"There is no such consensus method. The methods are {', '.join(consensus_rules.CONSENSUS_METHODS)}.",
        )
    return describe_consensus_method(method)


def describe_consensus_method(method: consensus_rules.ConsensusMethod) -> dict[str, object]:
    return {
        "id": method.id,
        "name": method.name,
        "description": method.about,
        "parameters": [
            {"name": parameter.name, "description": parameter.about, "default": parameter.default}
            for parameter in method.parameters
        ],
    }


def get_consensus(pmid: object, options: object) -> object:
    article, consensus_options = get_rpc_article(pmid), read_consensus_options(options)
    try:
        results = compute_article_consensus(article, consensus_options)
    except UnknownServerError as error:
        raise RpcFault(UNKNOWN_SERVER, str(error)) from error
    except consensus_rules.ConsensusRuleError as error:
        code = UNKNOWN_CONSENSUS if error.parameter == "method" else WRONG_PARAMETER
        raise RpcFault(code, str(error)) from error
    structs: dict[str, dict[str, object]] = {method: {} for method in consensus_options.methods}
    for result in results:
        structs[result.method.id] |= build_consensus_struct(result, article)
    return structs


def build_consensus_struct(consensus: KindConsensus, article: Article) -> dict[str, object]:
    """The protocol's struct of the agreed annotations, each with the servers that agree and their support."""
    extra_values = [{"servers": list(agreed.servers), "support": agreed.support} for agreed in consensus.agreed]
    annotations = [agreed.annotation for agreed in consensus.agreed]
    return build_kind_struct(consensus.kind, annotations, extra_values, article)


def list_rpc_methods() -> object:
    return list(RPC_METHODS)


@dataclass(frozen=True, slots=True)
class RpcMethod:
    """A method: the function that computes its value from the parameters, their names, and one sentence."""

    function: Callable[..., object]
    parameters: Sequence[str]
    about: str


RPC_METHODS = {
    "Annotations.getAnnotations": RpcMethod(
        get_annotations, ["pmid"], "The annotations of an article by every server: a struct by server id."
    ),
    "Annotations.getAnnotation": RpcMethod(
        get_annotation, ["pmid", "server"], "The annotations of an article by one server: a struct."
    ),
    "Annotations.getAnnotationServerList": RpcMethod(
        get_annotation_server_list, ["pmid"], "The ids of the servers that have annotated an article."
    ),
    "Resources.getServer": RpcMethod(get_server, ["server"], "Name, team, description, kinds and state of a server."),
    "Consensus.getConsensusMethods": RpcMethod(
        get_consensus_methods, [], "The consensus methods: id, name, description and parameters of each."
    ),
    "Consensus.getConsensusMethod": RpcMethod(get_consensus_method, ["id"], "One consensus method."),
    "Consensus.getConsensus": RpcMethod(
        get_consensus,
        ["pmid", "options"],
        "The consensus of the servers: a struct of annotations by method id. options is a struct with any of servers, "
        "methods (default: majority), weights, threshold, spans and kinds.",
    ),
    "system.listMethods": RpcMethod(list_rpc_methods, [], "The names of these methods."),
}
