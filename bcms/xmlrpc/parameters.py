"""Readers of the parameters of XML-RPC methods; each raises a fault for an invalid value."""

from collections.abc import Callable, Mapping
from typing import Any

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_identifier
from annotations.results import consensus_rules
from annotations.schema import Kind
from bcms.consensus.article_consensus import ConsensusOptions
from bcms.xmlrpc.faults import UNKNOWN_PMID, UNKNOWN_SERVER, WRONG_PARAMETER, RpcFault
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.registry.models import Server


def get_rpc_article(pmid: object) -> Article:
    is_number = isinstance(pmid, int) and not isinstance(pmid, bool)
    if not is_number and not (isinstance(pmid, str) and pmid.isascii() and pmid.isdigit()):
        raise RpcFault(WRONG_PARAMETER, "The PMID must be an int or a string of digits, such as 16054130.")
    article = filter_articles_by_identifier(list_visible_articles(ANONYMOUS_READER), str(pmid)).first()
    if article is None:
        raise RpcFault(UNKNOWN_PMID, f"There is no article with PMID {str(pmid)[:20]} on this site.")
    return article


def get_rpc_server(name: object) -> Server:
    if not isinstance(name, str):
        raise RpcFault(WRONG_PARAMETER, 'The server must be the id of a server as a string, such as "genedict".')
    server = Server.objects.select_related("team").filter(slug=name.replace("\0", "")).first()
    if server is None:
        raise RpcFault(
            UNKNOWN_SERVER, f'There is no server "{name[:50]}". The ids of all servers are listed at /servers/.'
        )
    return server


def read_consensus_options(options: object) -> ConsensusOptions:
    """The options of getConsensus: a struct with any of servers, methods, weights, threshold, spans and kinds."""
    if not isinstance(options, dict) or not options.keys() <= OPTION_READERS.keys():
        raise RpcFault(
            WRONG_PARAMETER, f"The second parameter must be a struct with any of {', '.join(OPTION_READERS)}."
        )
    return ConsensusOptions(**{name: OPTION_READERS[name](value) for name, value in options.items()})


def read_id_array(value: object) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise RpcFault(
            WRONG_PARAMETER, 'servers and methods must be arrays of ids, such as ["majority"]. Omit servers for all.'
        )
    return value


def read_weight_struct(value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise RpcFault(WRONG_PARAMETER, "weights must be a struct with a number for each server id.")
    return {server: read_rpc_number(weight) for server, weight in value.items()}


def read_rpc_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RpcFault(WRONG_PARAMETER, "The threshold and each weight must be an int or a double.")
    return float(value)


def read_span_mode(value: object) -> consensus_rules.SpanMatching:
    if not isinstance(value, str) or value not in set(consensus_rules.SpanMatching):
        raise RpcFault(WRONG_PARAMETER, f"spans must be one of {', '.join(consensus_rules.SpanMatching)}.")
    return consensus_rules.SpanMatching(value)


def read_kind_array(value: object) -> list[Kind]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each in set(Kind) for each in value):
        raise RpcFault(WRONG_PARAMETER, f"kinds must be an array. Allowed values are {', '.join(Kind)}.")
    return [Kind(each) for each in value]


OPTION_READERS: Mapping[str, Callable[[object], Any]] = {
    "servers": read_id_array,
    "methods": read_id_array,
    "weights": read_weight_struct,
    "threshold": read_rpc_number,
    "spans": read_span_mode,
    "kinds": read_kind_array,
}
