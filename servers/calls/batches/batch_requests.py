"""The request for several claimed calls, and its answers: at once, or later by a task or a call-back."""

from collections.abc import Sequence
from dataclasses import replace

from bcms.lib.http.exchange import KEPT_BYTES, Exchange
from servers.calls.batches.batch_client import (
    ServerAnswers,
    read_batch_callback_answers,
    request_batch_answers,
    request_batch_task_answers,
)
from servers.calls.claim import CallClaim, build_claim_request, compute_answer_deadline
from servers.calls.client import PROTOCOLS
from servers.calls.deferred_answers.pending_calls import compute_seconds_to_poll_or_raise
from servers.calls.models import Callback
from servers.calls.queues.time_limits import compute_batch_time_limit_seconds
from servers.calls.states import CallState
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer

END_OF_HEADERS = b"\r\n\r\n"


def request_answers_of_batch(claims: Sequence[CallClaim], exchange: Exchange) -> ServerAnswers | DeferredAnswer:
    """Send the articles of the claims with one request. CallError if it fails as a whole."""
    return request_batch_answers(build_batch_requests(claims), exchange)


def read_callback_or_poll_pending_batch(
    claims: Sequence[CallClaim], exchange: Exchange
) -> ServerAnswers | DeferredAnswer:
    """The answers of the server, or when to poll it again. CallError if its task failed or the time is over."""
    requests = build_batch_requests(claims)
    callback = Callback.objects.filter(attempt=claims[0].attempt).first()
    if callback is not None:
        return read_batch_callback_answers(requests, callback.form, bytes(callback.body))
    seconds_left = compute_seconds_to_poll_or_raise(claims[0], requests[0].time_limit)
    return request_batch_task_answers(requests, claims[0].call.task_url, seconds_left, exchange)


def build_batch_requests(claims: Sequence[CallClaim]) -> list[AnnotationRequest]:
    """The request of each article as if it were sent alone, but with the time limit and the reference of all."""
    seconds, expires = compute_batch_time_limit_seconds(claim.call for claim in claims), compute_answer_deadline(claims)
    alone = map(build_claim_request, claims)
    return [replace(each, time_limit=seconds, expires=expires, reference=claims[0].attempt.pk) for each in alone]


def list_request_parts(claims: Sequence[CallClaim], exchange: Exchange) -> list[bytes]:
    """For each article, the headers of the request and what would be sent for it alone: the first 64 KiB of both.

    Nothing if no request was sent; the requests that ask for the answer to an earlier one are not kept.
    """
    if not exchange.request or claims[0].state == CallState.PENDING:
        return [b"" for _ in claims]
    headers = exchange.request.partition(END_OF_HEADERS)[0] + END_OF_HEADERS
    protocol = PROTOCOLS[claims[0].call.server.protocol]
    bodies = (protocol.build_request(request).body for request in build_batch_requests(claims))
    return [(headers + body)[:KEPT_BYTES] for body in bodies]
