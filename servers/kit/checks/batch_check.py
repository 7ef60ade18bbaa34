"""Check whether a server answers a request with two articles, as the meta-server sends it from queues."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bcms.lib.http.exchange import Exchange
from servers.calls.batches.batch_client import (
    ServerAnswers,
    read_batch_callback_answers,
    request_batch_answers,
    request_batch_task_answers,
)
from servers.calls.diagnosis import diagnose_missing_callback, diagnose_unfinished_task
from servers.calls.errors import CallError
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer, ServerAnswer

# Waits for the call-back with this reference for so many seconds: (form, body), or None when none came.
AwaitCallback = Callable[[int, float], tuple[str, bytes] | None]


class BatchFault(NamedTuple):
    """Why an article of the request has no valid answer, or no article has one; article is then empty."""

    article: str
    code: str
    message: str
    mend: str


@dataclass(slots=True)
class BatchCheck:
    """The result of a request with these articles."""

    articles: Sequence[str]
    faults: list[BatchFault] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.faults

    def note_error(self, article: str, error: CallError) -> None:
        cause = error.diagnosis
        self.faults.append(BatchFault(article, cause.code, cause.happened, cause.advice))


def check_batch_noting_faults(
    requests: Sequence[AnnotationRequest], wait_for_callback: AwaitCallback | None = None
) -> BatchCheck:
    """Send the articles with one request, and check the part of the answer that is about each."""
    check = BatchCheck([request.identifier for request in requests])
    try:
        answers = _request_answers_in_time(requests, wait_for_callback)
    except CallError as error:
        check.note_error("", error)
        return check
    for article, answer in zip(check.articles, answers, strict=True):
        _note_fault_of_article(check, article, answer)
    return check


def _request_answers_in_time(
    requests: Sequence[AnnotationRequest], wait_for_callback: AwaitCallback | None
) -> ServerAnswers:
    """The answers, at once, by a task or a call-back. Raises CallError when none comes within the time limit."""
    exchange, deadline = Exchange(), time.monotonic() + requests[0].time_limit
    answer = request_batch_answers(requests, exchange)
    while isinstance(answer, DeferredAnswer):
        if not answer.task_url:
            return _await_callback_answers(requests, wait_for_callback, deadline - time.monotonic())
        if answer.wait >= deadline - time.monotonic():
            raise diagnose_unfinished_task(requests[0].time_limit)
        time.sleep(answer.wait)
        answer = request_batch_task_answers(requests, answer.task_url, deadline - time.monotonic(), exchange)
    return answer


def _await_callback_answers(
    requests: Sequence[AnnotationRequest], wait_for_callback: AwaitCallback | None, seconds: float
) -> ServerAnswers:
    callback = wait_for_callback(requests[0].reference, seconds) if wait_for_callback else None
    if callback is None:
        raise diagnose_missing_callback(requests[0].time_limit)
    return read_batch_callback_answers(requests, *callback)


def _note_fault_of_article(check: BatchCheck, article: str, answer: ServerAnswer | CallError) -> None:
    if isinstance(answer, CallError):
        check.note_error(article, answer)
    elif answer.broken_rules:
        rule = answer.broken_rules[0]
        check.faults.append(BatchFault(article, rule.code, f"{rule.where}: {rule.message}", rule.mend))
