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

from bcms.lib.http.exchange import Exchange
from bcms.lib.request_ids import bind_request_id
from servers.calls.batches.batch_claim import claim_next_calls_within_rate_limit
from servers.calls.batches.batch_processing import process_batch
from servers.calls.batches.batch_requests import read_callback_or_poll_pending_batch, request_answers_of_batch
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
    build_pending_claims,
    explain_why_to_send_again,
    is_pending_request_due,
    list_pending_calls,
    read_callback_or_poll_pending_task,
)
from servers.calls.errors import CallError
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
from servers.calls.outcomes.attempt_endings import (
    check_answer_identifiers_and_build_ending,
    compute_attempt_seconds,
    make_failed_ending,
    make_our_fault_ending,
)
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.failure_follow_up import LOST_CODE
from servers.calls.outcomes.outcome_storage import store_claim_outcome, store_outcome_or_our_fault
from servers.calls.queues.closing import close_running_queues_without_open_calls
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.retry import get_max_meta_server_faults
from servers.calls.states import CallState, Outcome, QueueMode
from servers.pasted_texts.annotation import annotate_next_pasted_text, end_interrupted_pasted_calls
from servers.pasted_texts.queries import was_text_sent_last
from servers.protocols.annotation_requests import DeferredAnswer, ServerAnswer
from servers.registry import lifecycle
from servers.registry.models import Server

SLICE_SECONDS = 20.0
SLICE_CALLS = 50
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
        pending = list_pending_calls(server_id) if return_lost_call_and_report_whether_pending(server_id) else []
    if pending and not _follow_up_pending_calls(pending, token):
        return "idle"
    server = get_server_with_queues(server_id)
    if server.accepts_pasted_texts:
        end_interrupted_pasted_calls(server_id)
    until = time.monotonic() + SLICE_SECONDS
    for _ in range(SLICE_CALLS):
        if stopping() or time.monotonic() >= until:
            break
        if not _make_next_request(server, token):
            return "idle"
    return "more"


def _make_next_request(server: Server, token: uuid.UUID) -> bool:
    """Send a pasted text, as somebody waits for its answer, or make the next due call; False if there is neither, or
    the server will answer later. Servers that accept no texts cost no query.

    After a text it is the turn of a call, so that texts, however many there are, do not stop challenges.
    """
    if not server.accepts_pasted_texts:
        return process_next_call_or_close_queues(server, token)
    if not was_text_sent_last(server.pk) and annotate_next_pasted_text(server, token):
        return True
    if process_next_call_or_close_queues(server, token):
        return True
    return not list_pending_calls(server.pk) and annotate_next_pasted_text(server, token)


def process_next_call_or_close_queues(server: Server, lease_token: uuid.UUID) -> bool:
    """Claim and make the next due call; False if there is none or the server will answer later."""
    claim = _claim_next_call_or_calls(server, lease_token)
    if claim is None or isinstance(claim, TooLongCall):
        with lease.hold_renewed_lease_in_transaction(lease_token):
            if claim is None:
                close_running_queues_without_open_calls(server)
                return False
            end_too_long_call_as_empty(claim.call)
            return True
    if isinstance(claim, list):
        return process_batch(claim, lease_token, request_answers_of_batch)
    if has_lost_too_many_attempts(claim):
        message = _format_lost_message(QueueMode(claim.call.queue.mode))
        store_claim_outcome(claim, lease_token, Exchange(), make_our_fault_ending(LOST_CODE, message))
        return True
    return _process_claim(claim, lease_token, _request_claim_annotations)


def _claim_next_call_or_calls(
    server: Server, lease_token: uuid.UUID
) -> CallClaim | list[CallClaim] | TooLongCall | None:
    """The call to make now, or the calls if several are sent with one request."""
    if server.articles_per_request == 1:
        return claim_next_call_within_rate_limit(server, lease_token)
    claims = claim_next_calls_within_rate_limit(server, lease_token)
    return claims[0] if isinstance(claims, list) and len(claims) == 1 else claims


def _follow_up_pending_calls(calls: list[Call], token: uuid.UUID) -> bool:
    """Continue the calls of a request that the server has accepted; False if there is no answer yet."""
    begun = time.monotonic()
    with lease.hold_renewed_lease_in_transaction(token):
        claims = build_pending_claims(calls, begun)
        if reason := explain_why_to_send_again(claims):
            return_calls_and_end_open_attempts(calls[0].server_id, Outcome.LOST, reason, [CallState.PENDING])
            return True
        if not is_pending_request_due(claims):
            return False
    if len(claims) > 1:
        return process_batch(claims, token, read_callback_or_poll_pending_batch)
    return _process_claim(claims[0], token, read_callback_or_poll_pending_task)


def _process_claim(
    claim: CallClaim, token: uuid.UUID, get_answer: Callable[[CallClaim, Exchange], ServerAnswer | DeferredAnswer]
) -> bool:
    """Get the answer of a call and record its outcome; False if the server will answer later."""
    exchange = Exchange(before_send=partial(lease.renew_lease_unless_fresh, token, claim.begun))
    with bind_request_id(claim.call.request_id):
        with lease_heartbeat.abort_if_lost(token, exchange):
            ending = _attempt_claim(claim, exchange, get_answer)
        return isinstance(store_outcome_or_our_fault(claim, token, exchange, ending), AttemptEnding)


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
        ending = make_failed_ending(error)
    except lease.LeaseLostError:
        raise
    except Exception:
        log.exception("Call %s failed because of an error of the meta-server", claim.call.pk)
        ending = make_our_fault_ending()
    ending.seconds = compute_attempt_seconds(claim, started)
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
