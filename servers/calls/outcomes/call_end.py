"""End a call after an attempt, with or without results, or let it wait again. The caller holds the server's lease."""

from dataclasses import dataclass, field
from datetime import timedelta

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, BrokenRule, Kind
from bcms.lib.prepared_statements import PreparedStatement
from bcms.lib.text import replace_unstorable_characters
from servers.availability.downtimes import store_nonempty_reported_version_if_changed
from servers.calls.batches.batch_end import end_batch_without_calls_in_flight
from servers.calls.models import Call
from servers.calls.outcomes.result_caps import select_annotations_capped_in_tests
from servers.calls.queues.closing import close_finished_queue_and_notify_team
from servers.calls.states import CALL_EDGES, CallState, Outcome, QueueMode
from servers.protocols.annotation_requests import ServerAnswer
from servers.registry.models import Server
from servers.registry.states import list_possible_previous_states

# It ends the batch of the call, too, if no other call of it is in flight: see servers/calls/batches/batch_end.py.
END_CALL = PreparedStatement(
    "end_call",
    {"call": "bigint", "edges": "text[]", "state": "text", "reason": "text", "tries": "int"},
    """
WITH batch AS (
    DELETE FROM servers_batch WHERE id = (
        SELECT batch_id FROM servers_call WHERE id = %(call)s AND state = ANY(%(edges)s)
    ) AND NOT EXISTS (SELECT FROM servers_call WHERE batch_id = servers_batch.id AND id <> %(call)s)
)
UPDATE servers_call SET
    state = %(state)s, batch_id = NULL, reason = %(reason)s, finished = statement_timestamp(), tries = tries + %(tries)s
WHERE id = %(call)s AND state = ANY(%(edges)s)
""",
)


@dataclass(slots=True)
class AttemptEnding:
    """How an attempt ended: code and message are for the server's team, seconds is its whole duration.

    The message may quote the server, so what the database cannot store is replaced in it.
    rest is how long the queues rest if the outcome is UNAVAILABLE. in_batch: the request had several articles, so its
    seconds are not those of one of them.
    """

    outcome: Outcome
    code: str = ""
    message: str = ""
    answer: ServerAnswer | None = None
    broken: list[BrokenRule] = field(default_factory=list)
    seconds: float = 0.0
    rest: timedelta = timedelta(0)
    in_batch: bool = False

    def __post_init__(self) -> None:
        self.message = replace_unstorable_characters(self.message)


def filter_valid_annotations(ending: AttemptEnding) -> list[AnnotationData]:
    """The annotations of the answer that break no rule; none without an answer."""
    if ending.answer is None:
        return []
    invalid = {rule.index for rule in ending.broken}
    return [annotation for index, annotation in enumerate(ending.answer.annotations) if index not in invalid]


def end_call_with_valid_results_if_allowed(call: Call, ending: AttemptEnding, *, empty_reason: str = "") -> None:
    """Store a Result for every registered kind of the server and end the call as ANSWERED or EMPTY."""
    annotations = filter_valid_annotations(ending)
    by_kind = {
        kind: select_annotations_capped_in_tests(kind, annotations, QueueMode(call.queue.mode))
        for kind in call.server.registered_kinds
    }
    state = CallState.ANSWERED if any(by_kind.values()) else CallState.EMPTY
    if not end_call_if_state_allows(
        call, state, ending.message if ending.broken or empty_reason else "", counts_as_try=True
    ):
        return
    store_nonempty_reported_version_if_changed(call.server, ending.answer.stated_version if ending.answer else "")
    store_results_superseding_earlier(
        call.article,
        call.queue.producer,
        by_kind,
        call_id=call.pk,
        reply_body=ending.answer.raw if ending.answer else None,
        duration_seconds=None if ending.in_batch else ending.seconds,
        stated_version=call.server.stated_version,
        empty_reason=empty_reason,
        moved=ending.answer.moved if ending.answer else None,
    )
    if call.server.failures_running:
        Server.objects.filter(pk=call.server_id).update(failures_running=0)


def end_waiting_call_superseding_with_empty_results(call: Call, result_code: str, team_message: str) -> bool:
    """End a waiting call without a request, with an empty Result of every kind; False if the call does not wait.

    result_code is stored in the Results, team_message is the message for the team.
    """
    if not end_call_if_state_allows(call, CallState.EMPTY, team_message, counts_as_try=False):
        return False
    empty: dict[Kind, list[AnnotationData]] = {kind: [] for kind in call.server.registered_kinds}
    store_results_superseding_earlier(
        call.article, call.queue.producer, empty, call_id=call.pk, empty_reason=result_code
    )
    close_finished_queue_and_notify_team(call.queue)
    return True


def end_call_if_state_allows(call: Call, final_state: CallState, reason: str, *, counts_as_try: bool) -> bool:
    """Move the call to a final state; False if its current state does not allow it. counts_as_try: whether to count
    another try.
    """
    edges = [before.value for before in list_possible_previous_states(final_state, CALL_EDGES)]
    values = {"call": call.pk, "state": final_state.value, "reason": reason, "tries": int(counts_as_try)}
    statement = END_CALL.get_ready_text()
    with connection.cursor() as cursor:
        cursor.execute(statement, {**values, "edges": edges})
        return bool(cursor.rowcount)


def schedule_next_try_if_state_allows(
    call: Call, wait_or_keep_due: timedelta | None, reason: str, *, last_try_counts: bool
) -> None:
    """Let the call wait for another try; wait_or_keep_due None keeps its position. last_try_counts: whether the last
    one counts as a try.
    """
    due = F("due") if wait_or_keep_due is None else Now() + wait_or_keep_due
    Call.objects.filter(pk=call.pk, state__in=list_possible_previous_states(CallState.WAITING, CALL_EDGES)).update(
        state=CallState.WAITING, batch=None, due=due, reason=reason, tries=F("tries") + int(last_try_counts)
    )
    end_batch_without_calls_in_flight(call.server_id)
