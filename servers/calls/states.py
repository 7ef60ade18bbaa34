"""The modes and states of queues, the states of calls with the allowed changes, and the outcomes of attempts."""

from enum import StrEnum


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


class Outcome(StrEnum):
    """How one attempt ended."""

    UNDER_WAY = "under way"
    ANSWERED = "answered"
    EMPTY = "empty"
    INVALID = "invalid"
    CONNECTION = "connection"
    COMMUNICATION = "communication"
    UNAVAILABLE = "unavailable"
    NO_ANSWER = "no answer in time"
    HALTED = "halted"
    LOST = "lost"
    OUR_FAULT = "our fault"


# Attempts that an error of the meta-server ended: a worker crashed, or could not process the answer.
META_SERVER_FAULTS = frozenset({Outcome.LOST, Outcome.OUR_FAULT})
# Attempts with an answer, valid or not.
ANSWERED_OUTCOMES = frozenset({Outcome.ANSWERED, Outcome.EMPTY, Outcome.INVALID})
