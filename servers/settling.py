"""What an ended try does to its call, its queue and its server; the caller holds the lease's transaction."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from random import random

from django.db import connection
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from annotations.kinds import BrokenRule, Finding, Kind
from annotations.storing import store_results
from servers import lifecycle, retry
from servers.availability.observing import note_outcome, note_version
from servers.client import Answer
from servers.models import Call, Queue, Server
from servers.states import CALL_EDGES, CallState, Outcome, QueueMode, QueueState, ServerState, leading_to
from servers.telling import notices
from servers.topics import Happening

CAPPED_KINDS = (Kind.NORMALIZATION, Kind.PAIR)
TEST_CAP = 250
LOST_CODE = "workers-lost"
# What the loop counts of its server in a row.
COUNTS = ("failures_running", "misses", "unreachable_since", "strikes", "struck_since")
END = """
UPDATE servers_call SET state = %s, reason = %s, finished = statement_timestamp(), tries = tries + %s
WHERE id = %s AND state = ANY(%s)
"""
CLOSE = """
UPDATE servers_queue SET state = 'done'
WHERE id = %s AND state = 'running' AND NOT EXISTS (
    SELECT FROM servers_call WHERE queue_id = servers_queue.id AND state IN ('waiting', 'asking', 'pending')
)
"""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Ending:
    """How one try ended: code and message are for the server's team, seconds is the whole try."""

    outcome: Outcome
    code: str = ""
    message: str = ""
    answer: Answer | None = None
    broken: list[BrokenRule] = field(default_factory=list)
    seconds: float = 0.0


def settle(call: Call, ending: Ending, *, last: bool = True) -> None:
    """Finish the call or let it wait again, as servers/retry.py decides; its queue ends with it if it is the last."""
    good = ending.outcome in (Outcome.ANSWERED, Outcome.EMPTY)
    untroubled = good and not any(getattr(call.server, name) for name in COUNTS)
    if good:
        finish_with_results(call, ending)
    else:
        follow(call, ending)
    note_reachability(call, ending)
    note_outcome(call.server, ending.outcome)
    if last:
        close_if_finished(call.queue)
    if not untroubled:
        call.server.refresh_from_db(fields=COUNTS)


def close_if_finished(queue: Queue) -> None:
    with connection.cursor() as cursor:
        cursor.execute(CLOSE, [queue.pk])
        closed = cursor.rowcount
    if closed and Queue.objects.filter(pk=queue.pk, end_is_news=True).update(end_is_news=False):
        notices.note(queue.server_id, Happening.QUEUE_DONE, queue=queue)


def close_finished(server: Server) -> None:
    """Close what ended otherwise than with its last call: a team may have cleared what waited behind it."""
    for queue in server.queues.all():
        if queue.state == QueueState.RUNNING:
            close_if_finished(queue)


def decided(call: Call, outcome: Outcome, code: str) -> retry.Decision:
    mode = QueueMode(call.queue.mode)
    if outcome != Outcome.OUR_FAULT:
        most = call.queue.tries or retry.TRIES
        return retry.decide(mode, call.tries, outcome, misses=call.server.misses + 1, most=most)
    decision = retry.after_our_fault(mode, faults_of(call, code))
    if decision.next != retry.Next.TRY_AGAIN:
        log.error("call %s was never settled through faults of ours: %s", call.pk, decision.next)
    return decision


def faults_of(call: Call, code: str) -> int:
    """How often we failed with this call; workers that ended with it have tried it often enough already."""
    return retry.TRIES if code == LOST_CODE else call.attempts.filter(outcome=Outcome.OUR_FAULT).count()


def follow(call: Call, ending: Ending) -> None:
    decision = decided(call, ending.outcome, ending.code)
    match decision.next:
        case retry.Next.TRY_AGAIN:
            wait_again(call, retry.spread(decision.wait, random()), ending.message, counts=decision.counts)
        case retry.Next.STOP:
            stop(call, ending, counts=decision.counts)
        case retry.Next.REST:
            wait_again(call, decision.wait, ending.message, counts=decision.counts)
            rest(call, ending, decision.wait)
        case retry.Next.STORE_VALID if ending.answer is not None:
            finish_with_results(call, ending)
        case retry.Next.STORE_EMPTY:
            finish_with_results(call, ending, empty_reason=ending.code or ending.outcome)
        case retry.Next.STORE_VALID if call.queue.mode == QueueMode.TEST:
            # The answer is of another article: of this one there is none, and in a test it is not asked for again.
            finish_with_results(call, ending, empty_reason=ending.code)
        case retry.Next.STORE_VALID | retry.Next.GIVE_UP:
            give_up(call, ending, counts=decision.counts)


def give_up(call: Call, ending: Ending, *, counts: bool) -> None:
    end(call, CallState.FAILED, ending.message, tried=counts)
    notices.note(call.server_id, Happening.ARTICLE_FAILED, queue=call.queue, call=call, reason=ending.message)
    if counts:
        count_failure(call.server)


def valid_findings(ending: Ending) -> list[Finding]:
    if ending.answer is None:
        return []
    bad = {rule.index for rule in ending.broken}
    return [finding for index, finding in enumerate(ending.answer.findings) if index not in bad]


def finish_with_results(call: Call, ending: Ending, *, empty_reason: str = "") -> None:
    """Store a Result for every kind that the server is registered for and finish the call."""
    findings = valid_findings(ending)
    by_kind = {kind: kept(kind, findings, QueueMode(call.queue.mode)) for kind in call.server.registered_kinds}
    state = CallState.ANSWERED if any(by_kind.values()) else CallState.EMPTY
    if not end(call, state, ending.message if ending.broken or empty_reason else "", tried=True):
        return
    note_version(call.server, ending.answer.stated_version if ending.answer else "")
    # It tells the article's pages too.
    store_results(
        call.article,
        call.queue.producer,
        by_kind,
        call=call.pk,
        reply=ending.answer.raw if ending.answer else None,
        duration=ending.seconds,
        stated_version=call.server.stated_version,
        empty_reason=empty_reason,
    )
    if call.server.failures_running:
        Server.objects.filter(pk=call.server_id).update(failures_running=0)


def pass_over(call: Call, code: str, reason: str) -> bool:
    """End a waiting call without asking, with an empty Result of every kind that says why."""
    if not end(call, CallState.EMPTY, reason, tried=False):
        return False
    empty: dict[Kind, list[Finding]] = {kind: [] for kind in call.server.registered_kinds}
    store_results(call.article, call.queue.producer, empty, call=call.pk, empty_reason=code)
    close_if_finished(call.queue)
    return True


def kept(kind: Kind, findings: Sequence[Finding], mode: QueueMode) -> list[Finding]:
    """The findings of one kind; in a TEST queue at most 250 of the capped kinds, the best by rank, then confidence."""
    mine = [finding for finding in findings if finding.kind == kind]
    if mode != QueueMode.TEST or kind not in CAPPED_KINDS or len(mine) <= TEST_CAP:
        return mine
    best = sorted(mine, key=lambda f: (f.rank is None, f.rank or 0, -(f.confidence or 0.0)))
    return best[:TEST_CAP]


def end(call: Call, state: CallState, reason: str, *, tried: bool) -> bool:
    with connection.cursor() as cursor:
        edges = [before.value for before in leading_to(state, CALL_EDGES)]
        cursor.execute(END, [state.value, reason, int(tried), call.pk, edges])
        return bool(cursor.rowcount)


def wait_again(call: Call, wait: timedelta | None, reason: str, *, counts: bool) -> None:
    """None keeps the article's place in the queue."""
    due = F("due") if wait is None else Now() + wait
    Call.objects.filter(pk=call.pk, state__in=leading_to(CallState.WAITING, CALL_EDGES)).update(
        state=CallState.WAITING, due=due, reason=reason, tries=F("tries") + int(counts)
    )


def stop(call: Call, ending: Ending, *, counts: bool) -> None:
    """The team decides how to go on; the article keeps its place, so that it is the next one whatever happens."""
    wait_again(call, None, ending.message, counts=counts)
    Queue.objects.filter(pk=call.queue_id, state=QueueState.RUNNING).update(state=QueueState.STOPPED, stopped_on=call)
    notices.note(call.server_id, Happening.QUEUE_STOPPED, queue=call.queue, call=call, reason=ending.message)


def rest(call: Call, ending: Ending, wait: timedelta) -> None:
    """The server cannot be reached: its queues rest, and one article probes it when the rest is over."""
    awake = Queue.objects.filter(server=call.server_id, state__in=[QueueState.RUNNING, QueueState.RESTING])
    awake.exclude(mode=QueueMode.TEST).update(state=QueueState.RESTING, rest_until=Now() + wait)
    if call.server.misses + 1 == retry.MISSES:
        notices.note(call.server_id, Happening.SERVER_UNREACHED, reason=ending.message)


def note_reachability(call: Call, ending: Ending) -> None:
    if ending.outcome == Outcome.OUR_FAULT:
        return
    if ending.outcome != Outcome.CONNECTION:
        note_reached(call.server)
        return
    Server.objects.filter(pk=call.server_id).update(
        misses=F("misses") + 1, unreachable_since=Coalesce("unreachable_since", Now())
    )
    gone = Q(unreachable_since__lt=Now() - retry.UNREACHABLE)
    if Server.objects.filter(gone, pk=call.server_id).exists():
        lifecycle.change_state(call.server_id, ServerState.FAIL, f"not reached for 24 hours: {ending.message}")


def note_reached(server: Server) -> None:
    """Nobody but the loop counts misses: when it knows of none, there is nothing to take back."""
    if not server.misses and server.unreachable_since is None:
        return
    Server.objects.filter(pk=server.pk).update(unreachable_since=None, misses=0)
    Queue.objects.filter(server=server, state=QueueState.RESTING).update(state=QueueState.RUNNING, rest_until=None)


def count_failure(server: Server) -> None:
    Server.objects.filter(pk=server.pk).update(failures_running=F("failures_running") + 1)
    if Server.objects.filter(pk=server.pk, failures_running__gte=retry.FAILURES_RUNNING).exists():
        lifecycle.change_state(
            server.pk, ServerState.FAIL, f"{retry.FAILURES_RUNNING} articles in a row ended as failed"
        )
