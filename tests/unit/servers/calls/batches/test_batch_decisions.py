"""How many articles a request carries, and what follows one that failed as a whole."""

from datetime import timedelta

import pytest

from servers.calls.batches.batch_decisions import (
    ANSWERS_UNTIL_GROWTH,
    BatchLimit,
    compute_batch_size,
    decide_after_failed_batch,
    grow_after_answered_request,
    halve_after_failed_batch,
)
from servers.calls.reachability import UNREACHABLE_REST
from servers.calls.retry import RetryAction, RetryDecision
from servers.calls.states import Outcome

OUTAGE_REST = timedelta(seconds=7)


@pytest.mark.parametrize(
    ("declared", "limit", "size"), [(1, None, 1), (8, None, 8), (8, 4, 4), (2, 16, 2), (65, None, 64)]
)
def test_a_request_carries_as_many_articles_as_the_server_takes_and_its_last_failure_allows(declared, limit, size):
    assert compute_batch_size(declared, BatchLimit(limit)) == size


def test_it_halves_down_to_one_article():
    sizes = [64]
    while sizes[-1] > 1:
        sizes.append(halve_after_failed_batch(sizes[-1]).articles)
    assert sizes == [64, 32, 16, 8, 4, 2, 1]
    assert halve_after_failed_batch(3) == BatchLimit(1)


def count_requests_until_growth(limit: BatchLimit, declared: int, carried: int) -> int:
    number = 0
    while limit.articles is not None and limit.articles <= carried and number < 100:
        limit, number = grow_after_answered_request(limit, declared, carried), number + 1
    return number


def test_it_grows_after_eight_full_requests_in_a_row():
    assert count_requests_until_growth(BatchLimit(4), 64, 4) == ANSWERS_UNTIL_GROWTH
    assert grow_after_answered_request(BatchLimit(4, 7), 64, 4) == BatchLimit(8)


def test_it_has_no_limit_any_more_once_it_carries_what_was_declared():
    assert grow_after_answered_request(BatchLimit(4, 7), 8, 4) == BatchLimit()
    assert grow_after_answered_request(BatchLimit(4, 7), 2, 4) == BatchLimit()
    assert grow_after_answered_request(BatchLimit(), 8, 8) == BatchLimit()


def test_a_request_that_carries_less_than_allowed_shows_nothing():
    assert grow_after_answered_request(BatchLimit(4, 7), 64, 3) == BatchLimit(4, 7)


@pytest.mark.parametrize(
    ("outcome", "misses", "action", "wait"),
    [
        (Outcome.COMMUNICATION, 0, RetryAction.TRY_AGAIN, timedelta()),
        (Outcome.NO_ANSWER, 0, RetryAction.TRY_AGAIN, timedelta()),
        (Outcome.INVALID, 0, RetryAction.TRY_AGAIN, timedelta()),
        (Outcome.OUR_FAULT, 0, RetryAction.TRY_AGAIN, timedelta()),
        (Outcome.CONNECTION, 2, RetryAction.TRY_AGAIN, timedelta()),
        (Outcome.CONNECTION, 3, RetryAction.REST, UNREACHABLE_REST),
        (Outcome.UNAVAILABLE, 1, RetryAction.REST, OUTAGE_REST),
    ],
)
def test_no_article_of_a_failed_batch_counts_a_try(outcome, misses, action, wait):
    assert decide_after_failed_batch(outcome, misses, OUTAGE_REST) == RetryDecision(action, wait, counts=False)
