"""The XML-RPC service: annotations and servers by the methods of the original meta-server.

It tells what everybody may see, from the LIVE queues; whoever may see more reads it from the REST API. Every refusal is
a fault with a number and a sentence.
"""

import xmlrpc.client
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotations import consensus_rules
from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer
from annotations.querysets import by_identifier
from bcms.agreeing import Consensus, Question, UnknownServerError, consensus_of
from bcms.api.limits import TooMany, count_request
from bcms.said import EVERYBODY, live_producers, said_of
from bcms.visibility import articles_seen_by
from servers.models import Server
from servers.protocols.bcms import NOT_IN_XML, PARTS, to_struct
from servers.protocols.xmlrpc import XmlRpcError, XmlRpcFault, load

MOST_BYTES = 64 * 1024

UNKNOWN_PMID, UNKNOWN_SERVER, NO_ANNOTATION, UNKNOWN_CONSENSUS = 1, 2, 3, 4
# As by HTTP, and in an answer of 200 like every fault (the specification of XML-RPC).
TOO_OFTEN = 429
# Numbers that XML-RPC implementations agree on.
NOT_WELL_FORMED, NOT_XMLRPC, UNKNOWN_METHOD, WRONG_PARAMETER = -32700, -32600, -32601, -32602

Fault = xmlrpc.client.Fault


def article_of(pmid: object) -> Article:
    number = isinstance(pmid, int) and not isinstance(pmid, bool)
    if not number and not (isinstance(pmid, str) and pmid.isascii() and pmid.isdigit()):
        raise Fault(WRONG_PARAMETER, "The PMID must be an int, or a string of digits, such as 16054130.")
    article = by_identifier(articles_seen_by(EVERYBODY), str(pmid)).first()
    if article is None:
        raise Fault(UNKNOWN_PMID, f"There is no article with PMID {str(pmid)[:20]} here.")
    return article


def server_of(name: object) -> Server:
    if not isinstance(name, str):
        raise Fault(WRONG_PARAMETER, 'The server must be the id of a server as a string, such as "genedict".')
    server = Server.objects.select_related("team").filter(slug=name.replace("\0", "")).first()
    if server is None:
        raise Fault(
            UNKNOWN_SERVER, f'There is no server "{name[:50]}"; the list of servers at /servers/ has their ids.'
        )
    return server


def structs(article: Article, producers: QuerySet[Producer]) -> dict[str, dict[str, object]]:
    """What each server says of the article as the protocol's struct, by id of server: 4 queries at most.

    Identifiers are those of today; an element whose server said others has them in an array, `reported`.
    """
    answers: dict[str, dict[str, object]] = defaultdict(dict)
    for each in said_of(article, producers):
        further = [{"reported": list(some.reported)} if some.reported else {} for some in each.stated]
        answers[each.server] |= struct_of(each.result.kind, each.findings, further, article)
    return dict(answers)


def struct_of(
    kind: Kind, findings: Sequence[Finding], further: Sequence[Mapping[str, object]], article: Article
) -> dict[str, object]:
    """The part of a kind in the protocol's struct, each of its elements with further values of ours."""
    struct = to_struct(findings, len(article.title))
    elements = struct.get(PARTS[kind])
    if kind != Kind.CLASSIFICATION and isinstance(elements, list):
        struct[PARTS[kind]] = [{**element, **more} for element, more in zip(elements, further, strict=True)]
    return struct


def get_annotations(pmid: object) -> object:
    return structs(article_of(pmid), live_producers())


def get_annotation(pmid: object, name: object) -> object:
    article, server = article_of(pmid), server_of(name)
    said = structs(article, live_producers().filter(queue__server=server))
    if server.slug not in said:
        raise Fault(NO_ANNOTATION, f"{server} has not annotated PMID {article.pmid} yet; ask again later.")
    return said[server.slug]


def get_annotation_server_list(pmid: object) -> object:
    return sorted(structs(article_of(pmid), live_producers()))


def get_server(name: object) -> object:
    server = server_of(name)
    return {
        "id": server.slug,
        "name": server.name,
        "team": server.team.name,
        "description": server.description,
        "kinds": list(server.kinds),
        "state": server.state,
    }


def get_consensus_methods() -> object:
    return [consensus_method(method) for method in consensus_rules.METHODS.values()]


def get_consensus_method(name: object) -> object:
    method = consensus_rules.METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        raise Fault(
            UNKNOWN_CONSENSUS, f"There is no such consensus method; there are {', '.join(consensus_rules.METHODS)}."
        )
    return consensus_method(method)


def consensus_method(method: consensus_rules.Method) -> dict[str, object]:
    return {
        "id": method.id,
        "name": method.name,
        "description": method.about,
        "parameters": [
            {"name": each.name, "description": each.about, "default": each.default} for each in method.parameters
        ],
    }


def get_consensus(pmid: object, options: object) -> object:
    article, question = article_of(pmid), question_of(options)
    try:
        found = consensus_of(article, question)
    except UnknownServerError as error:
        raise Fault(UNKNOWN_SERVER, str(error)) from error
    except consensus_rules.RuleError as error:
        code = UNKNOWN_CONSENSUS if error.parameter == "method" else WRONG_PARAMETER
        raise Fault(code, str(error)) from error
    answers: dict[str, dict[str, object]] = {method: {} for method in question.methods}
    for each in found:
        answers[each.method.id] |= consensus_struct(each, article)
    return answers


def consensus_struct(found: Consensus, article: Article) -> dict[str, object]:
    """The agreed annotations as if a server said them, each with who agrees and their share of the weight."""
    further = [{"servers": list(each.servers), "support": each.support} for each in found.agreed]
    return struct_of(found.kind, [each.finding for each in found.agreed], further, article)


def question_of(options: object) -> Question:
    """The options of getConsensus: a struct with any of servers, methods, weights, threshold, spans and kinds."""
    if not isinstance(options, dict) or not options.keys() <= READERS.keys():
        raise Fault(WRONG_PARAMETER, f"The second parameter must be a struct with any of {', '.join(READERS)}.")
    return Question(**{name: READERS[name](value) for name, value in options.items()})


def names_of(value: object) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise Fault(
            WRONG_PARAMETER, 'servers and methods must be arrays of ids, such as ["majority"]; leave out for all.'
        )
    return value


def weights_of(value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise Fault(WRONG_PARAMETER, "weights must be a struct with a number for each server by its id.")
    return {server: number_of(weight) for server, weight in value.items()}


def number_of(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault(WRONG_PARAMETER, "The threshold and each weight must be an int or a double.")
    return float(value)


def spans_of(value: object) -> consensus_rules.Spans:
    if not isinstance(value, str) or value not in set(consensus_rules.Spans):
        raise Fault(WRONG_PARAMETER, f"spans must be one of {', '.join(consensus_rules.Spans)}.")
    return consensus_rules.Spans(value)


def kinds_of(value: object) -> list[Kind]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each in set(Kind) for each in value):
        raise Fault(WRONG_PARAMETER, f"kinds must be an array of any of {', '.join(Kind)}.")
    return [Kind(each) for each in value]


READERS: Mapping[str, Callable[[object], Any]] = {
    "servers": names_of,
    "methods": names_of,
    "weights": weights_of,
    "threshold": number_of,
    "spans": spans_of,
    "kinds": kinds_of,
}


def list_methods() -> object:
    return list(METHODS)


@dataclass(frozen=True, slots=True)
class Method:
    """answers takes as many values as there are parameters; about is one sentence."""

    answers: Callable[..., object]
    parameters: Sequence[str]
    about: str


METHODS = {
    "Annotations.getAnnotations": Method(
        get_annotations, ["pmid"], "What every server says of an article: a struct by server id."
    ),
    "Annotations.getAnnotation": Method(
        get_annotation, ["pmid", "server"], "What one server says of an article: a struct of its annotations."
    ),
    "Annotations.getAnnotationServerList": Method(
        get_annotation_server_list, ["pmid"], "The ids of the servers that have annotated an article."
    ),
    "Resources.getServer": Method(get_server, ["server"], "Name, team, description, kinds and state of a server."),
    "Consensus.getConsensusMethods": Method(
        get_consensus_methods, [], "The ways to make a consensus: id, name, description and parameters of each."
    ),
    "Consensus.getConsensusMethod": Method(get_consensus_method, ["id"], "One way to make a consensus."),
    "Consensus.getConsensus": Method(
        get_consensus,
        ["pmid", "options"],
        "What servers agree on: a struct of annotations by id of the method. options is a struct of any of servers, "
        "methods (majority), weights, threshold, spans and kinds.",
    ),
    "system.listMethods": Method(list_methods, [], "The names of these methods."),
}


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def service(request: HttpRequest) -> HttpResponse:
    """Answer one method call; a GET tells what the methods are."""
    if request.method != "POST":
        return HttpResponse(explanation(request), content_type="text/plain; charset=utf-8")
    return HttpResponse(answer(request), content_type="text/xml; charset=utf-8")


def explanation(request: HttpRequest) -> str:
    lines = [f"{name}({', '.join(method.parameters)})\n    {method.about}" for name, method in METHODS.items()]
    address = request.build_absolute_uri(request.path)
    return "\n".join([f"This is an XML-RPC service: send method calls by POST to {address}.\n", *lines, ""])


def answer(request: HttpRequest) -> str:
    try:
        count_request(request)
        return dumped((called(body_of(request)),))
    except TooMany as error:
        return dumped(Fault(TOO_OFTEN, str(error.detail)))
    except Fault as fault:
        return dumped(fault)


def body_of(request: HttpRequest) -> bytes:
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise Fault(NOT_XMLRPC, f"The request is larger than {MOST_BYTES:,} bytes; no method here needs so much.")
    return body


def called(body: bytes) -> object:
    """The value that the method call in the body asks for."""
    try:
        message = load(body)
    except XmlRpcError as error:
        raise unreadable(error) from error
    if message.method is None:
        raise Fault(NOT_XMLRPC, "This is a method response; send a method call.")
    method = METHODS.get(message.method)
    if method is None:
        raise Fault(UNKNOWN_METHOD, f"There is no method {message.method[:60]}; there are {', '.join(METHODS)}.")
    if len(message.params) != len(method.parameters):
        wanted = f"{len(method.parameters)}: {', '.join(method.parameters)}" if method.parameters else "none"
        raise Fault(WRONG_PARAMETER, f"{message.method} has {len(message.params)} parameters here and takes {wanted}.")
    return method.answers(*message.params)


def unreadable(error: XmlRpcError) -> Fault:
    broken = error.kind in (XmlRpcFault.NOT_XML, XmlRpcFault.CUT_OFF, XmlRpcFault.WRONG_ENCODING)
    code = NOT_WELL_FORMED if broken else NOT_XMLRPC
    detail = f" ({error.detail})" if error.detail else ""
    return Fault(code, f"The request cannot be read as an XML-RPC method call: {error.kind}{detail}.")


def dumped(value: tuple[object] | Fault) -> str:
    """The method response; what XML cannot carry is replaced, and carriage returns are kept."""
    text = xmlrpc.client.dumps(value, methodresponse=True, encoding="utf-8")  # type: ignore[arg-type]
    return text.translate(NOT_IN_XML).replace("\r", "&#13;")
