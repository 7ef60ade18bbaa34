"""How an attempt ended: with a valid or invalid answer, by a failure of the server, or by an error of ours."""

import time
from dataclasses import replace
from datetime import timedelta

from django.utils import timezone

from annotations.identifiers.verification import (
    CheckedAnnotations,
    add_accessions_to_entry_name_hints,
    check_identifiers,
)
from servers.calls import diagnosis
from servers.calls.claim import CallClaim
from servers.calls.errors import CallError, Stage
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.states import CallState, Outcome
from servers.protocols.annotation_requests import ServerAnswer
from servers.protocols.parsed_answers import OmittedParts

STAGE_OUTCOMES = {
    Stage.CONNECTION: Outcome.CONNECTION,
    Stage.COMMUNICATION: Outcome.COMMUNICATION,
    Stage.UNAVAILABLE: Outcome.UNAVAILABLE,
    Stage.NO_ANSWER: Outcome.NO_ANSWER,
    Stage.RESULT: Outcome.INVALID,
}
OUR_FAULT = "This is an error of the meta-server, not of your server. It was logged and does not count as a try."


def compute_attempt_seconds(claim: CallClaim, begun: float) -> float:
    """The seconds of an attempt that ends now; begun: when its latest request was begun, by time.monotonic()."""
    if claim.state == CallState.PENDING:
        return (timezone.now() - claim.attempt.started).total_seconds()
    return time.monotonic() - begun


def make_failed_ending(error: CallError) -> AttemptEnding:
    """The ending of an attempt without a readable answer, because of the server."""
    outcome, rest = STAGE_OUTCOMES[error.diagnosis.stage], timedelta(seconds=error.diagnosis.rest_seconds)
    return AttemptEnding(outcome, code=error.diagnosis.code, message=str(error), rest=rest)


def make_our_fault_ending(code: str = "our-fault", message: str = OUR_FAULT) -> AttemptEnding:
    return AttemptEnding(Outcome.OUR_FAULT, code=code, message=message)


def check_answer_identifiers_and_build_ending(answer: ServerAnswer) -> AttemptEnding:
    """The ending of an attempt that was answered: INVALID if the answer breaks rules, else ANSWERED or EMPTY."""
    checked = check_identifiers(answer.annotations)
    broken = [
        *add_accessions_to_entry_name_hints(answer.broken_rules, answer.annotations),
        *checked.broken_rules,
    ]
    if checked.removed_links:
        answer = _omit_removed_links(answer, checked)
    if broken:
        cause = diagnosis.diagnose_first_broken_rule_and_count(broken)
        message = f"{cause.happened} {cause.advice}"
        return AttemptEnding(Outcome.INVALID, code=cause.code, message=message, answer=answer, broken=broken)
    outcome = Outcome.ANSWERED if answer.annotations else Outcome.EMPTY
    return AttemptEnding(outcome, message=" ".join(answer.notes), answer=answer)


def _omit_removed_links(answer: ServerAnswer, checked: CheckedAnnotations) -> ServerAnswer:
    """The answer without links of mentions that do not exist, which are listed among its omitted parts."""
    omitted = OmittedParts()
    omitted.extend(answer.omitted)
    for fault in checked.removed_links:
        omitted.add(fault.where, f"{fault.message} The mention is stored without this link.")
    return replace(answer, annotations=checked.annotations, omitted=omitted)
