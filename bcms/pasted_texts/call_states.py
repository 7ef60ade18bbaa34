"""What the page of a pasted text says of each server."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bcms.lib.durations import format_duration
from servers.calls.leases.lease import AT_WORK
from servers.calls.states import Outcome
from servers.pasted_texts.annotation import INTERRUPTED, TOO_MANY_ANNOTATIONS, WITHDRAWN
from servers.pasted_texts.models import PastedCallState, PastedTextCall
from servers.pasted_texts.queries import OPEN_FOR
from servers.pasted_texts.sending import TOO_LONG

# Teams learn more of failed calls; other people must not learn how servers of teams can be reached.
FAILURES: Mapping[str, str] = {
    Outcome.CONNECTION: "no answer: the server could not be reached",
    Outcome.COMMUNICATION: "no answer: the connection to the server broke off",
    Outcome.UNAVAILABLE: "no answer: the server is overloaded or down for now",
    Outcome.NO_ANSWER: "no answer in time",
    Outcome.INVALID: "the answer could not be read",
    Outcome.OUR_FAULT: "no answer because of an error of this site, which was logged",
    INTERRUPTED: "no answer: the call was interrupted on our side",
    TOO_MANY_ANNOTATIONS: "the answer has too many annotations to be shown",
    WITHDRAWN: "not sent: the server does not take pasted texts any more",
}


@dataclass(frozen=True, slots=True)
class CallStatus:
    """One server that a text was sent to; tone is that of a chip, age is in seconds for calls that are open."""

    call: PastedTextCall
    tone: str
    status: str
    is_open: bool = False
    age: float | None = None

    @property
    def more_broken_rules(self) -> int:
        return self.call.broken_rule_count - len(self.call.broken_rules)


def describe_calls(calls: Iterable[PastedTextCall], created: datetime, now: datetime) -> list[CallStatus]:
    """created: when the text was sent."""
    return [_describe_call(call, created, now) for call in calls]


def _describe_call(call: PastedTextCall, created: datetime, now: datetime) -> CallStatus:
    match call.state:
        case PastedCallState.ANSWERED:
            return _describe_answer(call)
        case PastedCallState.NOT_SENT if call.failure == TOO_LONG:
            most = call.server.largest_text
            limit = "" if most is None else f": it takes at most {most:,} characters"
            return CallStatus(call, "warn", f"not sent{limit}")
        case PastedCallState.FAILED | PastedCallState.NOT_SENT:
            return CallStatus(call, "bad", FAILURES[call.failure])
    if reason := _explain_end(call, created, now):
        return CallStatus(call, "bad", reason)
    if call.started:
        return CallStatus(call, "warn", "asked", is_open=True, age=(now - call.started).total_seconds())
    return CallStatus(call, "", "waiting", is_open=True, age=(now - created).total_seconds())


def _describe_answer(call: PastedTextCall) -> CallStatus:
    count = len(call.annotations)
    found = f"{count:,} annotation{'' if count == 1 else 's'}" if count else "no annotations"
    status = f"answered in {format_duration(call.seconds)}: {found}"
    if call.broken_rule_count:
        plural = "" if call.broken_rule_count == 1 else "s"
        return CallStatus(call, "warn", f"{status}, {call.broken_rule_count:,} error{plural}")
    return CallStatus(call, "good" if count else "", status)


def _explain_end(call: PastedTextCall, created: datetime, now: datetime) -> str:
    """Why an open call will not be answered any more, "" if it may be: as list_open_pasted_calls decides."""
    if not call.server.accepts_pasted_texts:
        return FAILURES[WITHDRAWN] if call.state == PastedCallState.WAITING else FAILURES[INTERRUPTED]
    if call.server.state not in AT_WORK:
        return "no answer: the server was stopped"
    return "" if now - created < OPEN_FOR else f"no answer within {OPEN_FOR.seconds // 60} minutes"


def compute_states_version(statuses: Sequence[CallStatus]) -> str:
    """Changes with everything that the page shows, apart from ages and the reader's choice."""
    state = [(each.call.pk, each.status) for each in statuses]
    return f"{zlib.crc32(repr(state).encode()):08x}"


def is_any_open(statuses: Iterable[CallStatus]) -> bool:
    return any(each.is_open for each in statuses)
