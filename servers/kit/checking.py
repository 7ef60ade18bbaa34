"""Try a server as the meta-server does: the same request, the same reading, the same rules."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from annotations.kinds import BrokenRule, Finding, Kind
from bcms.lib.http import Exchange
from servers.client import Accepted, Answer, Question, ask, follow, read
from servers.diagnosis import no_answer
from servers.errors import CallError
from servers.kit.samples import Sample

# What a call-back brings: its form and its body; None when the time is over.
Await = Callable[[int, float], tuple[str, bytes] | None]


@dataclass(frozen=True, slots=True)
class Target:
    """The server as it would be registered. wait_for_callback is given for servers that call back."""

    url: str
    protocol: str = "bcms"
    method: str = "Annotator.getAnnotation"
    send: str = "struct"
    kinds: tuple[Kind, ...] = tuple(Kind)
    time_limit: float = 600.0
    networks: tuple[str, ...] = ()
    key: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    wait_for_callback: Await | None = None


@dataclass(slots=True)
class Check:
    """What came of one article: an answer with the rules that it breaks, or the diagnosis of a failed call.

    seconds is the whole time, phases its parts, of which work is the waiting for an answer that comes later.
    request and received are the first 64 KiB that went over the wire.
    """

    sample: Sample
    seconds: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    request: bytes = b""
    received: bytes = b""
    failure: str = ""
    advice: str = ""
    code: str = ""
    answer: Answer | None = None

    @property
    def broken(self) -> list[BrokenRule]:
        return self.answer.broken if self.answer else []

    @property
    def passed(self) -> bool:
        """Whether there is an answer, and every rule holds in it."""
        return self.answer is not None and not self.answer.broken

    @property
    def kept(self) -> list[Finding]:
        """What would be stored: the findings that break no rule."""
        bad = {rule.index for rule in self.broken}
        found = self.answer.findings if self.answer else []
        return [finding for index, finding in enumerate(found) if index not in bad]

    @property
    def counts(self) -> Counter[Kind]:
        return Counter(finding.kind for finding in self.kept)


def check(target: Target, sample: Sample, reference: int = 1) -> Check:
    """Ask the server for one article and judge its answer; reference is what a server that calls back names."""
    exchange, found = Exchange(), Check(sample)
    started = time.monotonic()
    try:
        found.answer = answer_of(target, question_of(target, sample, reference), exchange)
    except CallError as error:
        found.failure, found.advice = error.diagnosis.happened, error.diagnosis.advice
        found.code = error.diagnosis.code
    found.seconds = time.monotonic() - started
    found.phases, found.request, found.received = exchange.rounded_phases, exchange.request, exchange.received
    return found


def question_of(target: Target, sample: Sample, reference: int) -> Question:
    return Question(
        url=target.url,
        protocol=target.protocol,
        method=target.method,
        send=target.send,
        kinds=target.kinds,
        time_limit=target.time_limit,
        networks=target.networks,
        identifier=sample.identifier,
        pmid=sample.pmid,
        title=sample.title,
        abstract=sample.abstract,
        text=sample.text,
        reference=reference,
        key=target.key,
        parameters=target.parameters,
        expires=datetime.now(UTC) + timedelta(seconds=target.time_limit),
    )


def answer_of(target: Target, question: Question, exchange: Exchange) -> Answer:
    """The answer, however late it comes within the time limit."""
    until = time.monotonic() + target.time_limit
    said = ask(question, exchange)
    while isinstance(said, Accepted):
        left = until - time.monotonic()
        if not said.task_url:
            with exchange.phase("work"):
                return called_back(target, question, left)
        if said.wait >= left:
            raise no_answer(question.time_limit)
        with exchange.phase("work"):
            time.sleep(said.wait)
        said = follow(question, said.task_url, until - time.monotonic(), exchange)
    return said


def called_back(target: Target, question: Question, left: float) -> Answer:
    brought = target.wait_for_callback(question.reference, left) if target.wait_for_callback else None
    if brought is None:
        raise no_answer(question.time_limit)
    return read(question, *brought)
