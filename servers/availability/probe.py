"""Probe whether a server is up with one small HTTP request that does not ask for annotations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.http.exchange import Exchange
from bcms.lib.http.messages import HttpReply
from bcms.lib.http.signed_requests import build_authenticated_headers
from servers.calls.errors import CallError
from servers.calls.reachability import OUTAGE_STATUSES, SERVICE_UNAVAILABLE, TOO_MANY_REQUESTS
from servers.protocols import becalm
from servers.protocols.becalm import BecalmServerState
from servers.protocols.interface import OutgoingRequest

PROBE_SECONDS = 10.0
MOST_BYTES = 64 * 1024
# Failures that prove that the server has sent an HTTP answer.
ANSWERED = frozenset({HttpFault.REDIRECT, HttpFault.TOO_LARGE})
# The server runs and reports that it does not work now.
OVERLOADED = frozenset({TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE})
PAUSED = frozenset({BecalmServerState.SUSPENDED, BecalmServerState.OVERLOADED})


class ProbeStatus(StrEnum):
    UP = "up"
    PAUSED = "paused"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The status of a server, and the system version that it reports, "" if it does not."""

    probe_status: ProbeStatus
    stated_version: str = ""


@dataclass(frozen=True, slots=True)
class ProbeTarget:
    """How to reach a server; networks are the private networks (CIDR) that are allowed, connect_limit is in seconds."""

    url: str
    protocol: str
    networks: Sequence[str]
    key: str
    parameters: Mapping[str, object]
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    signing_secret: str = field(default="", repr=False)
    connect_limit: float | None = None


def probe_target_or_raise_if_aborted(target: ProbeTarget, exchange: Exchange) -> ProbeResult:
    """A BeCalm server has the state that getState reports; any other server is up if a GET of its URL has an
    answer, unless it is that of a proxy that does not reach the server.

    HttpError(ABORTED) if the exchange was aborted by the meta-server, which shows nothing about the server.
    """
    is_becalm = target.protocol == "becalm"
    request = _build_probe_state_request(target) if is_becalm else OutgoingRequest("GET", target.url)
    try:
        reply = _fetch_probe_reply(request, target, exchange)
    except HttpError as error:
        if error.kind is HttpFault.ABORTED:
            raise
        return ProbeResult(ProbeStatus.UP if error.kind in ANSWERED and not is_becalm else ProbeStatus.DOWN)
    return _parse_becalm_condition(reply) if is_becalm else ProbeResult(_classify_http_status(reply.status))


def _build_probe_state_request(target: ProbeTarget) -> OutgoingRequest:
    return becalm.build_state_request(target.url, target.key, target.parameters)


def _fetch_probe_reply(request: OutgoingRequest, target: ProbeTarget, exchange: Exchange) -> HttpReply:
    headers = build_authenticated_headers(request.headers, request.body, target.secret_headers, target.signing_secret)
    return request_permitted_url(
        request.method,
        request.url,
        body=request.body,
        headers=headers.plain,
        secret_headers=headers.secret,
        deadline_seconds=PROBE_SECONDS,
        connect_seconds=target.connect_limit,
        max_bytes=MOST_BYTES,
        extra_networks=target.networks,
        exchange=exchange,
    )


def _classify_http_status(status: int) -> ProbeStatus:
    if status in OVERLOADED:
        return ProbeStatus.PAUSED
    return ProbeStatus.DOWN if status in OUTAGE_STATUSES else ProbeStatus.UP


def _parse_becalm_condition(reply: HttpReply) -> ProbeResult:
    """The status that a BeCalm server reports; an unreadable report counts as down."""
    if reply.status in OVERLOADED:
        return ProbeResult(ProbeStatus.PAUSED)
    try:
        condition = becalm.parse_get_state_answer(reply.body)
    except CallError:
        return ProbeResult(ProbeStatus.DOWN)
    return ProbeResult(_classify_becalm_state(condition.state), condition.stated_version)


def _classify_becalm_state(state: BecalmServerState) -> ProbeStatus:
    if state in PAUSED:
        return ProbeStatus.PAUSED
    return ProbeStatus.DOWN if state is BecalmServerState.SHUTDOWN else ProbeStatus.UP
