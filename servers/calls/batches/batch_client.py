"""Call an annotation server for several articles with one request, and validate each article's part of the answer."""

from collections.abc import Mapping, Sequence
from typing import cast

from bcms.lib.http.exchange import Exchange
from servers.calls.client import fetch_server_reply, poll_task_until_answer_or_wait, validate_parsed_answer
from servers.calls.errors import CallError
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer, ServerAnswer
from servers.protocols.batches import becalm_batches
from servers.protocols.batches.array_batches import PUBANNOTATION_BATCHES, REST_BATCHES
from servers.protocols.batches.interface import (
    AnswerPart,
    BatchAnswer,
    BatchProtocol,
    CallbackBatchProtocol,
    PollingBatchProtocol,
)

BATCH_PROTOCOLS: Mapping[str, BatchProtocol] = {
    "rest": REST_BATCHES,
    "pubannotation": PUBANNOTATION_BATCHES,
    "becalm": becalm_batches,
}
# For each article of a request, in its order: its answer with every rule that it breaks, or why there is none.
ServerAnswers = list[ServerAnswer | CallError]


def request_batch_answers(requests: Sequence[AnnotationRequest], exchange: Exchange) -> ServerAnswers | DeferredAnswer:
    """Make one attempt for all articles: their answers, or where they will be.

    requests: those of the articles, with the time limit of all. exchange records what is sent and received. Raises
    CallError, and nothing else, if the server gave no readable answer.
    """
    protocol = BATCH_PROTOCOLS[requests[0].protocol]
    outgoing = protocol.build_batch_request(requests)
    reply = fetch_server_reply(outgoing, requests[0], requests[0].time_limit, exchange)
    return _validate_unless_deferred(protocol.read_batch_reply(reply, requests), requests)


def request_batch_task_answers(
    requests: Sequence[AnnotationRequest], task_url: str, seconds_left: float, exchange: Exchange
) -> ServerAnswers | DeferredAnswer:
    """Fetch the answers of a server that has accepted the request, or when to try again.

    exchange records what is sent and received. Raises CallError if the server gave no readable answer.
    """
    protocol = cast(PollingBatchProtocol, BATCH_PROTOCOLS[requests[0].protocol])
    answer, _ = poll_task_until_answer_or_wait(
        requests[0], task_url, seconds_left, exchange, lambda reply: protocol.read_batch_task_reply(reply, requests)
    )
    return _validate_unless_deferred(answer, requests)


def read_batch_callback_answers(requests: Sequence[AnnotationRequest], body_format: str, body: bytes) -> ServerAnswers:
    """The validated answers in the body of a call-back; CallError if it cannot be read."""
    protocol = cast(CallbackBatchProtocol, BATCH_PROTOCOLS[requests[0].protocol])
    return validate_answer_parts(protocol.read_batch_callback(body_format, body, requests), requests)


def _validate_unless_deferred(
    answer: BatchAnswer | DeferredAnswer, requests: Sequence[AnnotationRequest]
) -> ServerAnswers | DeferredAnswer:
    return answer if isinstance(answer, DeferredAnswer) else validate_answer_parts(answer, requests)


def validate_answer_parts(answer: BatchAnswer, requests: Sequence[AnnotationRequest]) -> ServerAnswers:
    """Each article's part of an answer with every rule that it breaks, as if it had come alone."""
    return [
        validate_parsed_answer(part.parsed, request, part.raw) if isinstance(part, AnswerPart) else part
        for part, request in zip(answer, requests, strict=True)
    ]
