"""Calls that a server has accepted and will answer later; no thread waits for them.

A call is PENDING from the acceptance on. It is due when the server's task should be polled, when the server has called
back, or when its time limit is over. The server's loop continues it before any other call.
"""

from datetime import timedelta

from django.db.models.functions import Least, Now
from django.utils import timezone

from bcms.lib.http.exchange import Exchange
from servers.calls import diagnosis
from servers.calls.article_names import is_test_call_or_blind_article
from servers.calls.claim import CALL_RELATIONS, CallClaim, build_claim_request, compute_answer_deadline
from servers.calls.client import read_callback_answer_collecting_broken_rules, request_task_answer_or_next_poll
from servers.calls.models import Attempt, Call, Callback
from servers.calls.states import CallState
from servers.protocols.annotation_requests import DeferredAnswer, ServerAnswer


def get_pending_call(server_id: int) -> Call:
    """The call that the server is working on."""
    return Call.objects.select_related(*CALL_RELATIONS).get(batch__server=server_id, state=CallState.PENDING)


def has_text_changed_since_last_attempt(call: Call) -> bool:
    """Whether the article's text has changed since it was sent to the server."""
    return call.attempts.latest("number").text_version != call.article.text_version


def find_due_pending_claim(call: Call, begun: float) -> CallClaim | None:
    """The pending call with its attempt if it is due, else None. The caller has locked the server's row.

    begun: a time before the lease was renewed, by time.monotonic().
    """
    if not Call.objects.filter(pk=call.pk, state=CallState.PENDING, due__lte=Now()).exists():
        return None
    return CallClaim(call, call.attempts.latest("number"), is_test_call_or_blind_article(call), begun)


def store_call_as_pending_until_due(claim: CallClaim, deferred: DeferredAnswer, exchange: Exchange) -> None:
    """Make the call PENDING until the server calls back or should be polled, at most until its time limit.

    If the server has already called back, the call is due at once.
    """
    expires = compute_answer_deadline(claim)
    answered = Callback.objects.filter(attempt=claim.attempt).exists()
    due = Now() + timedelta(seconds=0.0 if answered else deferred.wait)
    Call.objects.filter(pk=claim.call.pk, state=claim.state).update(
        state=CallState.PENDING, task_url=deferred.task_url, expires=expires, due=Least(due, expires)
    )
    if claim.state == CallState.ASKING:
        Attempt.objects.filter(pk=claim.attempt.pk).update(
            phases=exchange.rounded_phases, request=exchange.request, answer=exchange.received
        )


def read_callback_or_poll_pending_task(claim: CallClaim, exchange: Exchange) -> ServerAnswer | DeferredAnswer:
    """The answer of the server, or when to poll it again. CallError if its task failed or the time is over."""
    callback = Callback.objects.filter(attempt=claim.attempt).first()
    request = build_claim_request(claim)
    if callback is not None:
        return read_callback_answer_collecting_broken_rules(request, callback.form, bytes(callback.body))
    seconds_left = (claim.call.expires - timezone.now()).total_seconds() if claim.call.expires else 0.0
    if not claim.call.task_url:
        raise diagnosis.diagnose_missing_callback(request.time_limit)
    if seconds_left <= 0:
        raise diagnosis.diagnose_unfinished_task(request.time_limit)
    return request_task_answer_or_next_poll(request, claim.call.task_url, seconds_left, exchange)
