"""End a call after an attempt, with or without results, or let it wait again. The caller holds the server's lease."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from annotations.results.storage import store_results
from annotations.schema import AnnotationData, BrokenRule, Kind
from servers.availability.downtimes import store_system_version
from servers.calls.models import Call
from servers.calls.queues.closing import close_queue_if_finished
from servers.calls.states import CALL_EDGES, CallState, Outcome, QueueMode
from servers.protocols.annotation_requests import ServerAnswer
from servers.registry.models import Server
from servers.registry.states import list_states_before

CAPPED_KINDS = (Kind.NORMALIZATION, Kind.PAIR)
TEST_CAP = 250
END_CALL = """
UPDATE servers_call SET state = %s, reason = %s, finished = statement_timestamp(), tries = tries + %s
WHERE id = %s AND state = ANY(%s)
"""


@dataclass(slots=True)
class AttemptEnding:
    """How an attempt ended: code and message are for the server's team, seconds is its whole duration."""

    outcome: Outcome
    code: str = ""
    message: str = ""
    answer: ServerAnswer | None = None
    broken: list[BrokenRule] = field(default_factory=list)
    seconds: float = 0.0


def filter_valid_annotations(ending: AttemptEnding) -> list[AnnotationData]:
    """The annotations of the answer that break no rule; none without an answer."""
    if ending.answer is None:
        return []
    invalid = {rule.index for rule in ending.broken}
    return [annotation for index, annotation in enumerate(ending.answer.annotations) if index not in invalid]


def finish_call_with_results(call: Call, ending: AttemptEnding, *, empty_reason: str = "") -> None:
    """Store a Result for every registered kind of the server and end the call as ANSWERED or EMPTY."""
    annotations = filter_valid_annotations(ending)
    by_kind = {
        kind: select_capped_annotations(kind, annotations, QueueMode(call.queue.mode))
        for kind in call.server.registered_kinds
    }
    state = CallState.ANSWERED if any(by_kind.values()) else CallState.EMPTY
    if not end_call(call, state, ending.message if ending.broken or empty_reason else "", tried=True):
        return
    store_system_version(call.server, ending.answer.stated_version if ending.answer else "")
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


def end_call_unasked(call: Call, code: str, reason: str) -> bool:
    """End a waiting call without a request, with an empty Result of every kind; False if the call does not wait.

    code is stored in the Results, reason is the message for the team.
    """
    if not end_call(call, CallState.EMPTY, reason, tried=False):
        return False
    empty: dict[Kind, list[AnnotationData]] = {kind: [] for kind in call.server.registered_kinds}
    store_results(call.article, call.queue.producer, empty, call=call.pk, empty_reason=code)
    close_queue_if_finished(call.queue)
    return True


def select_capped_annotations(
    kind: Kind, annotations: Sequence[AnnotationData], mode: QueueMode
) -> list[AnnotationData]:
    """The annotations of one kind; in a TEST queue at most 250 of a capped kind, the best by rank, then confidence."""
    of_kind = [annotation for annotation in annotations if annotation.kind == kind]
    if mode != QueueMode.TEST or kind not in CAPPED_KINDS or len(of_kind) <= TEST_CAP:
        return of_kind
    return sorted(of_kind, key=lambda each: (each.rank is None, each.rank or 0, -(each.confidence or 0.0)))[:TEST_CAP]


def end_call(call: Call, state: CallState, reason: str, *, tried: bool) -> bool:
    """Move the call to a final state; False if its current state does not allow it. tried: count another try."""
    with connection.cursor() as cursor:
        edges = [before.value for before in list_states_before(state, CALL_EDGES)]
        cursor.execute(END_CALL, [state.value, reason, int(tried), call.pk, edges])
        return bool(cursor.rowcount)


def schedule_next_try(call: Call, wait: timedelta | None, reason: str, *, counts: bool) -> None:
    """Let the call wait for another try; wait None keeps its position. counts: whether the last one counts as a try."""
    due = F("due") if wait is None else Now() + wait
    Call.objects.filter(pk=call.pk, state__in=list_states_before(CallState.WAITING, CALL_EDGES)).update(
        state=CallState.WAITING, due=due, reason=reason, tries=F("tries") + int(counts)
    )
