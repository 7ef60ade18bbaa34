"""The serial loop: one server, one article at a time, for a slice of time under the server's lease.

claim (commit) -> ask, with nothing held -> settle: store the Results and finish the call in one commit. Every write is
fenced by the lease's token (servers/lease.py); what a lost token brings back is discarded.
"""

import logging
import time
import uuid
from collections.abc import Callable
from functools import partial

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from annotations.verification import missing_identifiers, with_accessions
from bcms.lib.http import Exchange
from servers import diagnosis, lease, lifecycle, queueing
from servers.claiming import (
    Claim,
    TooLong,
    lost_again_and_again,
    question_of,
    refuse_length,
    served,
    take_next,
)
from servers.client import Accepted, Answer, ask
from servers.errors import CallError, Stage
from servers.fairness import gives_way, over_share, somebody_waits, turn_of_team
from servers.heartbeat import heart
from servers.models import Call, Server
from servers.pending import about_older_text, answer_of, claim_pending, note_accepted, pending_call
from servers.recording import record
from servers.retry import TRIES
from servers.settling import LOST_CODE, Ending, close_finished, settle
from servers.states import IN_FLIGHT_CALLS, CallState, Outcome

SLICE_SECONDS = 20.0
SLICE_CALLS = 50
# The states of SQL in which the database ends a connection of its own accord.
DROPPED = ("08", "57P", "25P03")
STAGE_OUTCOMES = {
    Stage.CONNECTION: Outcome.CONNECTION,
    Stage.COMMUNICATION: Outcome.COMMUNICATION,
    Stage.NO_ANSWER: Outcome.NO_ANSWER,
    Stage.RESULT: Outcome.INVALID,
}
LOST_MESSAGE = (
    f"The worker that asked ended {TRIES} times running before an answer was stored. This is a fault of the "
    "meta-server, perhaps on just this answer; it costs you no try."
)
LOST_REASON = "The worker that asked ended before the answer came; the article is asked again."
OLDER_TEXT_REASON = "The article's text changed while the server worked on it; the present text is sent."
OUR_FAULT = "This is a fault of the meta-server, not of yours; it has been logged and costs you no try."
log = logging.getLogger(__name__)


def serve(server_id: int, stopping: Callable[[], bool] = lambda: False) -> str:
    """Ask one server for a slice of time; says how the slice ended: busy, waits, idle, more or lost.

    As long as no other server waits for a place, one slice follows the other. stopping is looked at between calls: a
    worker that shuts down ends the slice early. A server that waits for its
    team's share, or gives way to another of its team, is woken by the sweep.
    """
    with turn_of_team(server_id):
        if over_share(server_id):
            return "waits"
        token = lease.take(server_id)
    if token is None:
        return "busy"
    try:
        with heart.alive(token):
            word = run_slice(server_id, token, stopping)
            while word == "more" and not stopping() and not somebody_waits():
                word = run_slice(server_id, token, stopping)
    except lease.LeaseLostError:
        word = "lost"
    except (OperationalError, InterfaceError):
        # The lease is given back on a new connection.
        connection.close()
        raise
    finally:
        lease.release(token)
        lifecycle.settle_halting(server_id)
    if word == "more" and not gives_way(server_id):
        queueing.wake(server_id)
    return word


def run_slice(server_id: int, token: uuid.UUID, stopping: Callable[[], bool]) -> str:
    with lease.held(token):
        pending = left_over(server_id)
    if pending is not None and not follow_up(pending, token):
        return "idle"
    server = served(server_id)
    until = time.monotonic() + SLICE_SECONDS
    for _ in range(SLICE_CALLS):
        if stopping() or time.monotonic() >= until:
            break
        if not step(server, token):
            return "idle"
    return "more"


def left_over(server_id: int) -> Call | None:
    """What the server works on for us still; what a worker asked that has ended waits again."""
    in_flight = Call.objects.filter(server_id=server_id, state__in=sorted(IN_FLIGHT_CALLS))
    state = in_flight.values_list("state", flat=True).first()
    if state == CallState.PENDING:
        return pending_call(server_id)
    if state is not None:
        lifecycle.give_back_calls(server_id, Outcome.LOST, LOST_REASON)
    return None


def step(server: Server, token: uuid.UUID) -> bool:
    """Ask for the next article that is due; False when there is none, or when its answer is to come later."""
    claim = take_next(server, token)
    if claim is None or isinstance(claim, TooLong):
        with lease.held(token):
            if claim is None:
                close_finished(server)
                return False
            refuse_length(claim.call)
            return True
    if lost_again_and_again(claim):
        conclude(claim, token, Exchange(), our_fault(LOST_CODE, LOST_MESSAGE))
        return True
    return carry_out(claim, token, partial(ask_for, token=token))


def follow_up(call: Call, token: uuid.UUID) -> bool:
    """Go on with an article that the server works on; False when the server is still at it."""
    with lease.held(token):
        if about_older_text(call):
            lifecycle.give_back_calls(call.server_id, Outcome.LOST, OLDER_TEXT_REASON, [CallState.PENDING])
            return True
        claim = claim_pending(call)
    return claim is not None and carry_out(claim, token, answer_of)


def carry_out(claim: Claim, token: uuid.UUID, get_answer: Callable[[Claim, Exchange], Answer | Accepted]) -> bool:
    """Get an answer and settle what came of it; False when it is to come later."""
    exchange = Exchange()
    with heart.watching(token, exchange):
        ending = attempted(claim, exchange, get_answer)
    try:
        conclude(claim, token, exchange, ending)
    except lease.LeaseLostError:
        raise
    except Exception as error:
        if dropped_us(error):
            # Once more on a new connection; what was committed all the same is not stored again.
            connection.close()
            conclude(claim, token, exchange, ending)
        else:
            # An answer that cannot be stored must not be asked for again and again without a wait.
            log.exception("what came of call %s could not be stored", claim.call.pk)
            ending = our_fault()
            conclude(claim, token, exchange, ending)
    return isinstance(ending, Ending)


def dropped_us(error: Exception) -> bool:
    """Whether it is the connection to the database that broke, and not what was done there that failed."""
    code = getattr(error.__cause__, "pgcode", None)
    return isinstance(error, (OperationalError, InterfaceError)) if code is None else code.startswith(DROPPED)


def conclude(claim: Claim, token: uuid.UUID, exchange: Exchange, ending: Ending | Accepted) -> None:
    with lease.held(token):
        if isinstance(ending, Accepted):
            note_accepted(claim, ending, exchange)
        else:
            record(claim, exchange, ending)
            settle(claim.call, ending, last=not claim.more)


def ask_for(claim: Claim, exchange: Exchange, token: uuid.UUID) -> Answer | Accepted:
    question = question_of(claim)
    if long_since(claim):
        # A process that was frozen since: somebody else may ask by now.
        with lease.held(token):
            pass
    return ask(question, exchange)


def long_since(claim: Claim) -> bool:
    return time.monotonic() - claim.taken > lease.term().total_seconds() / 2


def attempted(
    claim: Claim, exchange: Exchange, get_answer: Callable[[Claim, Exchange], Answer | Accepted]
) -> Ending | Accepted:
    """Get an answer and judge it; every failure, theirs or ours, becomes an ending."""
    started = time.monotonic()
    try:
        answer = get_answer(claim, exchange)
        if isinstance(answer, Accepted):
            return answer
        ending = judged(answer)
    except CallError as error:
        outcome = STAGE_OUTCOMES[error.diagnosis.stage]
        ending = Ending(outcome, code=error.diagnosis.code, message=str(error))
    except lease.LeaseLostError:
        raise
    except Exception:
        log.exception("call %s could not be asked through a fault of ours", claim.call.pk)
        ending = our_fault()
    ending.seconds = time.monotonic() - started
    if claim.state == CallState.PENDING:
        ending.seconds = (timezone.now() - claim.attempt.started).total_seconds()
    return ending


def our_fault(code: str = "our-fault", message: str = OUR_FAULT) -> Ending:
    return Ending(Outcome.OUR_FAULT, code=code, message=message)


def judged(answer: Answer) -> Ending:
    broken = [*with_accessions(answer.broken, answer.findings), *missing_identifiers(answer.findings)]
    if broken:
        found = diagnosis.result(broken)
        message = f"{found.happened} {found.advice}"
        return Ending(Outcome.INVALID, code=found.code, message=message, answer=answer, broken=broken)
    outcome = Outcome.ANSWERED if answer.findings else Outcome.EMPTY
    return Ending(outcome, message=" ".join(answer.notes), answer=answer)
