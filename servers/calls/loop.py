"""The serial loop: it makes the calls of one server, one at a time, for a slice of time under the server's lease.

Claim a call (commit) -> call the server without a transaction -> store the Results and end the call in one commit.
Every write is fenced by the lease's token (servers/calls/leases/lease.py); the answer of a lost token is discarded.
"""

import logging
import time
import uuid
from collections.abc import Callable
from functools import partial

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from annotations.identifiers.verification import add_accessions_to_hints, check_identifiers_exist
from bcms.lib.http.exchange import Exchange
from servers.calls import diagnosis
from servers.calls.claim import (
    CallClaim,
    TooLongCall,
    build_claim_request,
    claim_next_call,
    end_too_long_call,
    get_server_with_queues,
    has_lost_every_try,
)
from servers.calls.client import request_annotations
from servers.calls.errors import CallError, Stage
from servers.calls.leases import lease
from servers.calls.leases.fairness import has_waiting_server, is_team_over_share, lock_team_turn, must_yield_slot
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.calls.models import Call
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.follow_up import LOST_CODE
from servers.calls.outcomes.recording import record_attempt, record_outcome
from servers.calls.pending_calls import (
    fetch_pending_answer,
    find_due_pending_claim,
    get_pending_call,
    is_text_outdated,
    store_acceptance,
)
from servers.calls.queues.closing import close_finished_queues
from servers.calls.queues.wake_ups import wake_server
from servers.calls.retry import TRIES
from servers.calls.states import IN_FLIGHT_CALLS, CallState, Outcome
from servers.protocols.annotation_requests import DeferredAnswer, ServerAnswer
from servers.registry import lifecycle
from servers.registry.models import Server

SLICE_SECONDS = 20.0
SLICE_CALLS = 50
# Prefixes of the SQLSTATE codes with which the database closes a connection.
DROPPED_CONNECTION_STATES = ("08", "57P", "25P03")
STAGE_OUTCOMES = {
    Stage.CONNECTION: Outcome.CONNECTION,
    Stage.COMMUNICATION: Outcome.COMMUNICATION,
    Stage.NO_ANSWER: Outcome.NO_ANSWER,
    Stage.RESULT: Outcome.INVALID,
}
LOST_MESSAGE = (
    f"The worker crashed {TRIES} times in a row before it could store an answer. This is an error of the meta-server, "
    "possibly triggered by this answer. It does not count as a try."
)
LOST_REASON = "The worker ended before the answer arrived. The article will be sent again."
OLDER_TEXT_REASON = "The article's text changed while the server worked on it. The current text will be sent."
OUR_FAULT = "This is an error of the meta-server, not of your server. It was logged and does not count as a try."
log = logging.getLogger(__name__)


def run_server_loop(server_id: int, stopping: Callable[[], bool] = lambda: False) -> str:
    """Make the due calls of one server for a slice of time; returns how it ended: busy, waits, idle, more or lost.

    Slices follow one another while no other server waits for a slot. stopping is checked between calls, so that a
    worker that shuts down ends the slice early. wake_due_servers wakes a server that waits for its team's share or
    that has yielded its slot to another server of its team.
    """
    with lock_team_turn(server_id):
        if is_team_over_share(server_id):
            return "waits"
        token = lease.acquire_lease(server_id)
    if token is None:
        return "busy"
    try:
        with lease_heartbeat.keep_lease(token):
            status = run_slice(server_id, token, stopping)
            while status == "more" and not stopping() and not has_waiting_server():
                status = run_slice(server_id, token, stopping)
    except lease.LeaseLostError:
        status = "lost"
    except (OperationalError, InterfaceError):
        # The lease is released on a new connection.
        connection.close()
        raise
    finally:
        lease.release_lease(token)
        lifecycle.take_idle_halting_server_offline(server_id)
    if status == "more" and not must_yield_slot(server_id):
        wake_server(server_id)
    return status


def run_slice(server_id: int, token: uuid.UUID, stopping: Callable[[], bool]) -> str:
    """Make calls until none is due or the slice is over; "idle" or "more". LeaseLostError if the lease is lost."""
    with lease.hold_lease(token):
        pending = recover_call_in_flight(server_id)
    if pending is not None and not follow_up_pending_call(pending, token):
        return "idle"
    server = get_server_with_queues(server_id)
    until = time.monotonic() + SLICE_SECONDS
    for _ in range(SLICE_CALLS):
        if stopping() or time.monotonic() >= until:
            break
        if not process_next_call(server, token):
            return "idle"
    return "more"


def recover_call_in_flight(server_id: int) -> Call | None:
    """The PENDING call of a server, if any; an ASKING call, left behind by a crashed worker, waits again."""
    in_flight = Call.objects.filter(server_id=server_id, state__in=sorted(IN_FLIGHT_CALLS))
    state = in_flight.values_list("state", flat=True).first()
    if state == CallState.PENDING:
        return get_pending_call(server_id)
    if state is not None:
        lifecycle.return_calls_to_queue(server_id, Outcome.LOST, LOST_REASON)
    return None


def process_next_call(server: Server, token: uuid.UUID) -> bool:
    """Claim and make the next due call; False if there is none or the server will answer later."""
    claim = claim_next_call(server, token)
    if claim is None or isinstance(claim, TooLongCall):
        with lease.hold_lease(token):
            if claim is None:
                close_finished_queues(server)
                return False
            end_too_long_call(claim.call)
            return True
    if has_lost_every_try(claim):
        store_claim_outcome(claim, token, Exchange(), make_our_fault_ending(LOST_CODE, LOST_MESSAGE))
        return True
    return process_claim(claim, token, partial(request_claim_annotations, token=token))


def follow_up_pending_call(call: Call, token: uuid.UUID) -> bool:
    """Continue a call that the server has accepted; False if there is no answer yet."""
    with lease.hold_lease(token):
        if is_text_outdated(call):
            lifecycle.return_calls_to_queue(call.server_id, Outcome.LOST, OLDER_TEXT_REASON, [CallState.PENDING])
            return True
        claim = find_due_pending_claim(call)
    return claim is not None and process_claim(claim, token, fetch_pending_answer)


def process_claim(
    claim: CallClaim, token: uuid.UUID, get_answer: Callable[[CallClaim, Exchange], ServerAnswer | DeferredAnswer]
) -> bool:
    """Get the answer of a call and record its outcome; False if the server will answer later."""
    exchange = Exchange()
    with lease_heartbeat.abort_if_lost(token, exchange):
        ending = attempt_claim(claim, exchange, get_answer)
    try:
        store_claim_outcome(claim, token, exchange, ending)
    except lease.LeaseLostError:
        raise
    except Exception as error:
        if is_connection_dropped(error):
            # Try again on a new connection; what was committed before is not stored twice.
            connection.close()
            store_claim_outcome(claim, token, exchange, ending)
        else:
            # Record an ending, so that an answer that cannot be stored is not requested again without a wait.
            log.exception("The outcome of call %s could not be stored", claim.call.pk)
            ending = make_our_fault_ending()
            store_claim_outcome(claim, token, exchange, ending)
    return isinstance(ending, AttemptEnding)


def is_connection_dropped(error: Exception) -> bool:
    """Whether the database connection broke, as opposed to a statement that failed."""
    code = getattr(error.__cause__, "pgcode", None)
    return (
        isinstance(error, (OperationalError, InterfaceError))
        if code is None
        else code.startswith(DROPPED_CONNECTION_STATES)
    )


def store_claim_outcome(
    claim: CallClaim, token: uuid.UUID, exchange: Exchange, ending: AttemptEnding | DeferredAnswer
) -> None:
    with lease.hold_lease(token):
        if isinstance(ending, DeferredAnswer):
            store_acceptance(claim, ending, exchange)
        else:
            record_attempt(claim, exchange, ending)
            record_outcome(claim.call, ending, last=not claim.more)


def request_claim_annotations(claim: CallClaim, exchange: Exchange, token: uuid.UUID) -> ServerAnswer | DeferredAnswer:
    """Send the request of a claimed call; LeaseLostError if the lease was lost while the process was suspended."""
    request = build_claim_request(claim)
    if is_claim_stale(claim):
        # Another worker may have the lease by now: hold_lease checks that.
        with lease.hold_lease(token):
            pass
    return request_annotations(request, exchange)


def is_claim_stale(claim: CallClaim) -> bool:
    """Whether so much time has passed since the claim that its lease may have expired."""
    return time.monotonic() - claim.taken > lease.get_lease_term().total_seconds() / 2


def attempt_claim(
    claim: CallClaim, exchange: Exchange, get_answer: Callable[[CallClaim, Exchange], ServerAnswer | DeferredAnswer]
) -> AttemptEnding | DeferredAnswer:
    """Get an answer and validate it; every failure, of the server or of the meta-server, becomes an ending."""
    started = time.monotonic()
    try:
        answer = get_answer(claim, exchange)
        if isinstance(answer, DeferredAnswer):
            return answer
        ending = build_answer_ending(answer)
    except CallError as error:
        outcome = STAGE_OUTCOMES[error.diagnosis.stage]
        ending = AttemptEnding(outcome, code=error.diagnosis.code, message=str(error))
    except lease.LeaseLostError:
        raise
    except Exception:
        log.exception("Call %s failed because of an error of the meta-server", claim.call.pk)
        ending = make_our_fault_ending()
    ending.seconds = time.monotonic() - started
    if claim.state == CallState.PENDING:
        ending.seconds = (timezone.now() - claim.attempt.started).total_seconds()
    return ending


def make_our_fault_ending(code: str = "our-fault", message: str = OUR_FAULT) -> AttemptEnding:
    return AttemptEnding(Outcome.OUR_FAULT, code=code, message=message)


def build_answer_ending(answer: ServerAnswer) -> AttemptEnding:
    """The ending of an attempt that was answered: INVALID if the answer breaks rules, else ANSWERED or EMPTY."""
    broken = [
        *add_accessions_to_hints(answer.broken_rules, answer.annotations),
        *check_identifiers_exist(answer.annotations),
    ]
    if broken:
        cause = diagnosis.diagnose_broken_rules(broken)
        message = f"{cause.happened} {cause.advice}"
        return AttemptEnding(Outcome.INVALID, code=cause.code, message=message, answer=answer, broken=broken)
    outcome = Outcome.ANSWERED if answer.annotations else Outcome.EMPTY
    return AttemptEnding(outcome, message=" ".join(answer.notes), answer=answer)
