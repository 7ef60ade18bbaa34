"""Follow up a failed attempt: retry, rest, stop the queue, or end the call."""

import logging
from random import random

from django.db.models import F

from servers.calls import retry
from servers.calls.models import Call, Queue
from servers.calls.outcomes.call_end import AttemptEnding, end_call, finish_call_with_results, schedule_next_try
from servers.calls.outcomes.reachability import rest_server_queues
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.notifications import notices
from servers.notifications.events import EventType
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState

LOST_CODE = "workers-lost"
log = logging.getLogger(__name__)


def decide_follow_up(call: Call, outcome: Outcome, code: str) -> retry.RetryDecision:
    """The decision after a failed attempt with this outcome and diagnosis code."""
    mode = QueueMode(call.queue.mode)
    if outcome != Outcome.OUR_FAULT:
        most = call.queue.tries or retry.TRIES
        return retry.decide_retry(mode, call.tries, outcome, misses=call.server.misses + 1, most=most)
    decision = retry.decide_after_our_fault(mode, count_our_faults(call, code))
    if decision.action != retry.RetryAction.TRY_AGAIN:
        log.error("Call %s has no answer because of errors of the meta-server: %s", call.pk, decision.action)
    return decision


def count_our_faults(call: Call, code: str) -> int:
    """The number of our errors with this call; the maximum if workers crashed with it, so that it is not retried."""
    return retry.TRIES if code == LOST_CODE else call.attempts.filter(outcome=Outcome.OUR_FAULT).count()


def follow_up_failure(call: Call, ending: AttemptEnding) -> None:
    decision = decide_follow_up(call, ending.outcome, ending.code)
    match decision.action:
        case retry.RetryAction.TRY_AGAIN:
            schedule_next_try(call, retry.add_jitter(decision.wait, random()), ending.message, counts=decision.counts)
        case retry.RetryAction.STOP:
            stop_queue(call, ending, counts=decision.counts)
        case retry.RetryAction.REST:
            schedule_next_try(call, decision.wait, ending.message, counts=decision.counts)
            rest_server_queues(call, ending, decision.wait)
        case retry.RetryAction.STORE_VALID if ending.answer is not None:
            finish_call_with_results(call, ending)
        case retry.RetryAction.STORE_EMPTY:
            finish_call_with_results(call, ending, empty_reason=ending.code or ending.outcome)
        case retry.RetryAction.STORE_VALID if call.queue.mode == QueueMode.TEST:
            # The answer is about another article, so nothing of it is valid, and in a test there is no second call.
            finish_call_with_results(call, ending, empty_reason=ending.code)
        case retry.RetryAction.STORE_VALID | retry.RetryAction.GIVE_UP:
            fail_call(call, ending, counts=decision.counts)


def fail_call(call: Call, ending: AttemptEnding, *, counts: bool) -> None:
    end_call(call, CallState.FAILED, ending.message, tried=counts)
    notices.record_event(call.server_id, EventType.ARTICLE_FAILED, queue=call.queue, call=call, reason=ending.message)
    if counts:
        count_failed_article(call.server)


def stop_queue(call: Call, ending: AttemptEnding, *, counts: bool) -> None:
    """Stop the queue until the team decides; the article keeps its position, so that it is the next one."""
    schedule_next_try(call, None, ending.message, counts=counts)
    Queue.objects.filter(pk=call.queue_id, state=QueueState.RUNNING).update(state=QueueState.STOPPED, stopped_on=call)
    notices.record_event(call.server_id, EventType.QUEUE_STOPPED, queue=call.queue, call=call, reason=ending.message)


def count_failed_article(server: Server) -> None:
    """Count a failed article; too many in a row take the server off."""
    Server.objects.filter(pk=server.pk).update(failures_running=F("failures_running") + 1)
    if Server.objects.filter(pk=server.pk, failures_running__gte=retry.FAILURES_RUNNING).exists():
        lifecycle.change_server_state(server.pk, ServerState.FAIL, f"{retry.FAILURES_RUNNING} articles in a row failed")
