"""The states of servers, queues and calls, which are open and which final, and the edges between them."""

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import TypeVar

State = TypeVar("State", bound=StrEnum)


class ServerState(StrEnum):
    OFFLINE = "offline"
    ONLINE = "online"
    HALTING = "halting"
    FAIL = "fail"


class QueueMode(StrEnum):
    LIVE = "live"
    TRAINING = "training"
    TEST = "test"


class QueueState(StrEnum):
    RUNNING = "running"
    RESTING = "resting"
    STOPPED = "stopped"
    DONE = "done"


class CallState(StrEnum):
    WAITING = "waiting"
    ASKING = "asking"
    PENDING = "pending"
    ANSWERED = "answered"
    EMPTY = "empty"
    FAILED = "failed"


OPEN_CALLS = frozenset({CallState.WAITING, CallState.ASKING, CallState.PENDING})
IN_FLIGHT_CALLS = frozenset({CallState.ASKING, CallState.PENDING})
FINAL_CALLS = frozenset(CallState) - OPEN_CALLS

SERVER_EDGES = {
    ServerState.OFFLINE: {ServerState.ONLINE},
    ServerState.ONLINE: {ServerState.HALTING, ServerState.OFFLINE, ServerState.FAIL},
    ServerState.HALTING: {ServerState.OFFLINE, ServerState.ONLINE, ServerState.FAIL},
    ServerState.FAIL: {ServerState.ONLINE},
}
CALL_EDGES = {
    CallState.WAITING: {CallState.ASKING, CallState.EMPTY},
    CallState.ASKING: {
        CallState.WAITING,
        CallState.PENDING,
        CallState.ANSWERED,
        CallState.EMPTY,
        CallState.FAILED,
    },
    CallState.PENDING: {CallState.WAITING, CallState.ANSWERED, CallState.EMPTY, CallState.FAILED},
    CallState.ANSWERED: set(),
    CallState.EMPTY: set(),
    CallState.FAILED: set(),
}


def leading_to(after: State, edges: Mapping[State, Set[State]]) -> list[State]:
    """The states from which one of the edges leads to this one."""
    return [before for before, ends in edges.items() if after in ends]


class Outcome(StrEnum):
    """How one attempt ended."""

    UNDER_WAY = "under way"
    ANSWERED = "answered"
    EMPTY = "empty"
    INVALID = "invalid"
    CONNECTION = "connection"
    COMMUNICATION = "communication"
    NO_ANSWER = "no answer in time"
    HALTED = "halted"
    LOST = "lost"
    OUR_FAULT = "our fault"
