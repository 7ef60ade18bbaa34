"""While the database cannot be reached, one thread at a time tries again."""

import pytest

from bcms.database import known_outage
from tests.module_time import replace_time


@pytest.fixture
def clock(monkeypatch):
    """Its only element is the time."""
    now = [100.0]
    replace_time(monkeypatch, known_outage, monotonic=lambda: now[0])
    return now


def test_everybody_connects_while_nothing_has_failed(clock):
    outage = known_outage.KnownOutage()

    assert [outage.claim_attempt() for _ in range(3)] == [True, True, True]


def test_one_attempt_a_second_is_made_after_a_failure(clock):
    outage = known_outage.KnownOutage()
    outage.record_failure()
    assert not outage.claim_attempt()
    clock[0] += known_outage.ATTEMPT_SECONDS
    assert [outage.claim_attempt() for _ in range(3)] == [True, False, False]
    clock[0] += known_outage.ATTEMPT_SECONDS
    assert [outage.claim_attempt() for _ in range(2)] == [True, False]


def test_everybody_connects_again_after_a_success(clock):
    outage = known_outage.KnownOutage()
    outage.record_failure()
    outage.record_success()

    assert [outage.claim_attempt() for _ in range(3)] == [True, True, True]
