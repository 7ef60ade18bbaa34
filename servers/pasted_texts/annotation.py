"""Have a server annotate the pasted text that waits for it: one request within its loop, under its lease.

The text and the answer are in no Attempt, log, Result or figure. What is stored goes into the row of the call; if that
was deleted in the meantime, nothing is stored.
"""

import logging
import secrets
import time
import traceback
import uuid
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models.functions import Now

from annotations.results.annotation_rows import build_annotation_row
from annotations.schema import AnnotationData, BrokenRule
from bcms.lib.http.exchange import Exchange
from bcms.lib.text import replace_unstorable_characters
from servers.calls.claim import is_over_rate_limit
from servers.calls.errors import CallError
from servers.calls.leases import lease
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.calls.outcomes.attempt_endings import (
    check_answer_identifiers_and_build_ending,
    make_failed_ending,
    make_our_fault_ending,
)
from servers.calls.outcomes.call_end import AttemptEnding, filter_valid_annotations
from servers.calls.queues.time_limits import compute_text_time_limit_seconds
from servers.credentials.sealed_headers import open_secret_headers_for_url
from servers.credentials.signing_secrets import open_signing_secret
from servers.kit.checks.sample_articles import SampleArticle
from servers.kit.checks.server_check import (
    CheckTarget,
    build_check_request,
    request_answer_with_broken_rules_in_time,
)
from servers.pasted_texts.models import PastedCallState, PastedText, PastedTextCall
from servers.pasted_texts.queries import find_next_pasted_call
from servers.pasted_texts.receiving_servers import list_servers_for_pasted_texts
from servers.registry.models import Server

# Somebody waits in front of the page.
LONGEST_PASTED_CALL = 60.0
MOST_BROKEN_RULES = 20
MOST_ANNOTATIONS = 20_000
INTERRUPTED, WITHDRAWN, TOO_MANY_ANNOTATIONS = "interrupted", "withdrawn", "too-many-annotations"
log = logging.getLogger(__name__)


def end_interrupted_pasted_calls(server_id: int) -> int:
    """End the calls of a worker that crashed; the caller has just taken the server's lease. Returns how many."""
    lost = PastedTextCall.objects.filter(server=server_id, state=PastedCallState.ASKING)
    return lost.update(state=PastedCallState.FAILED, failure=INTERRUPTED, finished=Now())


def annotate_next_pasted_text(server: Server, lease_token: uuid.UUID) -> bool:
    """Send the server the text that has waited longest, and store its answer; False if none waits or may be sent now.

    The caller holds the lease, and no other request to the server is in flight.
    """
    call = find_next_pasted_call(server.pk)
    if call is None or is_over_rate_limit(server):
        return False
    begun = time.monotonic()
    with lease.hold_renewed_lease_in_transaction(lease_token):
        # As its team has it now: the text goes to no address that the team has replaced.
        current = list_servers_for_pasted_texts(call.text.user).filter(pk=server.pk).first()
        if current is None:
            _end_call(call, PastedCallState.WAITING, state=PastedCallState.NOT_SENT, failure=WITHDRAWN)
            return True
        waiting = PastedTextCall.objects.filter(pk=call.pk, state=PastedCallState.WAITING)
        if not waiting.update(state=PastedCallState.ASKING, started=Now()):
            return True
    exchange = Exchange(before_send=partial(lease.renew_lease_unless_fresh, lease_token, begun))
    with lease_heartbeat.abort_if_lost(lease_token, exchange):
        ending = _get_ending(current, call, exchange)
    with lease.hold_renewed_lease_in_transaction(lease_token):
        _end_call(call, PastedCallState.ASKING, **_build_outcome(current, ending))
    return True


def _end_call(call: PastedTextCall, state_before: PastedCallState, **values: Any) -> None:
    PastedTextCall.objects.filter(pk=call.pk, state=state_before).update(finished=Now(), **values)


def _get_ending(server: Server, call: PastedTextCall, exchange: Exchange) -> AttemptEnding:
    started = time.monotonic()
    try:
        sample = build_sample(call.text)
        target = _build_target(server, len(sample.text))
        request = build_check_request(target, sample, call.pk)
        answer = request_answer_with_broken_rules_in_time(target, request, exchange)
        ending = check_answer_identifiers_and_build_ending(answer)
    except CallError as error:
        ending = make_failed_ending(error)
    except lease.LeaseLostError:
        raise
    except Exception as error:  # noqa: BLE001 - logged without its message
        # The message may have parts of the text.
        frames = "".join(traceback.format_tb(error.__traceback__))
        log.error("A pasted text was not annotated because of an error of ours: %s\n%s", type(error).__name__, frames)
        ending = make_our_fault_ending()
    ending.seconds = time.monotonic() - started
    return ending


def build_sample(pasted: PastedText) -> SampleArticle:
    """The text as it is sent, under a name that says nothing and is never used again."""
    title, *rest = pasted.lines
    return SampleArticle(f"text-{secrets.token_hex(8)}", title, "\n".join(rest))


def _build_target(server: Server, character_count: int) -> CheckTarget:
    """How to call the server. CallError if it has credentials for another host."""
    limit = compute_text_time_limit_seconds(server.time_limit, server.seconds_per_1000_characters, character_count)
    return CheckTarget(
        url=server.url,
        protocol=server.protocol,
        method=server.method,
        send=server.send,
        kinds=server.registered_kinds,
        entity_types=tuple(server.entity_types),
        time_limit=min(limit, LONGEST_PASTED_CALL),
        connect_limit=server.connect_limit,
        networks=tuple(settings.ALLOWED_NETWORKS),
        key=server.secret_key,
        parameters=server.custom_parameters,
        secret_headers=open_secret_headers_for_url(server, server.url),
        signing_secret=open_signing_secret(server),
    )


def _build_outcome(server: Server, ending: AttemptEnding) -> dict[str, Any]:
    """The values of the row of a call that has ended."""
    valid = filter_valid_annotations(ending)
    values: dict[str, Any] = {
        "seconds": ending.seconds,
        "broken_rules": [_build_rule_fields(rule) for rule in ending.broken[:MOST_BROKEN_RULES]],
        "broken_rule_count": len(ending.broken),
    }
    if ending.answer is None:
        return {**values, "state": PastedCallState.FAILED, "failure": ending.outcome.value}
    if len(valid) > MOST_ANNOTATIONS:
        return {**values, "state": PastedCallState.FAILED, "failure": TOO_MANY_ANNOTATIONS}
    return {
        **values,
        "state": PastedCallState.ANSWERED,
        "kinds": list(server.kinds),
        "stated_version": replace_unstorable_characters(ending.answer.stated_version)[:100],
        "annotations": [_build_row(annotation) for annotation in valid],
    }


def _build_row(annotation: AnnotationData) -> list[Any]:
    return [annotation.kind.value, *build_annotation_row(annotation)]


def _build_rule_fields(rule: BrokenRule) -> dict[str, str]:
    return {
        "code": rule.code,
        "where": replace_unstorable_characters(rule.where),
        "message": replace_unstorable_characters(rule.message),
    }
