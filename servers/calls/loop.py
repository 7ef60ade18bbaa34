"""The serial loop: it makes the calls of one server, one at a time, for a slice of time under the server's lease.

Claim a call (commit) -> call the server without a transaction -> store the Results and end the call in one commit.
Every write is fenced by the lease's token (servers/calls/leases/lease.py); the answer of a lost token is discarded.
"""

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from annotations.identifiers.verification import (
    CheckedAnnotations,
    add_accessions_to_entry_name_hints,
    check_identifiers,
)
from bcms.lib.http.exchange import Exchange
from servers.calls import diagnosis
from servers.calls.claim import (
    CallClaim,
    TooLongCall,
    build_claim_request,
    claim_next_call_within_rate_limit,
    end_too_long_call_as_empty,
    get_server_with_queues,
    has_lost_too_many_attempts,
)
from servers.calls.client import request_answer_and_collect_broken_rules
from servers.calls.deferred_answers.pending_calls import (
    find_due_pending_claim,
    get_pending_call,
    has_text_changed_since_last_attempt,
    read_callback_or_poll_pending_task,
    store_call_as_pending_until_due,
)
from servers.calls.errors import CallError, Stage
from servers.calls.leases import lease
from servers.calls.leases.fairness import (
    has_server_waiting_for_slot,
    has_team_reached_slot_share,
    lock_team_slots_in_transaction,
    must_yield_slot_to_team_servers,
)
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.calls.leases.lost_calls import (
    return_calls_and_end_open_attempts,
    return_lost_call_and_report_whether_pending,
)
from servers.calls.models import Call
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.failure_follow_up import LOST_CODE
from servers.calls.outcomes.recording import end_or_retry_call_updating_server, store_attempt_outcome_and_exchange
from servers.calls.queues.closing import close_running_queues_without_open_calls
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.retry import get_max_meta_server_faults
from servers.calls.states import CallState, Outcome, QueueMode
from servers.protocols.annotation_requests import DeferredAnswer, ServerAnswer
from servers.protocols.parsed_answers import OmittedParts
from servers.registry import lifecycle
from servers.registry.models import Server

SLICE_SECONDS = 20.0
SLICE_CALLS = 50
# Prefixes of the SQLSTATE codes with which the database closes a connection.
DROPPED_CONNECTION_STATES = ("08", "57P", "25P03")
STAGE_OUTCOMES = {
    Stage.CONNECTION: Outcome.CONNECTION,
    Stage.COMMUNICATION: Outcome.COMMUNICATION,
    Stage.UNAVAILABLE: Outcome.UNAVAILABLE,
    Stage.NO_ANSWER: Outcome.NO_ANSWER,
    Stage.RESULT: Outcome.INVALID,
}
OLDER_TEXT_REASON = "The article's text changed while the server worked on it. The current text will be sent."
OUR_FAULT = "This is an error of the meta-server, not of your server. It was logged and does not count as a try."
log = logging.getLogger(__name__)


def run_slices_if_slot_and_lease_free(server_id: int, should_stop: Callable[[], bool] = lambda: False) -> str:
    """Make the due calls of one server for a slice of time; returns how it ended: busy, waits, idle, more or lost.

    Slices follow one another while no other server waits for a slot. should_stop is checked between calls, so that a
    worker that shuts down ends the slice early. wake_due_servers_and_finish_halts wakes a server that waits for its
    team's share or that has yielded its slot to another server of its team.
    """
    with lock_team_slots_in_transaction(server_id):
        if has_team_reached_slot_share(server_id):
            return "waits"
        token = lease.acquire_free_lease_of_working_server(server_id)
    if token is None:
        return "busy"
    try:
        with lease_heartbeat.keep_lease(token):
            status = _run_slice(server_id, token, should_stop)
            while status == "more" and not should_stop() and not has_server_waiting_for_slot():
                status = _run_slice(server_id, token, should_stop)
    except lease.LeaseLostError:
        status = "lost"
    except (OperationalError, InterfaceError):
        # The lease is released on a new connection.
        connection.close()
        raise
    finally:
        lease.release_lease(token)
        lifecycle.take_idle_halting_server_offline(server_id)
    if status == "more" and not must_yield_slot_to_team_servers(server_id):
        enqueue_server_loop_after_commit(server_id)
    return status


def _run_slice(server_id: int, token: uuid.UUID, stopping: Callable[[], bool]) -> str:
    """Make calls until none is due or the slice is over; "idle" or "more". LeaseLostError if the lease is lost."""
    with lease.hold_renewed_lease_in_transaction(token):
        pending = get_pending_call(server_id) if return_lost_call_and_report_whether_pending(server_id) else None
    if pending is not None and not _follow_up_pending_call(pending, token):
        return "idle"
    server = get_server_with_queues(server_id)
    until = time.monotonic() + SLICE_SECONDS
    for _ in range(SLICE_CALLS):
        if stopping() or time.monotonic() >= until:
            break
        if not process_next_call_or_close_queues(server, token):
            return "idle"
    return "more"


def process_next_call_or_close_queues(server: Server, lease_token: uuid.UUID) -> bool:
    """Claim and make the next due call; False if there is none or the server will answer later."""
    claim = claim_next_call_within_rate_limit(server, lease_token)
    if claim is None or isinstance(claim, TooLongCall):
        with lease.hold_renewed_lease_in_transaction(lease_token):
            if claim is None:
                close_running_queues_without_open_calls(server)
                return False
            end_too_long_call_as_empty(claim.call)
            return True
    if has_lost_too_many_attempts(claim):
        message = _format_lost_message(QueueMode(claim.call.queue.mode))
        _store_claim_outcome(claim, lease_token, Exchange(), _make_our_fault_ending(LOST_CODE, message))
        return True
    return _process_claim(claim, lease_token, _request_claim_annotations)


def _follow_up_pending_call(call: Call, token: uuid.UUID) -> bool:
    """Continue a call that the server has accepted; False if there is no answer yet."""
    begun = time.monotonic()
    with lease.hold_renewed_lease_in_transaction(token):
        if has_text_changed_since_last_attempt(call):
            return_calls_and_end_open_attempts(call.server_id, Outcome.LOST, OLDER_TEXT_REASON, [CallState.PENDING])
            return True
        claim = find_due_pending_claim(call, begun)
    return claim is not None and _process_claim(claim, token, read_callback_or_poll_pending_task)


def _process_claim(
    claim: CallClaim, token: uuid.UUID, get_answer: Callable[[CallClaim, Exchange], ServerAnswer | DeferredAnswer]
) -> bool:
    """Get the answer of a call and record its outcome; False if the server will answer later."""
    exchange = Exchange(before_send=partial(lease.renew_lease_unless_fresh, token, claim.begun))
    with lease_heartbeat.abort_if_lost(token, exchange):
        ending = _attempt_claim(claim, exchange, get_answer)
    try:
        _store_claim_outcome(claim, token, exchange, ending)
    except lease.LeaseLostError:
        raise
    except Exception as error:
        if _is_connection_dropped(error):
            # Try again on a new connection; what was committed before is not stored twice.
            connection.close()
            _store_claim_outcome(claim, token, exchange, ending)
        else:
            # Record an ending, so that an answer that cannot be stored is not requested again without a wait.
            log.exception("The outcome of call %s could not be stored", claim.call.pk)
            ending = _make_our_fault_ending()
            _store_claim_outcome(claim, token, exchange, ending)
    return isinstance(ending, AttemptEnding)


def _is_connection_dropped(error: Exception) -> bool:
    """Whether the database connection broke, as opposed to a statement that failed."""
    code = getattr(error.__cause__, "pgcode", None)
    return (
        isinstance(error, (OperationalError, InterfaceError))
        if code is None
        else code.startswith(DROPPED_CONNECTION_STATES)
    )


def _store_claim_outcome(
    claim: CallClaim, token: uuid.UUID, exchange: Exchange, ending: AttemptEnding | DeferredAnswer
) -> None:
    with lease.hold_renewed_lease_in_transaction(token):
        if isinstance(ending, DeferredAnswer):
            store_call_as_pending_until_due(claim, ending, exchange)
        else:
            store_attempt_outcome_and_exchange(claim, exchange, ending)
            end_or_retry_call_updating_server(claim.call, ending, may_finish_queue=not claim.more)


def _request_claim_annotations(claim: CallClaim, exchange: Exchange) -> ServerAnswer | DeferredAnswer:
    return request_answer_and_collect_broken_rules(build_claim_request(claim), exchange)


def _attempt_claim(
    claim: CallClaim, exchange: Exchange, get_answer: Callable[[CallClaim, Exchange], ServerAnswer | DeferredAnswer]
) -> AttemptEnding | DeferredAnswer:
    """Get an answer and validate it; every failure, of the server or of the meta-server, becomes an ending."""
    started = time.monotonic()
    try:
        answer = get_answer(claim, exchange)
        if isinstance(answer, DeferredAnswer):
            return answer
        ending = check_answer_identifiers_and_build_ending(answer)
    except CallError as error:
        outcome = STAGE_OUTCOMES[error.diagnosis.stage]
        rest = timedelta(seconds=error.diagnosis.rest_seconds)
        ending = AttemptEnding(outcome, code=error.diagnosis.code, message=str(error), rest=rest)
    except lease.LeaseLostError:
        raise
    except Exception:
        log.exception("Call %s failed because of an error of the meta-server", claim.call.pk)
        ending = _make_our_fault_ending()
    ending.seconds = time.monotonic() - started
    if claim.state == CallState.PENDING:
        ending.seconds = (timezone.now() - claim.attempt.started).total_seconds()
    return ending


def _format_lost_message(mode: QueueMode) -> str:
    """The message about a call that is given up because workers crashed with it."""
    happened = (
        "The worker crashed before it could store an answer, and in a test an article is sent once more only"
        if mode == QueueMode.TEST
        else f"The worker crashed {get_max_meta_server_faults(mode)} times in a row before it could store an answer"
    )
    return (
        f"{happened}. This is an error of the meta-server, possibly triggered by this answer. It does not count as a "
        "try."
    )


def _make_our_fault_ending(code: str = "our-fault", message: str = OUR_FAULT) -> AttemptEnding:
    return AttemptEnding(Outcome.OUR_FAULT, code=code, message=message)


def check_answer_identifiers_and_build_ending(answer: ServerAnswer) -> AttemptEnding:
    """The ending of an attempt that was answered: INVALID if the answer breaks rules, else ANSWERED or EMPTY."""
    checked = check_identifiers(answer.annotations)
    broken = [
        *add_accessions_to_entry_name_hints(answer.broken_rules, answer.annotations),
        *checked.broken_rules,
    ]
    if checked.removed_links:
        answer = _omit_removed_links(answer, checked)
    if broken:
        cause = diagnosis.diagnose_first_broken_rule_and_count(broken)
        message = f"{cause.happened} {cause.advice}"
        return AttemptEnding(Outcome.INVALID, code=cause.code, message=message, answer=answer, broken=broken)
    outcome = Outcome.ANSWERED if answer.annotations else Outcome.EMPTY
    return AttemptEnding(outcome, message=" ".join(answer.notes), answer=answer)


def _omit_removed_links(answer: ServerAnswer, checked: CheckedAnnotations) -> ServerAnswer:
    """The answer without links of mentions that do not exist, which are listed among its omitted parts."""
    omitted = OmittedParts()
    omitted.extend(answer.omitted)
    for fault in checked.removed_links:
        omitted.add(fault.where, f"{fault.message} The mention is stored without this link.")
    return replace(answer, annotations=checked.annotations, omitted=omitted)
