"""Follow up a failed attempt: retry, rest, stop the queue, or end the call."""

import logging
from random import random

from django.db.models import F

from servers.calls import retry
from servers.calls.diagnosis import UNAVAILABLE_CODE
from servers.calls.models import Call, Queue
from servers.calls.outcomes.call_end import (
    AttemptEnding,
    end_call_if_state_allows,
    end_call_with_valid_results_if_allowed,
    schedule_next_try_if_state_allows,
)
from servers.calls.outcomes.server_rest import rest_nontest_queues_and_notify_once
from servers.calls.states import META_SERVER_FAULTS, CallState, Outcome, QueueMode, QueueState
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState

LOST_CODE = "workers-lost"
# Our error with a request of several articles as a whole, any of which may be the reason.
BATCH_FAULT_CODE = "our-fault-with-batch"
log = logging.getLogger(__name__)


def _decide_follow_up(call: Call, failed_ending: AttemptEnding) -> retry.RetryDecision:
    """The decision after a failed attempt."""
    mode = QueueMode(call.queue.mode)
    if failed_ending.outcome != Outcome.OUR_FAULT:
        return retry.decide_after_failed_try(
            mode,
            call.tries,
            Outcome.COMMUNICATION if _is_outage_of_this_article_only(call, failed_ending) else failed_ending.outcome,
            consecutive_misses=call.server.misses + 1,
            max_tries=call.queue.tries or retry.TRIES,
            outage_rest=failed_ending.rest,
        )
    decision = retry.decide_after_meta_server_fault(mode, _count_meta_server_faults(call, mode, failed_ending.code))
    if decision.action != retry.RetryAction.TRY_AGAIN:
        log.error("Call %s has no answer because of errors of the meta-server: %s", call.pk, decision.action)
    return decision


def _is_outage_of_this_article_only(call: Call, failed_ending: AttemptEnding) -> bool:
    """Whether the server was unavailable for this article again and again although it answers other articles.

    A program that crashes or hangs on one article looks like an outage behind a proxy, and would be called for ever.
    """
    if failed_ending.outcome != Outcome.UNAVAILABLE or failed_ending.code != UNAVAILABLE_CODE or call.server.misses:
        return False
    return call.attempts.filter(outcome=Outcome.UNAVAILABLE, articles_in_request=1).count() > retry.TRIES


def _count_meta_server_faults(call: Call, mode: QueueMode, code: str) -> int:
    """The number of our errors with this call; the maximum if too many workers crashed with it.

    In a test crashed workers count too, so that a server gains no time by provoking now one error, now the other.
    """
    if code == LOST_CODE:
        return retry.get_max_meta_server_faults(mode)
    counted = META_SERVER_FAULTS if mode == QueueMode.TEST else (Outcome.OUR_FAULT,)
    return call.attempts.filter(outcome__in=counted).exclude(diagnosis=BATCH_FAULT_CODE).count()


def retry_or_end_call_or_stop_queue(call: Call, failed_ending: AttemptEnding) -> None:
    decision = _decide_follow_up(call, failed_ending)
    match decision.action:
        case retry.RetryAction.TRY_AGAIN:
            schedule_next_try_if_state_allows(
                call,
                retry.extend_wait_by_up_to_fifth(decision.wait, random()),
                failed_ending.message,
                last_try_counts=decision.counts,
            )
        case retry.RetryAction.STOP:
            _stop_queue(call, failed_ending, counts=decision.counts)
        case retry.RetryAction.REST:
            schedule_next_try_if_state_allows(
                call, decision.wait, failed_ending.message, last_try_counts=decision.counts
            )
            rest_nontest_queues_and_notify_once(call, failed_ending, decision.wait)
        case retry.RetryAction.STORE_VALID if failed_ending.answer is not None:
            end_call_with_valid_results_if_allowed(call, failed_ending)
        case retry.RetryAction.STORE_EMPTY:
            end_call_with_valid_results_if_allowed(
                call, failed_ending, empty_reason=failed_ending.code or failed_ending.outcome
            )
        case retry.RetryAction.STORE_VALID if call.queue.mode == QueueMode.TEST:
            # The answer is about another article, so nothing of it is valid, and in a test there is no second call.
            end_call_with_valid_results_if_allowed(call, failed_ending, empty_reason=failed_ending.code)
        case retry.RetryAction.STORE_VALID | retry.RetryAction.GIVE_UP:
            _fail_call(call, failed_ending, counts=decision.counts)


def _fail_call(call: Call, ending: AttemptEnding, *, counts: bool) -> None:
    end_call_if_state_allows(call, CallState.FAILED, ending.message, counts_as_try=counts)
    notices.store_wanted_notice_and_deliveries_of_event(
        call.server_id, EventType.ARTICLE_FAILED, queue=call.queue, call=call, reason=ending.message
    )
    if counts:
        _count_failed_article(call.server)


def _stop_queue(call: Call, ending: AttemptEnding, *, counts: bool) -> None:
    """Stop the queue until the team decides; the article keeps its position, so that it is the next one."""
    schedule_next_try_if_state_allows(call, None, ending.message, last_try_counts=counts)
    Queue.objects.filter(pk=call.queue_id, state=QueueState.RUNNING).update(state=QueueState.STOPPED, stopped_on=call)
    notices.store_wanted_notice_and_deliveries_of_event(
        call.server_id, EventType.QUEUE_STOPPED, queue=call.queue, call=call, reason=ending.message
    )


def _count_failed_article(server: Server) -> None:
    """Count a failed article; too many in a row take the server off."""
    Server.objects.filter(pk=server.pk).update(failures_running=F("failures_running") + 1)
    if Server.objects.filter(pk=server.pk, failures_running__gte=retry.FAILURES_RUNNING).exists():
        lifecycle.change_and_log_allowed_state_notifying_failure(
            server.pk, ServerState.FAIL, f"{retry.FAILURES_RUNNING} articles in a row failed"
        )
