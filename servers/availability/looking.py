"""Look whether a server is there, without asking it for anything: one small request through the guarded door."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bcms.lib.http import Exchange, HttpError, HttpFault, Reply, fetch
from servers.errors import CallError
from servers.protocols import becalm
from servers.protocols.becalm import State
from servers.protocols.speaking import Request

SECONDS = 10.0
MOST_BYTES = 64 * 1024
# An HTTP answer came, though not one to read: that is enough.
ANSWERED = frozenset({HttpFault.REDIRECT, HttpFault.TOO_LARGE})
# "Too many requests" and "service unavailable": the server is there and says that it will not work now.
OVERLOADED = frozenset({429, 503})
PAUSED = frozenset({State.SUSPENDED, State.OVERLOADED})


class Seen(StrEnum):
    UP = "up"
    PAUSED = "paused"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen, and which version of its system the server says that it is, "" when it does not say."""

    seen: Seen
    stated_version: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is and how it is spoken to; networks are the private ones where it may be (CIDR)."""

    url: str
    protocol: str
    networks: Sequence[str]
    key: str
    parameters: Mapping[str, object]


def look(address: Address, exchange: Exchange) -> Sight:
    """Up when a GET of the URL has any HTTP answer; of a BeCalm server, when getState says so.

    HttpError(ABORTED) when the exchange was stopped from our side: then nothing was seen.
    """
    spoken = address.protocol == "becalm"
    request = state_request(address) if spoken else Request("GET", address.url)
    try:
        reply = sent(request, address.networks, exchange)
    except HttpError as error:
        if error.kind is HttpFault.ABORTED:
            raise
        return Sight(Seen.UP if error.kind in ANSWERED and not spoken else Seen.DOWN)
    return of_condition(reply) if spoken else Sight(of_status(reply.status))


def state_request(address: Address) -> Request:
    return becalm.state_request(address.url, address.key, address.parameters)


def sent(request: Request, networks: Sequence[str], exchange: Exchange) -> Reply:
    return fetch(
        request.method,
        request.url,
        body=request.body,
        headers=dict(request.headers),
        deadline=SECONDS,
        max_bytes=MOST_BYTES,
        networks=networks,
        exchange=exchange,
    )


def of_status(status: int) -> Seen:
    return Seen.PAUSED if status in OVERLOADED else Seen.UP


def of_condition(reply: Reply) -> Sight:
    """What a BeCalm server says of itself; one that says nothing that can be read is taken for down."""
    if reply.status in OVERLOADED:
        return Sight(Seen.PAUSED)
    try:
        condition = becalm.condition_of(reply.body)
    except CallError:
        return Sight(Seen.DOWN)
    return Sight(seen_in(condition.state), condition.stated_version)


def seen_in(state: State) -> Seen:
    if state in PAUSED:
        return Seen.PAUSED
    return Seen.DOWN if state is State.SHUTDOWN else Seen.UP
