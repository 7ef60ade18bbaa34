"""Store the outcome of an attempt under the lease, in one commit with its Results and the end of its call."""

import logging
import uuid
from collections.abc import Callable
from functools import partial

from django.db import InterfaceError, OperationalError, connection, transaction

from bcms.lib.http.exchange import Exchange
from bcms.lib.request_ids import bind_request_id
from servers.calls.batches.batch_limits import grow_batch_limit_if_due
from servers.calls.claim import CallClaim
from servers.calls.deferred_answers.pending_calls import store_calls_as_pending_until_due
from servers.calls.leases import lease
from servers.calls.outcomes.attempt_endings import make_our_fault_ending
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.recording import end_or_retry_call_updating_server, store_attempt_outcome_and_exchange
from servers.calls.states import Outcome
from servers.protocols.annotation_requests import DeferredAnswer

# Prefixes of the SQLSTATE codes with which the database closes a connection, and of the one with which it refuses what
# the connection has prepared since a migration has changed the columns of it.
DROPPED_CONNECTION_STATES = ("08", "57P", "25P03", "0A000")
log = logging.getLogger(__name__)


def store_outcome_or_our_fault(
    claim: CallClaim, token: uuid.UUID, exchange: Exchange, ending: AttemptEnding | DeferredAnswer
) -> AttemptEnding | DeferredAnswer:
    """Store the outcome; if the database refuses it, store an error of ours in its place. Returns what was stored."""
    try:
        run_again_if_connection_dropped(partial(store_claim_outcome, claim, token, exchange, ending))
    except lease.LeaseLostError:
        raise
    except Exception as error:
        if is_connection_dropped(error):
            raise
        # Record an ending, so that an answer that cannot be stored is not requested again without a wait.
        log.exception("The outcome of call %s could not be stored", claim.call.pk)
        ending = make_our_fault_ending()
        store_claim_outcome(claim, token, exchange, ending)
    return ending


def run_again_if_connection_dropped(store: Callable[[], None]) -> None:
    """Run a transaction, once more on a new connection if this one broke: what was committed is not stored twice."""
    try:
        store()
    except Exception as error:
        if not is_connection_dropped(error):
            raise
        connection.close()
        store()


def is_connection_dropped(error: Exception) -> bool:
    """Whether the database connection broke or has become useless, as opposed to a statement that failed."""
    code = getattr(error.__cause__, "pgcode", None)
    return (
        isinstance(error, (OperationalError, InterfaceError))
        if code is None
        else code.startswith(DROPPED_CONNECTION_STATES)
    )


def store_claim_outcome(
    claim: CallClaim, token: uuid.UUID, exchange: Exchange, ending: AttemptEnding | DeferredAnswer
) -> None:
    with lease.hold_renewed_lease_in_transaction(token):
        if isinstance(ending, DeferredAnswer):
            store_calls_as_pending_until_due([claim], ending, exchange, [exchange.request])
        else:
            store_ending(claim, exchange, ending)
            if ending.answer is not None and not ending.in_batch:
                grow_batch_limit_if_due(claim.call.server, article_count=1)


def store_ending(claim: CallClaim, exchange: Exchange, ending: AttemptEnding) -> None:
    """Store how an attempt ended, and end its call or let it wait again. The caller holds the server's lease."""
    store_attempt_outcome_and_exchange(claim, exchange, ending)
    end_or_retry_call_updating_server(claim.call, ending, may_finish_queue=not claim.more)
    transaction.on_commit(partial(_log_ending, claim, ending), robust=True)


def _log_ending(claim: CallClaim, ending: AttemptEnding) -> None:
    """A line about the attempt under the id of the request that made the call; good answers are too many for INFO."""
    level = logging.DEBUG if ending.outcome in (Outcome.ANSWERED, Outcome.EMPTY) else logging.INFO
    facts = {"call": claim.call.pk, "attempt": claim.attempt.pk, "server": claim.call.server.slug}
    with bind_request_id(claim.call.request_id):
        log.log(
            level,
            "Attempt %d of call %d to %s: %s",
            *(claim.attempt.number, claim.call.pk, claim.call.server.slug, ending.outcome),
            extra={**facts, "outcome": ending.outcome.value},
        )
