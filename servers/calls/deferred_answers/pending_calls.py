"""Calls that a server has accepted and will answer later; no thread waits for them.

A call is PENDING from the acceptance on. It is due when the server's task should be polled, when the server has called
back, or when its time limit is over. The server's loop continues it before any other call.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models.functions import Least, Now
from django.utils import timezone

from bcms.lib.http.exchange import KEPT_BYTES, Exchange
from servers.calls import diagnosis
from servers.calls.article_names import is_test_call_or_blind_article
from servers.calls.attempt_bodies import store_attempt_body
from servers.calls.claim import CALL_RELATIONS, CallClaim, build_claim_request, compute_answer_deadline
from servers.calls.client import (
    can_answer_later,
    read_callback_answer_collecting_broken_rules,
    request_task_answer_or_next_poll,
)
from servers.calls.leases.lost_calls import LOST_REASON
from servers.calls.models import Attempt, Call, Callback
from servers.calls.states import CallState
from servers.protocols.annotation_requests import DeferredAnswer, ServerAnswer

OLDER_TEXT_REASON = "The article's text changed while the server worked on it. The current text will be sent."
OLDER_TEXT_OF_BATCH_REASON = (
    "The text of an article of the same request changed while the server worked on it. The articles will be sent again "
    "with their current texts."
)
OTHER_PROTOCOL_REASON = "The server's protocol was changed while it worked on the request, which will be sent again."


def list_pending_calls(server_id: int) -> list[Call]:
    """The calls that the server is working on: those of one request."""
    pending = Call.objects.filter(batch__server=server_id, state=CallState.PENDING)
    return list(pending.select_related(*CALL_RELATIONS))


def build_pending_claims(pending_calls: Sequence[Call], begun: float) -> list[CallClaim]:
    """The pending calls of one request with their attempts, in the order in which they were claimed.

    begun: a time before the lease was renewed, by time.monotonic().
    """
    latest = Attempt.objects.filter(call__in=pending_calls).order_by("call", "-number").distinct("call")
    attempts = {attempt.call_id: attempt for attempt in latest}
    claims = [CallClaim(call, attempts[call.pk], is_test_call_or_blind_article(call), begun) for call in pending_calls]
    return sorted(claims, key=lambda claim: claim.attempt.pk)


def explain_why_to_send_again(claims: Sequence[CallClaim]) -> str:
    """Why the articles of an accepted request have to be sent again, "" if its answer can be used.

    The answer cannot be used if one of the texts has changed, if a worker crashed while it stored the answers, or if
    the server is now registered for a protocol in which there is no such answer.
    """
    call = claims[0].call
    if not can_answer_later(call.server.protocol, call.task_url):
        return OTHER_PROTOCOL_REASON
    if any(claim.attempt.text_version != claim.article.text_version for claim in claims):
        return OLDER_TEXT_REASON if len(claims) == 1 else OLDER_TEXT_OF_BATCH_REASON
    return LOST_REASON if len(claims) < claims[0].attempt.articles_in_request else ""


def is_pending_request_due(claims: Sequence[CallClaim]) -> bool:
    """Whether to poll now, or the answer is here, or the time is over. The caller has locked the server's row."""
    return Call.objects.filter(pk=claims[0].call.pk, state=CallState.PENDING, due__lte=Now()).exists()


def store_calls_as_pending_until_due(
    claims: Sequence[CallClaim], deferred: DeferredAnswer, exchange: Exchange, attempt_requests: Sequence[bytes]
) -> None:
    """Make the calls of one request PENDING until the server calls back or should be polled, at most until their time
    limit.

    If the server has already called back, they are due at once. attempt_requests: for each call, what was sent of it.
    """
    expires = compute_answer_deadline(claims)
    answered = Callback.objects.filter(attempt=claims[0].attempt).exists()
    due = Now() + timedelta(seconds=0.0 if answered else deferred.wait)
    Call.objects.filter(pk__in=[claim.call.pk for claim in claims], state=claims[0].state).update(
        state=CallState.PENDING, task_url=deferred.task_url, expires=expires, due=Least(due, expires)
    )
    if claims[0].state == CallState.ASKING:
        for claim, request in zip(claims, attempt_requests, strict=True):
            same = Attempt.objects.filter(pk=claim.attempt.pk, started=claim.attempt.started)
            same.update(phases=exchange.rounded_phases)
            store_attempt_body(claim.attempt, request, exchange.received[: KEPT_BYTES // len(claims)])


def read_callback_or_poll_pending_task(claim: CallClaim, exchange: Exchange) -> ServerAnswer | DeferredAnswer:
    """The answer of the server, or when to poll it again. CallError if its task failed or the time is over."""
    callback = Callback.objects.filter(attempt=claim.attempt).first()
    request = build_claim_request(claim)
    if callback is not None:
        return read_callback_answer_collecting_broken_rules(request, callback.form, bytes(callback.body))
    seconds_left = compute_seconds_to_poll_or_raise(claim, request.time_limit)
    return request_task_answer_or_next_poll(request, claim.call.task_url, seconds_left, exchange)


def compute_seconds_to_poll_or_raise(claim: CallClaim, time_limit: float) -> float:
    """The seconds that are left for polling; CallError if there is nothing to poll or no time left."""
    seconds_left = (claim.call.expires - timezone.now()).total_seconds() if claim.call.expires else 0.0
    if not claim.call.task_url:
        raise diagnosis.diagnose_missing_callback(time_limit)
    if seconds_left <= 0:
        raise diagnosis.diagnose_unfinished_task(time_limit)
    return seconds_left
