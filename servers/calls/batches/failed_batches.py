"""What follows a request with several articles that failed as a whole: its calls wait again, and none counts a try."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Least, Now

from bcms.lib.http.exchange import KEPT_BYTES, Exchange
from servers.calls.batches.batch_decisions import decide_after_failed_batch
from servers.calls.batches.batch_end import end_batch_without_calls_in_flight
from servers.calls.batches.batch_limits import halve_batch_limit
from servers.calls.batches.batch_requests import list_request_parts
from servers.calls.claim import CallClaim
from servers.calls.models import Call
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.recording import SERVER_COUNTERS, store_attempt_outcome_and_exchange
from servers.calls.outcomes.server_rest import (
    record_reachability_failing_server_after_day,
    rest_nontest_queues_and_notify_once,
)
from servers.calls.retry import RetryAction
from servers.calls.states import CallState


def return_failed_batch_and_halve_limit(claims: Sequence[CallClaim], exchange: Exchange, ending: AttemptEnding) -> None:
    """Record the failed attempts, and let the calls wait again at their position. The caller holds the server's lease.

    The server's queues rest if it cannot be reached. No downtime begins, as the number of articles may be the reason.
    """
    server = claims[0].call.server
    for claim, request in zip(claims, list_request_parts(claims, exchange), strict=True):
        received = exchange.received[: KEPT_BYTES // len(claims)]
        part = Exchange(phases=exchange.phases, request=request, received=received)
        store_attempt_outcome_and_exchange(claim, part, ending)
    decision = decide_after_failed_batch(ending.outcome, server.misses + 1, ending.rest)
    rests = decision.action == RetryAction.REST
    _let_calls_wait(claims, decision.wait if rests else None, ending.message)
    if rests:
        rest_nontest_queues_and_notify_once(claims[0].call, ending, decision.wait)
    record_reachability_failing_server_after_day(claims[0].call, ending)
    halve_batch_limit(server, len(claims))
    server.refresh_from_db(fields=SERVER_COUNTERS)


def _let_calls_wait(claims: Sequence[CallClaim], wait_or_keep_due: timedelta | None, reason: str) -> None:
    due = Least(F("due"), Now()) if wait_or_keep_due is None else Now() + wait_or_keep_due
    call_ids = [claim.call.pk for claim in claims]
    in_flight = Call.objects.filter(pk__in=call_ids, state__in=[CallState.ASKING, CallState.PENDING])
    in_flight.update(state=CallState.WAITING, batch=None, due=due, reason=reason)
    end_batch_without_calls_in_flight(claims[0].call.server_id)
