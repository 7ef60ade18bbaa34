"""Make several claimed calls with one request, and record the outcome of each.

If the request fails as a whole, all its calls wait again without a try, and the next request carries fewer. Otherwise
each article has its own outcome. All are stored in one commit, unless the database refuses one of them.
"""

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bcms.lib.http.exchange import Exchange
from servers.calls.batches.batch_client import ServerAnswers
from servers.calls.batches.batch_limits import grow_batch_limit_if_due
from servers.calls.batches.batch_requests import list_request_parts
from servers.calls.batches.failed_batches import return_failed_batch_and_halve_limit
from servers.calls.claim import CallClaim
from servers.calls.deferred_answers.pending_calls import store_calls_as_pending_until_due
from servers.calls.errors import CallError
from servers.calls.leases import lease
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.calls.outcomes.attempt_endings import (
    check_answer_identifiers_and_build_ending,
    compute_attempt_seconds,
    make_failed_ending,
    make_our_fault_ending,
)
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.failure_follow_up import BATCH_FAULT_CODE
from servers.calls.outcomes.outcome_storage import (
    is_connection_dropped,
    run_again_if_connection_dropped,
    store_ending,
    store_outcome_or_our_fault,
)
from servers.protocols.annotation_requests import DeferredAnswer, ServerAnswer

log = logging.getLogger(__name__)
GetAnswers = Callable[[Sequence[CallClaim], Exchange], ServerAnswers | DeferredAnswer]


def process_batch(claims: Sequence[CallClaim], token: uuid.UUID, get_answers: GetAnswers) -> bool:
    """Get the answers to several calls and record the outcome of each; False if the server will answer later."""
    exchange = Exchange(before_send=partial(lease.renew_lease_unless_fresh, token, claims[0].begun))
    with lease_heartbeat.abort_if_lost(token, exchange):
        outcome = _attempt_batch(claims, exchange, get_answers)
    if isinstance(outcome, list):
        _store_endings(claims, token, exchange, outcome)
    else:
        run_again_if_connection_dropped(partial(_store_common_outcome, claims, token, exchange, outcome))
    return not isinstance(outcome, DeferredAnswer)


def _attempt_batch(
    claims: Sequence[CallClaim], exchange: Exchange, get_answers: GetAnswers
) -> list[AttemptEnding] | AttemptEnding | DeferredAnswer:
    """The ending of each call, or one ending if the request failed as a whole; the fault may be the meta-server's."""
    begun = time.monotonic()
    try:
        answers = get_answers(claims, exchange)
    except CallError as error:
        return make_failed_ending(error)
    except lease.LeaseLostError:
        raise
    except Exception:
        log.exception("A request with %s articles failed because of an error of the meta-server", len(claims))
        return make_our_fault_ending(BATCH_FAULT_CODE)
    if isinstance(answers, DeferredAnswer):
        return answers
    seconds = compute_attempt_seconds(claims[0], begun)
    return [_build_article_ending(claim, answer, seconds) for claim, answer in zip(claims, answers, strict=True)]


def _build_article_ending(claim: CallClaim, answer: ServerAnswer | CallError, seconds: float) -> AttemptEnding:
    """The ending of one article of an answered request, which took so many seconds for all articles."""
    try:
        ending = (
            make_failed_ending(answer)
            if isinstance(answer, CallError)
            else check_answer_identifiers_and_build_ending(answer)
        )
    except Exception:
        log.exception("Call %s failed because of an error of the meta-server", claim.call.pk)
        ending = make_our_fault_ending()
    ending.in_batch, ending.seconds = True, seconds
    return ending


def _store_common_outcome(
    claims: Sequence[CallClaim], token: uuid.UUID, exchange: Exchange, outcome: AttemptEnding | DeferredAnswer
) -> None:
    """Store what all calls of a request have in common: that the server will answer later, or that it failed."""
    with lease.hold_renewed_lease_in_transaction(token):
        if isinstance(outcome, DeferredAnswer):
            store_calls_as_pending_until_due(claims, outcome, exchange, list_request_parts(claims, exchange))
        else:
            return_failed_batch_and_halve_limit(claims, exchange, outcome)


def _store_endings(
    claims: Sequence[CallClaim], token: uuid.UUID, exchange: Exchange, endings: Sequence[AttemptEnding]
) -> None:
    """Store the outcomes of all calls in one commit; if one of them cannot be stored, each in a commit of its own."""
    outcomes = [
        (claim, Exchange(phases=exchange.phases, request=request), ending)
        for claim, request, ending in zip(claims, list_request_parts(claims, exchange), endings, strict=True)
    ]
    # Every batch locks articles in the same order, which prevents deadlocks. Only the last one may finish the queue.
    outcomes.sort(key=lambda outcome: outcome[0].article.pk)
    outcomes = [(replace(claim, more=True), part, ending) for claim, part, ending in outcomes[:-1]] + outcomes[-1:]
    try:
        run_again_if_connection_dropped(partial(_store_outcomes_in_one_commit, outcomes, token))
    except lease.LeaseLostError:
        raise
    except Exception as error:
        if is_connection_dropped(error):
            raise
        log.exception("The outcomes of a request with %s articles could not be stored together", len(claims))
        for claim, part, ending in outcomes:
            store_outcome_or_our_fault(claim, token, part, ending)


def _store_outcomes_in_one_commit(
    outcomes: Sequence[tuple[CallClaim, Exchange, AttemptEnding]], token: uuid.UUID
) -> None:
    with lease.hold_renewed_lease_in_transaction(token):
        for claim, part, ending in outcomes:
            store_ending(claim, part, ending)
        grow_batch_limit_if_due(outcomes[0][0].call.server, len(outcomes))
