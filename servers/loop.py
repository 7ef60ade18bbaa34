"""The serial loop: one server, one article at a time, for a slice of time under the server's lease.

claim (commit) -> ask, with nothing held -> settle: store the Results and finish the call in one commit. Every write is
fenced by the lease's token (servers/lease.py); what a lost token brings back is discarded.
"""

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models.functions import Now

from annotations.models import Article
from annotations.storing import announce
from annotations.verification import missing_identifiers
from bcms.lib.http import Exchange
from servers import diagnosis, lease, lifecycle, queueing
from servers.client import Answer, Question, ask
from servers.errors import CallError, Stage
from servers.heartbeat import heart
from servers.models import Attempt, Call
from servers.settling import Ending, settle
from servers.states import CallState, Outcome, QueueMode, ServerState

SLICE_SECONDS = 20.0
SLICE_CALLS = 50
STAGE_OUTCOMES = {
    Stage.CONNECTION: Outcome.CONNECTION,
    Stage.COMMUNICATION: Outcome.COMMUNICATION,
    Stage.NO_ANSWER: Outcome.NO_ANSWER,
    Stage.RESULT: Outcome.INVALID,
}
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that is ours to ask, and the attempt that records it."""

    call: Call
    attempt_id: int

    @property
    def article(self) -> Article:
        return self.call.article


def serve(server_id: int, stopping: Callable[[], bool] = lambda: False) -> str:
    """Ask one server for a slice of time; says how the slice ended: busy, idle, more or lost.

    stopping is looked at between calls: a worker that shuts down ends the slice early.
    """
    token = lease.take(server_id)
    if token is None:
        return "busy"
    try:
        with heart.alive(token):
            word = run_slice(server_id, token, stopping)
    except lease.LeaseLostError:
        word = "lost"
    finally:
        lease.release(token)
        lifecycle.settle_halting(server_id)
    if word == "more":
        queueing.wake(server_id)
    return word


def run_slice(server_id: int, token: uuid.UUID, stopping: Callable[[], bool]) -> str:
    with lease.held(token):
        lifecycle.give_back_calls(
            server_id, Outcome.LOST, "The worker that asked ended before the answer came; the article is asked again."
        )
    until = time.monotonic() + SLICE_SECONDS
    for _ in range(SLICE_CALLS):
        if stopping() or time.monotonic() >= until:
            break
        if not step(server_id, token):
            return "idle"
    return "more"


def step(server_id: int, token: uuid.UUID) -> bool:
    """Ask for the next article that is due; False when there is none."""
    claim = claim_next(server_id, token)
    if claim is None:
        return False
    exchange = Exchange()
    with heart.watching(token, exchange):
        ending = ask_for(claim, exchange)
    try:
        conclude(claim, token, exchange, ending)
    except lease.LeaseLostError:
        raise
    except Exception:
        # An answer that cannot be stored must not be asked for again and again without a wait.
        log.exception("what came of call %s could not be stored", claim.call.pk)
        conclude(claim, token, exchange, our_fault())
    return True


def conclude(claim: Claim, token: uuid.UUID, exchange: Exchange, ending: Ending) -> None:
    with lease.held(token):
        record(claim, exchange, ending)
        settle(claim.call, ending)


def claim_next(server_id: int, token: uuid.UUID) -> Claim | None:
    """Take the next due call by one conditional UPDATE and write down the attempt before the network is touched."""
    with lease.held(token):
        due = Call.objects.filter(queueing.runnable(), server_id=server_id, server__state=ServerState.ONLINE)
        call = due.select_related("queue__producer", "server", "article").order_by("priority", "due", "pk").first()
        if call is None:
            return None
        taken = Call.objects.filter(pk=call.pk, state=CallState.WAITING).update(state=CallState.ASKING, reason="")
        if not taken:
            return None
        attempt = Attempt.objects.create(call=call, server=call.server, number=call.attempts.count() + 1)
        announce(call.article_id)
        return Claim(call, attempt.pk)


def question_of(call: Call) -> Question:
    """What is sent: in a test, and of an article of any blind corpus, the opaque id and never the PMID."""
    server, article = call.server, call.article
    blind = call.queue.mode == QueueMode.TEST or article.corpora.filter(blind=True).exists()
    return Question(
        url=server.url,
        protocol=server.protocol,
        method=server.method,
        send=server.send,
        kinds=server.registered_kinds,
        time_limit=float(min(server.time_limit, settings.MINUTES_PER_CALL * 60)),
        networks=settings.ALLOWED_NETWORKS,
        identifier=article.opaque if blind or not article.pmid else str(article.pmid),
        pmid=None if blind else article.pmid,
        title=article.title,
        abstract=article.abstract,
        text=article.text,
    )


def ask_for(claim: Claim, exchange: Exchange) -> Ending:
    """Ask and judge the answer; every failure, theirs or ours, becomes an ending."""
    started = time.monotonic()
    try:
        answer = ask(question_of(claim.call), exchange)
        ending = judged(answer)
    except CallError as error:
        outcome = STAGE_OUTCOMES[error.diagnosis.stage]
        ending = Ending(outcome, code=error.diagnosis.code, message=str(error))
    except Exception:
        log.exception("call %s could not be asked through a fault of ours", claim.call.pk)
        ending = our_fault()
    ending.seconds = time.monotonic() - started
    return ending


def our_fault() -> Ending:
    return Ending(
        Outcome.OUR_FAULT,
        code="our-fault",
        message="This is a fault of the meta-server, not of yours; it has been logged and costs you no try.",
    )


def judged(answer: Answer) -> Ending:
    broken = [*answer.broken, *missing_identifiers(answer.findings)]
    if broken:
        found = diagnosis.result(broken)
        message = f"{found.happened} {found.advice}"
        return Ending(Outcome.INVALID, code=found.code, message=message, answer=answer, broken=broken)
    outcome = Outcome.ANSWERED if answer.findings else Outcome.EMPTY
    return Ending(outcome, message=" ".join(answer.notes), answer=answer)


def record(claim: Claim, exchange: Exchange, ending: Ending) -> None:
    """Overwrite the attempt with how it went."""
    Attempt.objects.filter(pk=claim.attempt_id).update(
        finished=Now(),
        outcome=ending.outcome,
        phases={phase: round(seconds, 6) for phase, seconds in exchange.phases.items()},
        diagnosis=ending.code,
        message=ending.message,
        broken_rules=[
            {"code": rule.code, "where": rule.where, "message": rule.message, "mend": rule.mend}
            for rule in ending.broken[:100]
        ],
        request=exchange.request,
        answer=exchange.received,
    )
