"""What the page of a pasted text says of each server."""

from datetime import UTC, datetime, timedelta

import pytest

from bcms.pasted_texts.call_states import FAILURES, compute_states_version, describe_calls
from servers.calls.outcomes.attempt_endings import STAGE_OUTCOMES
from servers.pasted_texts import annotation
from servers.pasted_texts.models import PastedTextCall
from servers.pasted_texts.sending import normalize_pasted_text
from servers.registry.models import Server

CREATED = datetime(2026, 3, 2, 9, tzinfo=UTC)


def describe(age=5, server=(), **fields):
    named = {"slug": "a", "state": "online", "accepts_pasted_texts": True} | dict(server)
    call = PastedTextCall(server=Server(**named), **fields)
    return describe_calls([call], CREATED, CREATED + timedelta(seconds=age))[0]


@pytest.mark.parametrize(
    ("fields", "tone", "status"),
    [
        ({"state": "waiting"}, "", "waiting"),
        ({"state": "asking", "started": CREATED}, "warn", "asked"),
        ({"state": "answered", "seconds": 2.0, "annotations": [1]}, "good", "answered in 2 s: 1 annotation"),
        ({"state": "answered", "seconds": 2.0}, "", "answered in 2 s: no annotations"),
        (
            {"state": "answered", "seconds": 2.0, "annotations": [1, 2], "broken_rule_count": 3},
            "warn",
            "answered in 2 s: 2 annotations, 3 errors",
        ),
        ({"state": "failed", "failure": "connection"}, "bad", "no answer: the server could not be reached"),
        ({"state": "not sent", "failure": "text-too-long"}, "warn", "not sent: it takes at most 1,000 characters"),
        ({"state": "waiting", "server": {"state": "offline"}}, "bad", "no answer: the server was stopped"),
        ({"state": "waiting", "server": {"accepts_pasted_texts": False}}, "bad", FAILURES["withdrawn"]),
    ],
)
def test_it_says_what_became_of_a_call(fields, tone, status):
    server = {"largest_text": 1000} | fields.pop("server", {})
    described = describe(server=server, **fields)
    assert (described.tone, described.status) == (tone, status)


def test_a_call_is_open_for_a_quarter_of_an_hour():
    assert describe(age=899, state="waiting").is_open
    late = describe(age=900, state="waiting")
    assert not late.is_open and late.status == "no answer within 15 minutes"


def test_every_failure_has_words():
    codes = {*STAGE_OUTCOMES.values(), annotation.INTERRUPTED, annotation.WITHDRAWN, annotation.TOO_MANY_ANNOTATIONS}
    assert codes | {"our fault"} == set(FAILURES)


def test_the_version_changes_with_the_states_and_not_with_the_time():
    version = compute_states_version([describe(age=5, state="waiting")])
    assert compute_states_version([describe(age=6, state="waiting")]) == version
    assert compute_states_version([describe(age=900, state="waiting")]) != version
    assert compute_states_version([describe(state="asking", started=CREATED)]) != version


def test_lines_are_kept_and_empty_ones_are_not():
    assert normalize_pasted_text(" a \r\n\r\n\tb\rc\n") == "a\nb\nc"
