"""Call an annotation server for one article: send the request, read the answer and validate it."""

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from annotations import annotation_rules
from annotations.schema import BrokenRule, Kind
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError
from bcms.lib.http.exchange import Exchange
from bcms.lib.http.messages import HttpReply, format_url_origin
from bcms.lib.http.pacing import parse_retry_after_seconds_or_zero
from bcms.lib.http.signed_requests import RequestHeaders, build_authenticated_headers
from servers.calls import diagnosis
from servers.calls.errors import CallError
from servers.calls.reachability import OUTAGE_STATUSES, limit_outage_rest_or_default
from servers.protocols import bcms_xmlrpc, becalm, pubannotation, rest
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer, ServerAnswer
from servers.protocols.carried_texts import move_valid_annotations
from servers.protocols.interface import CallbackProtocol, OutgoingRequest, PollingProtocol, ServerProtocol
from servers.protocols.parsed_answers import ParsedAnswer

MOST_BYTES = 16 * 1024 * 1024
# Requests per poll, as the reply may name another URL that has the result; redirects are counted separately.
MOST_STEPS = 3
REDIRECTS = 3
Parsed = TypeVar("Parsed")
PROTOCOLS: Mapping[str, ServerProtocol] = {
    "bcms": bcms_xmlrpc,
    "rest": rest,
    "pubannotation": pubannotation,
    "becalm": becalm,
}


def request_answer_and_collect_broken_rules(
    request: AnnotationRequest, exchange: Exchange
) -> ServerAnswer | DeferredAnswer:
    """Make one attempt: the answer with every rule that it breaks, or where the answer will be.

    exchange records what is sent and received. Raises CallError, and nothing else, if the server gave no readable
    answer.
    """
    protocol = PROTOCOLS[request.protocol]
    reply = fetch_server_reply(protocol.build_request(request), request, request.time_limit, exchange)
    return collect_broken_rules_unless_deferred(protocol.read_reply(reply, request), request, reply.body)


def request_task_answer_or_next_poll(
    request: AnnotationRequest, task_url: str, seconds_left: float, exchange: Exchange
) -> ServerAnswer | DeferredAnswer:
    """Fetch the answer of a server that has accepted the request, or when to try again.

    exchange records what is sent and received. Raises CallError if the server gave no readable answer.
    """
    protocol = cast(PollingProtocol, PROTOCOLS[request.protocol])
    parsed, body = poll_task_until_answer_or_wait(
        request, task_url, seconds_left, exchange, lambda reply: protocol.read_task_reply(reply, request)
    )
    return collect_broken_rules_unless_deferred(parsed, request, body)


def can_answer_later(protocol_name: str, task_url: str) -> bool:
    """Whether a server of a protocol answers later in this way: by a task at the URL, or by a call-back without one."""
    return hasattr(PROTOCOLS[protocol_name], "read_task_reply" if task_url else "read_callback")


def poll_task_until_answer_or_wait(
    request: AnnotationRequest,
    task_url: str,
    seconds_left: float,
    exchange: Exchange,
    read_task_reply: Callable[[HttpReply], Parsed | DeferredAnswer],
) -> tuple[Parsed | DeferredAnswer, bytes]:
    """What read_task_reply makes of a task's reply, and the reply's body; URLs to poll at once are followed."""
    deferred = DeferredAnswer(task_url, 0.0)
    for _ in range(MOST_STEPS):
        reply = fetch_server_reply(
            OutgoingRequest("GET", deferred.task_url), request, seconds_left, exchange, redirects=REDIRECTS
        )
        parsed = read_task_reply(reply)
        if not isinstance(parsed, DeferredAnswer) or parsed.wait:
            return parsed, reply.body
        deferred = parsed
    raise diagnosis.diagnose_endless_task_urls(deferred.task_url)


def read_callback_answer_collecting_broken_rules(
    request: AnnotationRequest, body_format: str, body: bytes
) -> ServerAnswer:
    """The validated answer in the body of a call-back; CallError if it cannot be read."""
    protocol = cast(CallbackProtocol, PROTOCOLS[request.protocol])
    return validate_parsed_answer(protocol.read_callback(body_format, body, request), request, body)


def collect_broken_rules_unless_deferred(
    parsed: ParsedAnswer | DeferredAnswer, request: AnnotationRequest, raw_body: bytes
) -> ServerAnswer | DeferredAnswer:
    return parsed if isinstance(parsed, DeferredAnswer) else validate_parsed_answer(parsed, request, raw_body)


def validate_parsed_answer(parsed: ParsedAnswer, request: AnnotationRequest, body: bytes) -> ServerAnswer:
    """The answer with its syntax errors and every rule that its annotations break; body is the raw answer.

    The annotations of a text that differs slightly from the text that was sent are moved to that.
    """
    moved: Mapping[Kind, int] = {}
    if parsed.alignment is None:
        broken = _list_broken_rules(parsed, request, request.text, len(request.title))
    else:
        title, _, _ = parsed.alignment.earlier.partition("\n")
        broken = _list_broken_rules(parsed, request, parsed.alignment.earlier, len(title))
        not_movable, moved = move_valid_annotations(parsed, parsed.alignment, broken)
        broken = sorted([*broken, *not_movable], key=lambda rule: (rule.index or 0, rule.code))
    broken_rules = [*parsed.broken_rules, *broken]
    return ServerAnswer(
        parsed.annotations, broken_rules, parsed.notes, body, parsed.stated_version, parsed.omitted, moved
    )


def _list_broken_rules(
    parsed: ParsedAnswer, request: AnnotationRequest, text: str, title_length: int
) -> list[BrokenRule]:
    """The rules that the annotations break in this text."""
    return annotation_rules.list_broken_annotation_rules(
        parsed.annotations,
        text,
        title_length,
        locations=parsed.locations,
        field_names=PROTOCOLS[request.protocol].FIELD_NAMES,
        types_count=bool(request.entity_types),
    )


def fetch_server_reply(
    outgoing: OutgoingRequest, request: AnnotationRequest, seconds: float, exchange: Exchange, *, redirects: int = 0
) -> HttpReply:
    """Send one HTTP request; the reply if its status is 2xx, else CallError."""
    try:
        headers = _build_headers(outgoing, request)
        reply = request_permitted_url(
            outgoing.method,
            outgoing.url,
            body=outgoing.body,
            headers=headers.plain,
            secret_headers=headers.secret,
            deadline_seconds=seconds,
            connect_seconds=request.connect_limit,
            max_bytes=MOST_BYTES,
            extra_networks=request.networks,
            max_get_redirects=redirects,
            exchange=exchange,
        )
    except HttpError as error:
        raise diagnosis.diagnose_http_error(
            error,
            request_sent=exchange.request_sent,
            time_limit=request.time_limit,
            received_bytes=exchange.received_bytes,
            idle_seconds=exchange.seconds_since_last_byte,
        ) from error
    if not 200 <= reply.status < 300:
        raise _diagnose_failed_reply(reply, request.protocol)
    return reply


def _build_headers(outgoing: OutgoingRequest, request: AnnotationRequest) -> RequestHeaders:
    """The headers of a request, which is authenticated only if it goes to the origin of the server's URL."""
    if format_url_origin(outgoing.url) != format_url_origin(request.url):
        return RequestHeaders(outgoing.headers, {})
    return build_authenticated_headers(outgoing.headers, outgoing.body, request.secret_headers, request.signing_secret)


def _diagnose_failed_reply(reply: HttpReply, protocol: str) -> CallError:
    """The error for a reply whose status is not 2xx; an outage has the time that the server asks to wait."""
    if reply.status not in OUTAGE_STATUSES:
        return diagnosis.diagnose_http_status(reply.status, reply.body, protocol)
    asked = parse_retry_after_seconds_or_zero(reply.headers.get("Retry-After", ""), reply.headers.get("Date", ""))
    rest = limit_outage_rest_or_default(asked)
    return diagnosis.diagnose_outage(reply.status, reply.body, rest.total_seconds())
