"""What follows a failed try, as one table: mode, tries before, how it ended -> what next and after how long."""

from datetime import timedelta

import pytest

from servers.calls.reachability import limit_outage_rest_or_default
from servers.calls.retry import (
    RetryAction,
    RetryDecision,
    decide_after_failed_try,
    decide_after_meta_server_fault,
    extend_wait_by_up_to_fifth,
)
from servers.calls.states import Outcome, QueueMode

LIVE, TRAINING, TEST = QueueMode.LIVE, QueueMode.TRAINING, QueueMode.TEST


@pytest.mark.parametrize(
    ("mode", "tries", "outcome", "following", "seconds"),
    [
        (LIVE, 0, Outcome.COMMUNICATION, RetryAction.TRY_AGAIN, 5),
        (LIVE, 1, Outcome.COMMUNICATION, RetryAction.TRY_AGAIN, 25),
        (LIVE, 2, Outcome.NO_ANSWER, RetryAction.TRY_AGAIN, 120),
        (TRAINING, 3, Outcome.CONNECTION, RetryAction.TRY_AGAIN, 600),
        (TRAINING, 4, Outcome.COMMUNICATION, RetryAction.GIVE_UP, 0),
        (LIVE, 4, Outcome.NO_ANSWER, RetryAction.GIVE_UP, 0),
        (LIVE, 0, Outcome.INVALID, RetryAction.TRY_AGAIN, 5),
        (LIVE, 4, Outcome.INVALID, RetryAction.STORE_VALID, 0),
        (TEST, 0, Outcome.INVALID, RetryAction.STORE_VALID, 0),
        (TEST, 0, Outcome.NO_ANSWER, RetryAction.STORE_EMPTY, 0),
        (TEST, 0, Outcome.COMMUNICATION, RetryAction.STOP, 0),
        (TEST, 3, Outcome.CONNECTION, RetryAction.STOP, 0),
        (TEST, 4, Outcome.COMMUNICATION, RetryAction.STORE_EMPTY, 0),
        (TEST, 4, Outcome.CONNECTION, RetryAction.STORE_EMPTY, 0),
    ],
)
def test_it_follows_the_table_of_modes(mode, tries, outcome, following, seconds):
    decision = decide_after_failed_try(mode, tries, outcome)
    assert (decision.action, decision.wait) == (following, timedelta(seconds=seconds))
    assert decision.counts


@pytest.mark.parametrize("mode", [LIVE, TRAINING])
def test_it_rests_a_queue_whose_server_is_missed_three_times_running_and_charges_no_article(mode):
    assert decide_after_failed_try(mode, 3, Outcome.CONNECTION, consecutive_misses=2).action == RetryAction.TRY_AGAIN
    decision = decide_after_failed_try(mode, 4, Outcome.CONNECTION, consecutive_misses=3)
    assert (decision.action, decision.wait, decision.counts) == (RetryAction.REST, timedelta(seconds=60), False)


@pytest.mark.parametrize("mode", [LIVE, TRAINING])
@pytest.mark.parametrize("tries", [0, 4])
def test_it_rests_at_the_first_outage_and_charges_no_article(mode, tries):
    decision = decide_after_failed_try(mode, tries, Outcome.UNAVAILABLE, outage_rest=timedelta(minutes=7))
    assert decision == RetryDecision(RetryAction.REST, wait=timedelta(minutes=7), counts=False)


def test_it_stops_a_test_at_an_outage_as_at_a_lost_connection():
    for tries in (0, 3, 4):
        expected = decide_after_failed_try(TEST, tries, Outcome.CONNECTION)
        assert decide_after_failed_try(TEST, tries, Outcome.UNAVAILABLE) == expected


@pytest.mark.parametrize(
    ("asked", "seconds"), [(0.0, 60), (-5.0, 60), (0.2, 1), (45.0, 45), (3600.0, 3600), (86_400.0, 3600)]
)
def test_it_leaves_a_server_alone_as_long_as_it_asks_but_an_hour_at_most(asked, seconds):
    assert limit_outage_rest_or_default(asked) == timedelta(seconds=seconds)


def test_it_never_rests_in_a_test_whose_team_decides():
    assert decide_after_failed_try(TEST, 0, Outcome.CONNECTION, consecutive_misses=9).action == RetryAction.STOP


def test_it_makes_a_wait_longer_by_a_fifth_at_most():
    assert [extend_wait_by_up_to_fifth(timedelta(seconds=5), share).total_seconds() for share in (0.0, 0.5, 1.0)] == [
        5.0,
        5.5,
        6.0,
    ]


@pytest.mark.parametrize("mode", [LIVE, TRAINING])
def test_it_waits_longer_after_each_fault_of_ours_and_charges_no_try(mode):
    decisions = [decide_after_meta_server_fault(mode, faults) for faults in (1, 2, 3, 4)]
    assert [decision.action for decision in decisions] == [RetryAction.TRY_AGAIN] * 4
    assert [decision.wait.total_seconds() for decision in decisions] == [5, 25, 120, 600]
    assert not any(decision.counts for decision in decisions)


@pytest.mark.parametrize(
    ("mode", "faults"),
    [
        *((mode, faults) for mode in (LIVE, TRAINING) for faults in (5, 6)),
        *((TEST, faults) for faults in (2, 3, 6)),
    ],
)
def test_it_does_not_repeat_a_fault_of_ours_for_ever(mode, faults):
    assert decide_after_meta_server_fault(mode, faults) == RetryDecision(RetryAction.GIVE_UP, counts=False)


def test_it_repeats_a_fault_of_ours_in_a_test_once_only():
    decision = decide_after_meta_server_fault(TEST, 1)
    assert decision == RetryDecision(RetryAction.TRY_AGAIN, timedelta(seconds=5), counts=False)


@pytest.mark.parametrize(
    ("mode", "tries", "most", "following", "seconds"),
    [
        (TRAINING, 0, 1, RetryAction.GIVE_UP, 0),
        (TRAINING, 1, 3, RetryAction.TRY_AGAIN, 25),
        (TRAINING, 2, 3, RetryAction.GIVE_UP, 0),
        (TRAINING, 7, 10, RetryAction.TRY_AGAIN, 600),
        (TEST, 0, 1, RetryAction.STORE_EMPTY, 0),
        (TEST, 7, 10, RetryAction.STOP, 0),
    ],
)
def test_it_tries_as_often_as_a_phase_says(mode, tries, most, following, seconds):
    decision = decide_after_failed_try(mode, tries, Outcome.COMMUNICATION, max_tries=most)
    assert (decision.action, decision.wait) == (following, timedelta(seconds=seconds))
