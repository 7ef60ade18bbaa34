"""Check a server as the meta-server calls it: with the same requests, readers and rules."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from annotations.schema import SEVEN_KINDS, AnnotationData, BrokenRule, Kind
from bcms.lib.http.exchange import Exchange
from servers.calls.client import (
    read_callback_answer_collecting_broken_rules,
    request_answer_and_collect_broken_rules,
    request_task_answer_or_next_poll,
)
from servers.calls.diagnosis import diagnose_missing_callback, diagnose_unfinished_task
from servers.calls.errors import CallError
from servers.kit.checks.batch_check import AwaitCallback, BatchCheck, check_batch_noting_faults
from servers.kit.checks.sample_articles import SampleArticle, find_other_sample
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer, ServerAnswer

SHORTEST_BATCH_LIMIT = 1.0


@dataclass(frozen=True, slots=True)
class CheckTarget:
    """A server as it would be registered. wait_for_callback is required for servers that call back.

    secret_headers authenticate the calls; signing_secret signs them unless it is "".
    """

    url: str
    protocol: str = "bcms"
    method: str = "Annotator.getAnnotation"
    send: str = "struct"
    kinds: tuple[Kind, ...] = SEVEN_KINDS
    entity_types: tuple[str, ...] = ()
    time_limit: float = 600.0
    networks: tuple[str, ...] = ()
    key: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    wait_for_callback: AwaitCallback | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    signing_secret: str = field(default="", repr=False)
    connect_limit: float | None = None
    articles_per_request: int = 1


@dataclass(slots=True)
class ServerCheck:
    """The result for one article: an answer with its broken rules, or the diagnosis of a failed call.

    seconds is the total time and phases are its parts; "work" is the time spent waiting for a deferred answer.
    request and received are the first 64 KiB of the request and of the answer. entity_types: as registered. batch is
    the result of a request with two articles, if the server takes several and has answered the one.
    """

    sample: SampleArticle
    seconds: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    request: bytes = b""
    received: bytes = b""
    failure: str = ""
    advice: str = ""
    failure_code: str = ""
    answer: ServerAnswer | None = None
    entity_types: tuple[str, ...] = ()
    batch: BatchCheck | None = None

    def note_failure(self, error: CallError) -> None:
        self.failure, self.advice = error.diagnosis.happened, error.diagnosis.advice
        self.failure_code = error.diagnosis.code

    @property
    def broken_rules(self) -> list[BrokenRule]:
        return self.answer.broken_rules if self.answer else []

    @property
    def passed(self) -> bool:
        """Whether there is an answer that breaks no rule, also to two articles if both were sent together."""
        return self.is_answer_valid and (self.batch is None or self.batch.passed)

    @property
    def is_answer_valid(self) -> bool:
        return self.answer is not None and not self.answer.broken_rules

    @property
    def valid_annotations(self) -> list[AnnotationData]:
        """The annotations that break no rule and would be stored."""
        broken = {rule.index for rule in self.broken_rules}
        annotations = self.answer.annotations if self.answer else []
        return [annotation for index, annotation in enumerate(annotations) if index not in broken]

    @property
    def counts_by_kind(self) -> Counter[Kind]:
        return Counter(annotation.kind for annotation in self.valid_annotations)


def check_server_noting_failure(
    target: CheckTarget, sample: SampleArticle, communication_id: int = 1, batch_communication_id: int = 2
) -> ServerCheck:
    """Send the server one article and check its answer, then two if it takes several.

    The communication ids are the numbers that the call-backs for one and for two articles send back.
    """
    exchange, check = Exchange(), ServerCheck(sample, entity_types=target.entity_types)
    started = time.monotonic()
    try:
        check.answer = request_answer_with_broken_rules_in_time(
            target, build_check_request(target, sample, communication_id), exchange
        )
    except CallError as error:
        check.note_failure(error)
    check.seconds = time.monotonic() - started
    check.phases, check.request, check.received = exchange.rounded_phases, exchange.request, exchange.received
    if check.is_answer_valid and target.articles_per_request > 1:
        check.batch = _check_batch_in_remaining_time(target, check, batch_communication_id)
    return check


def _check_batch_in_remaining_time(target: CheckTarget, check: ServerCheck, communication_id: int) -> BatchCheck:
    """Send the article of the check once more, together with another sample."""
    timed = replace(target, time_limit=max(target.time_limit - check.seconds, SHORTEST_BATCH_LIMIT))
    samples = (check.sample, find_other_sample(check.sample))
    requests = [build_check_request(timed, sample, communication_id) for sample in samples]
    return check_batch_noting_faults(requests, target.wait_for_callback)


def build_check_request(target: CheckTarget, sample: SampleArticle, communication_id: int) -> AnnotationRequest:
    return AnnotationRequest(
        url=target.url,
        protocol=target.protocol,
        method=target.method,
        send=target.send,
        kinds=target.kinds,
        entity_types=target.entity_types,
        time_limit=target.time_limit,
        connect_limit=target.connect_limit,
        networks=target.networks,
        identifier=sample.identifier,
        pmid=sample.pmid,
        title=sample.title,
        abstract=sample.abstract,
        text=sample.text,
        reference=communication_id,
        key=target.key,
        parameters=target.parameters,
        expires=datetime.now(UTC) + timedelta(seconds=target.time_limit),
        secret_headers=target.secret_headers,
        signing_secret=target.signing_secret,
    )


def request_answer_with_broken_rules_in_time(
    target: CheckTarget, question: AnnotationRequest, exchange: Exchange
) -> ServerAnswer:
    """The answer, at once or deferred. Raises CallError when none comes within the time limit."""
    deadline = time.monotonic() + target.time_limit
    answer = request_answer_and_collect_broken_rules(question, exchange)
    while isinstance(answer, DeferredAnswer):
        remaining = deadline - time.monotonic()
        if not answer.task_url:
            with exchange.phase("work"):
                return await_callback_answer_or_raise(target, question, remaining)
        if answer.wait >= remaining:
            raise diagnose_unfinished_task(question.time_limit)
        with exchange.phase("work"):
            time.sleep(answer.wait)
        answer = request_task_answer_or_next_poll(question, answer.task_url, deadline - time.monotonic(), exchange)
    return answer


def await_callback_answer_or_raise(
    target: CheckTarget, question: AnnotationRequest, remaining_seconds: float
) -> ServerAnswer:
    callback = target.wait_for_callback(question.reference, remaining_seconds) if target.wait_for_callback else None
    if callback is None:
        raise diagnose_missing_callback(question.time_limit)
    return read_callback_answer_collecting_broken_rules(question, *callback)
