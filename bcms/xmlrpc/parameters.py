"""Readers of the parameters of XML-RPC methods; each raises a fault for an invalid value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from annotations.results.consensus.methods import MentionMatching, SpanMatching
from annotations.schema import SEVEN_KINDS, Kind
from bcms.consensus.article_consensus import ConsensusOptions
from bcms.xmlrpc.faults import UNKNOWN_PMID, UNKNOWN_SERVER, WRONG_PARAMETER, RpcFault
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.registry.models import Server
from servers.review.visible_servers import list_servers_with_public_page

# Larger ints are no floats, and infinity and NaN are no votes.
LARGEST_NUMBER = 1_000_000
OPEN_OPTION = "open"


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """unreviewed: include unreviewed servers. with_open_members: include what only the open model has."""

    unreviewed: bool = False
    with_open_members: bool = False


def get_public_article_by_pmid(pmid: object) -> Article:
    is_number = isinstance(pmid, int) and not isinstance(pmid, bool)
    if not is_number and not (isinstance(pmid, str) and pmid.isascii() and pmid.isdigit()):
        raise RpcFault(WRONG_PARAMETER, "The PMID must be an int or a string of digits, such as 16054130.")
    article = filter_articles_by_pmid_or_opaque(list_visible_articles(ANONYMOUS_READER), str(pmid)).first()
    if article is None:
        raise RpcFault(UNKNOWN_PMID, f"There is no article with PMID {str(pmid)[:20]} on this site.")
    return article


def get_server_by_slug(server_slug: object) -> Server:
    if not isinstance(server_slug, str):
        raise RpcFault(WRONG_PARAMETER, 'The server must be the id of a server as a string, such as "genedict".')
    servers = list_servers_with_public_page(ANONYMOUS_READER).select_related("team")
    server: Server | None = servers.filter(slug=server_slug.replace("\0", "")).first()
    if server is None:
        raise RpcFault(
            UNKNOWN_SERVER, f'There is no server "{server_slug[:50]}". The ids of all servers are listed at /servers/.'
        )
    return server


def read_answer_options(option_struct: object) -> AnswerOptions:
    """The options of a method for annotations: a struct with any of unreviewed and open."""
    if not isinstance(option_struct, dict) or not option_struct.keys() <= {"unreviewed", OPEN_OPTION}:
        raise RpcFault(WRONG_PARAMETER, "The options must be a struct with any of unreviewed and open.")
    unreviewed = _read_rpc_boolean("unreviewed", option_struct.get("unreviewed", False))
    return AnswerOptions(unreviewed, _read_open_option(option_struct))


def _read_open_option(option_struct: Mapping[str, object]) -> bool:
    """Whether the client takes the members of the open model, which old clients do not know."""
    return _read_rpc_boolean(OPEN_OPTION, option_struct.get(OPEN_OPTION, False))


def read_consensus_options(option_struct: object) -> tuple[ConsensusOptions, bool]:
    """The options of getConsensus, a struct with any of open and the names in OPTION_READERS; and the option open."""
    if not isinstance(option_struct, dict) or not option_struct.keys() <= {*OPTION_READERS, OPEN_OPTION}:
        names = ", ".join((*OPTION_READERS, OPEN_OPTION))
        raise RpcFault(WRONG_PARAMETER, f"The second parameter must be a struct with any of {names}.")
    is_open = _read_open_option(option_struct)
    options = ConsensusOptions(
        **{name: OPTION_READERS[name](value) for name, value in option_struct.items() if name != OPEN_OPTION}
    )
    if not is_open and not set(SEVEN_KINDS).issuperset(options.kinds):
        raise RpcFault(WRONG_PARAMETER, f"Kinds other than {', '.join(SEVEN_KINDS)} need the option open.")
    return options, is_open


def _read_id_array(value: object) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise RpcFault(
            WRONG_PARAMETER, 'servers and methods must be arrays of ids, such as ["majority"]. Omit servers for all.'
        )
    return value


def _read_weight_struct(value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise RpcFault(WRONG_PARAMETER, "weights must be a struct with a number for each server id.")
    return {server: _read_rpc_number(weight) for server, weight in value.items()}


def _read_rpc_number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RpcFault(WRONG_PARAMETER, "The threshold and each weight must be an int or a double.")
    if not abs(value) <= LARGEST_NUMBER:
        raise RpcFault(WRONG_PARAMETER, f"The threshold and each weight must be numbers up to {LARGEST_NUMBER:,}.")
    return float(value)


def _read_span_mode(value: object) -> SpanMatching:
    if not isinstance(value, str) or value not in set(SpanMatching):
        raise RpcFault(WRONG_PARAMETER, f"spans must be one of {', '.join(SpanMatching)}.")
    return SpanMatching(value)


def _read_mention_matching(value: object) -> MentionMatching:
    if not isinstance(value, str) or value not in set(MentionMatching):
        raise RpcFault(WRONG_PARAMETER, f"match must be one of {', '.join(MentionMatching)}.")
    return MentionMatching(value)


def _read_kind_array(value: object) -> list[Kind]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each in set(Kind) for each in value):
        raise RpcFault(WRONG_PARAMETER, f"kinds must be an array. Allowed values are {', '.join(Kind)}.")
    return [Kind(each) for each in value]


def _read_unreviewed(value: object) -> bool:
    return _read_rpc_boolean("unreviewed", value)


def _read_rpc_boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise RpcFault(WRONG_PARAMETER, f"{name} must be a boolean.")
    return value


OPTION_READERS: Mapping[str, Callable[[object], Any]] = {
    "servers": _read_id_array,
    "methods": _read_id_array,
    "weights": _read_weight_struct,
    "threshold": _read_rpc_number,
    "spans": _read_span_mode,
    "kinds": _read_kind_array,
    "unreviewed": _read_unreviewed,
    "match": _read_mention_matching,
}
