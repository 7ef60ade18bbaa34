"""Record how an attempt ended: in the attempt itself, and in its call, queue and server."""

import json
from collections.abc import Sequence

from django.db import connection
from django.db.models import F

from annotations.schema import BrokenRule
from bcms.lib.http.exchange import KEPT_BYTES, Exchange
from bcms.lib.prepared_statements import PreparedStatement
from bcms.lib.text import replace_unstorable_characters
from servers.availability.downtimes import update_strikes_and_downtimes_if_conclusive
from servers.calls import diagnosis
from servers.calls.attempt_bodies import BODY_TYPES, STORE_BODY, build_body_values
from servers.calls.claim import CallClaim
from servers.calls.models import Attempt, Call
from servers.calls.outcomes.call_end import (
    AttemptEnding,
    end_call_with_valid_results_if_allowed,
    filter_valid_annotations,
)
from servers.calls.outcomes.failure_follow_up import retry_or_end_call_or_stop_queue
from servers.calls.outcomes.result_caps import add_annotations_above_cap
from servers.calls.outcomes.server_rest import record_reachability_failing_server_after_day
from servers.calls.queues.closing import close_finished_queue_and_notify_team
from servers.calls.states import CallState, Outcome, QueueMode
from servers.protocols.parsed_answers import OmittedParts
from servers.registry.models import Server

MAX_BROKEN_RULES = 100
# The fields of a server that count consecutive failures.
SERVER_COUNTERS = ("failures_running", "misses", "unreachable_since", "strikes", "struck_since")
# In SQL, because it runs for every answer and the ORM would take longer to build it than the database to execute it.
FINISH_ATTEMPT = PreparedStatement(
    "finish_attempt",
    {
        **BODY_TYPES,
        "outcome": "text",
        "phases": "jsonb",
        "diagnosis": "text",
        "message": "text",
        "annotations": "int",
        "document_bytes": "int",
        "broken_rules": "jsonb",
        "omitted": "jsonb",
    },
    f"""
WITH body AS ({STORE_BODY})
UPDATE servers_attempt SET
    finished = statement_timestamp(), outcome = %(outcome)s, phases = %(phases)s, diagnosis = %(diagnosis)s,
    message = %(message)s, annotations = %(annotations)s, document_bytes = %(document_bytes)s,
    broken_rules = %(broken_rules)s, omitted = %(omitted)s
WHERE id = %(attempt)s AND started = %(started)s
""",
)


def store_attempt_outcome_and_exchange(claim: CallClaim, exchange: Exchange, ending: AttemptEnding) -> None:
    """Store outcome, timing, request and answer of an attempt; after a deferred answer the first request is kept."""
    immediate = claim.state == CallState.ASKING
    accepted = None if ending.broken else ending.answer
    answer = ending.answer.raw[:KEPT_BYTES] if ending.answer and not exchange.received else exchange.received
    phases = exchange.rounded_phases if immediate else _add_work_phase(claim.attempt.phases, ending.seconds)
    values = {
        **build_body_values(claim.attempt, exchange.request if immediate else None, answer),
        "outcome": ending.outcome.value,
        "phases": json.dumps(phases),
        "diagnosis": ending.code,
        "message": ending.message,
        "annotations": len(accepted.annotations) if accepted else 0,
        "document_bytes": len(claim.article.text.encode()) if accepted else 0,
        "broken_rules": json.dumps([_serialize_broken_rule(rule) for rule in ending.broken[:MAX_BROKEN_RULES]]),
        "omitted": json.dumps(_build_omitted_data(claim, ending)),
    }
    statement = FINISH_ATTEMPT.get_ready_text()
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _build_omitted_data(claim: CallClaim, ending: AttemptEnding) -> dict[str, object]:
    """The parts of the answer that are not stored, with the annotations above the caps of a test; {} for none."""
    if ending.answer is None:
        return {}
    omitted = OmittedParts()
    omitted.extend(ending.answer.omitted)
    valid = filter_valid_annotations(ending)
    for kind in claim.call.server.registered_kinds:
        add_annotations_above_cap(omitted, kind, valid, QueueMode(claim.call.queue.mode))
    return omitted.build_data() if omitted.count else {}


def add_broken_rules_to_last_attempt(call_id: int, nonempty_late_broken_rules: Sequence[BrokenRule]) -> None:
    """Add rules that turned out to be broken after the call has ended to its last attempt, where the team sees them."""
    attempt = Attempt.objects.filter(call=call_id).order_by("-number").only("broken_rules", "server_id").first()
    if attempt is None:
        return
    attempt.broken_rules = [*attempt.broken_rules, *map(_serialize_broken_rule, nonempty_late_broken_rules)][
        :MAX_BROKEN_RULES
    ]
    attempt.save(update_fields=["broken_rules"])
    cause = diagnosis.diagnose_first_broken_rule_and_count(nonempty_late_broken_rules)
    Call.objects.filter(pk=call_id, reason="").update(reason=f"{cause.happened} {cause.advice}")
    Server.objects.filter(pk=attempt.server_id).update(version=F("version") + 1)


def _serialize_broken_rule(rule: BrokenRule) -> dict[str, str]:
    """A broken rule as it is stored in Attempt.broken_rules, without characters that the database cannot store."""
    return {
        "code": rule.code,
        "where": replace_unstorable_characters(rule.where),
        "message": replace_unstorable_characters(rule.message),
        "mend": rule.mend,
    }


def _add_work_phase(phases: dict[str, float], seconds: float) -> dict[str, float]:
    """The phases until the server accepted the request, and the rest of the seconds as the server's work."""
    return phases | {"work": round(max(seconds - sum(phases.values()), 0.0), 6)}


def end_or_retry_call_updating_server(call: Call, ending: AttemptEnding, *, may_finish_queue: bool = True) -> None:
    """End the call or let it wait again, as servers/calls/retry.py decides. may_finish_queue: the queue may be done
    afterwards.
    """
    succeeded = ending.outcome in (Outcome.ANSWERED, Outcome.EMPTY)
    unchanged = succeeded and not any(getattr(call.server, name) for name in SERVER_COUNTERS)
    if succeeded:
        end_call_with_valid_results_if_allowed(call, ending)
    else:
        retry_or_end_call_or_stop_queue(call, ending)
    record_reachability_failing_server_after_day(call, ending)
    update_strikes_and_downtimes_if_conclusive(call.server, ending.outcome)
    if may_finish_queue:
        close_finished_queue_and_notify_team(call.queue)
    if not unchanged:
        call.server.refresh_from_db(fields=SERVER_COUNTERS)
