"""The methods of the XML-RPC service: those of the original meta-server, getAwaited and getDigitalAbstract.

Most return the annotations of LIVE queues of accepted servers and, on request, of unreviewed ones; everything else is
available by REST. Each error is a fault with a code (bcms/xmlrpc/faults.py) and a sentence.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest

from annotations.articles.models import Article
from annotations.curation.abstract_files import build_article_record_json
from annotations.curation.published_records import find_last_published_abstract
from annotations.results.consensus.methods import CONSENSUS_METHODS, ConsensusMethod, ConsensusRuleError
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.current_annotations import (
    list_producer_annotations_with_current_identifiers,
    list_public_producers_of_live_queues,
)
from bcms.article_page.server_status import list_queues_with_last_calls
from bcms.article_requests.annotation_start import start_rate_limited_annotation
from bcms.consensus.article_consensus import KindConsensus, UnknownServerError, compute_consensus_of_servers
from bcms.digital_abstracts.downloads import describe_missing_abstract
from bcms.digital_abstracts.published_abstracts import export_published_abstract, get_licence_url
from bcms.lib.rest.limits import TooManyRequests
from bcms.xmlrpc.faults import (
    NO_ANNOTATION,
    NO_DIGITAL_ABSTRACT,
    UNKNOWN_CONSENSUS,
    UNKNOWN_SERVER,
    WRONG_PARAMETER,
    RpcFault,
)
from bcms.xmlrpc.parameters import (
    AnswerOptions,
    get_public_article_by_pmid,
    get_server_by_slug,
    read_answer_options,
    read_consensus_options,
)
from evaluation.visibility import ANONYMOUS_READER
from servers.protocols.bcms_xmlrpc import ANSWER_PARTS, build_answer_struct
from servers.protocols.open_members.xmlrpc_parts import OPEN_ANSWER_PARTS

NO_OPTIONS: Mapping[str, object] = {}
ALL_ANSWER_PARTS = {**ANSWER_PARTS, **OPEN_ANSWER_PARTS}


def _build_server_structs(
    article: Article, producers: QuerySet[Producer], *, with_open_members: bool
) -> dict[str, dict[str, object]]:
    """The annotations of the article as one struct of the protocol per server, by slug: 4 queries at most.

    Identifiers are current; an element with replaced identifiers has the reported ones in an array, `reported`.
    with_open_members: with types, parts and links of mentions, and with entities, relations and labels.
    """
    structs: dict[str, dict[str, object]] = defaultdict(dict)
    for result in list_producer_annotations_with_current_identifiers(article, producers):
        # Mentions have identifiers in the open model only.
        with_reported = with_open_members or result.result.kind is not Kind.MENTION
        extra_values = [
            {"reported": list(resolved.reported)} if resolved.reported and with_reported else {}
            for resolved in result.resolved_annotations
        ]
        if with_open_members or result.result.kind in ANSWER_PARTS:
            structs[result.server] |= _build_kind_struct(
                result.result.kind, result.annotations, extra_values, article, with_open_members=with_open_members
            )
    return dict(structs)


def _build_kind_struct(
    kind: Kind,
    annotations: Sequence[AnnotationData],
    extra_values: Sequence[Mapping[str, object]],
    article: Article,
    *,
    with_open_members: bool,
) -> dict[str, object]:
    """The protocol's struct for annotations of one kind; extra_values are added to its elements, one by one.

    Without open members, mentions in several parts are left out: clients would take them for the text at their offset.
    """
    written = [
        (annotation, extra)
        for annotation, extra in zip(annotations, extra_values, strict=True)
        if with_open_members or not annotation.spans
    ]
    struct = build_answer_struct(
        [annotation for annotation, _ in written], len(article.title), with_open_members=with_open_members
    )
    elements = struct.get(ALL_ANSWER_PARTS[kind])
    if kind != Kind.CLASSIFICATION and isinstance(elements, list):
        struct[ALL_ANSWER_PARTS[kind]] = [
            {**element, **extra} for element, (_, extra) in zip(elements, written, strict=True)
        ]
    return struct


def _get_annotations(request: HttpRequest, pmid: object, options: object = NO_OPTIONS) -> object:
    article, answer_options = get_public_article_by_pmid(pmid), read_answer_options(options)
    producers = _list_live_producers(answer_options)
    refusal = _start_annotation_or_return_refusal(request, article)
    structs = _build_server_structs(article, producers, with_open_members=answer_options.with_open_members)
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


def _list_live_producers(options: AnswerOptions) -> QuerySet[Producer]:
    return list_public_producers_of_live_queues(with_unreviewed=options.unreviewed)


def get_server_live_annotations(
    request: HttpRequest, pmid: object, server_slug: object, options: object = NO_OPTIONS
) -> object:
    article, server = get_public_article_by_pmid(pmid), get_server_by_slug(server_slug)
    answer_options = read_answer_options(options)
    producers = _list_live_producers(answer_options).filter(queue__server=server)
    refusal = _start_annotation_or_return_refusal(request, article)
    structs = _build_server_structs(article, producers, with_open_members=answer_options.with_open_members)
    if server.slug not in structs:
        raise refusal or RpcFault(
            NO_ANNOTATION, f"{server} has not annotated PMID {article.pmid} yet. Try again later."
        )
    return structs[server.slug]


def _get_awaited(_request: HttpRequest, pmid: object, options: object = NO_OPTIONS) -> object:
    article = get_public_article_by_pmid(pmid)
    producers = _list_live_producers(read_answer_options(options))
    sources = list_queues_with_last_calls(article, producers, ANONYMOUS_READER)
    return sorted(source.slug for source in sources if source.awaited)


def _get_annotation_server_list(_request: HttpRequest, pmid: object, options: object = NO_OPTIONS) -> object:
    article, answer_options = get_public_article_by_pmid(pmid), read_answer_options(options)
    producers = _list_live_producers(answer_options)
    return sorted(_build_server_structs(article, producers, with_open_members=answer_options.with_open_members))


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
    return [_describe_consensus_method(method) for method in CONSENSUS_METHODS.values()]


def _get_consensus_method(_request: HttpRequest, name: object) -> object:
    method = CONSENSUS_METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise RpcFault(
            UNKNOWN_CONSENSUS,
            f"There is no such consensus method. The methods are {', '.join(CONSENSUS_METHODS)}.",
        )
    return _describe_consensus_method(method)


def _describe_consensus_method(method: ConsensusMethod) -> dict[str, object]:
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
    article = get_public_article_by_pmid(pmid)
    consensus_options, with_open_members = read_consensus_options(options)
    try:
        producers = list_public_producers_of_live_queues(with_unreviewed=consensus_options.unreviewed)
        results = compute_consensus_of_servers(article, producers, consensus_options)
    except UnknownServerError as error:
        raise RpcFault(UNKNOWN_SERVER, str(error)) from error
    except ConsensusRuleError as error:
        code = UNKNOWN_CONSENSUS if error.parameter == "method" else WRONG_PARAMETER
        raise RpcFault(code, str(error)) from error
    structs: dict[str, dict[str, object]] = {method: {} for method in consensus_options.methods}
    for result in results:
        if with_open_members or result.kind in ANSWER_PARTS:
            structs[result.method.id] |= _build_consensus_struct(result, article, with_open_members=with_open_members)
    return structs


def _build_consensus_struct(
    consensus: KindConsensus, article: Article, *, with_open_members: bool
) -> dict[str, object]:
    """The protocol's struct of the agreed annotations, each with the servers that agree and their support."""
    extra_values = [{"servers": list(agreed.servers), "support": agreed.support} for agreed in consensus.agreed]
    annotations = [agreed.annotation for agreed in consensus.agreed]
    return _build_kind_struct(consensus.kind, annotations, extra_values, article, with_open_members=with_open_members)


def _get_digital_abstract(_request: HttpRequest, pmid: object) -> object:
    article = get_public_article_by_pmid(pmid)
    published = find_last_published_abstract(article)
    if published is None or published.withdrawn is not None:
        none = f"PMID {article.pmid} has no published digital abstract."
        raise RpcFault(NO_DIGITAL_ABSTRACT, describe_missing_abstract(published) if published else none)
    record = build_article_record_json(export_published_abstract(published, article))
    return _drop_missing_values({**record, "licence": get_licence_url()})


def _drop_missing_values(value: object) -> object:
    """The value without members that are None: XML-RPC has no such value."""
    if isinstance(value, dict):
        return {name: _drop_missing_values(each) for name, each in value.items() if each is not None}
    return [_drop_missing_values(each) for each in value] if isinstance(value, list | tuple) else value


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
        "a boolean, includes unreviewed servers, which are not called; the option open, a boolean, includes types, "
        "parts and identifiers of mentions, entities, relations and labels.",
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
        "The annotations of an article by one server: a struct. Servers are called as by getAnnotations. Options: "
        "unreviewed and open.",
        with_options=True,
    ),
    "Annotations.getAnnotationServerList": RpcMethod(
        _get_annotation_server_list,
        ["pmid"],
        "The ids of the servers that have annotated an article. Options: unreviewed and open.",
        with_options=True,
    ),
    "Annotations.getDigitalAbstract": RpcMethod(
        _get_digital_abstract,
        ["pmid"],
        "The published digital abstract of an article: a struct with interactions, organisms, annotations, "
        "contributors and sentences, named as in REST. Unknown values, such as a taxon, are missing. Fault 5 if none "
        "is published.",
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
        "methods (default: majority), weights, threshold, spans, match, kinds, unreviewed and open. A gene has one "
        "identifier: that of most of the servers.",
    ),
    "system.listMethods": RpcMethod(_list_rpc_methods, [], "The names of these methods."),
}
