"""Decide what follows a failed try from the queue's mode, the number of tries and the kind of failure.

Five tries are one try and four retries, after 5 s, 25 s, 2 min and 10 min. Random jitter makes each wait longer, so
that articles that failed together are not retried together. In a test, a server is never called again because its
answer was invalid or late, and a call that failed otherwise stops the queue until the team decides. In other modes the
article is retried, and after the last try the valid part of the last answer is stored. While a server is down or asks
to be left alone, the queue rests instead, and no article is charged a try.

An error of the meta-server, a crashed worker included, is charged to nobody. In a test it is followed by one more try
only; then the article fails, and the organizers can have it sent again (servers/calls/queues/meta_server_errors.py).
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from servers.calls.reachability import MISSES_UNTIL_UNREACHABLE, UNREACHABLE_REST
from servers.calls.states import Outcome, QueueMode

TRIES = 5
WAITS = (timedelta(seconds=5), timedelta(seconds=25), timedelta(minutes=2), timedelta(minutes=10))
# The number of our errors after which a call fails. In a test it is small, so that no server gains time by provoking
# them.
MAX_META_SERVER_FAULTS = TRIES
MAX_META_SERVER_FAULTS_IN_TEST = 2
JITTER = 0.2
FAILURES_RUNNING = 20


class RetryAction(StrEnum):
    TRY_AGAIN = "try again"
    REST = "rest"
    STOP = "stop the queue"
    STORE_VALID = "store what is valid"
    STORE_EMPTY = "store an empty result"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """What to do after a failed try: wait is until the next try, counts whether the failed one counts as a try."""

    action: RetryAction
    wait: timedelta = timedelta(0)
    counts: bool = True


def decide_after_failed_try(
    mode: QueueMode,
    earlier_tries: int,
    outcome: Outcome,
    *,
    consecutive_misses: int = 0,
    max_tries: int = TRIES,
    outage_rest: timedelta = UNREACHABLE_REST,
) -> RetryDecision:
    """What to do after a try that failed with the outcome.

    earlier_tries: number of earlier tries of the call; max_tries: maximum number of tries; consecutive_misses: number
    of consecutive calls, including this one, that did not reach the server. From the third miss on the queue rests and
    the try does not count, because the server is down. After UNAVAILABLE it rests at once, for outage_rest.
    """
    if mode == QueueMode.TEST:
        return _decide_after_failed_test_call(earlier_tries, outcome, max_tries)
    if outcome == Outcome.UNAVAILABLE:
        return RetryDecision(RetryAction.REST, wait=outage_rest, counts=False)
    if outcome == Outcome.CONNECTION and consecutive_misses >= MISSES_UNTIL_UNREACHABLE:
        return RetryDecision(RetryAction.REST, wait=UNREACHABLE_REST, counts=False)
    if earlier_tries + 1 < max_tries:
        return RetryDecision(RetryAction.TRY_AGAIN, wait=WAITS[min(earlier_tries, len(WAITS) - 1)])
    return RetryDecision(RetryAction.STORE_VALID if outcome == Outcome.INVALID else RetryAction.GIVE_UP)


def _decide_after_failed_test_call(tries: int, outcome: Outcome, most: int) -> RetryDecision:
    """What to do after a failed try in a TEST queue, with the arguments of decide_after_failed_try."""
    if outcome == Outcome.INVALID:
        return RetryDecision(RetryAction.STORE_VALID)
    if outcome == Outcome.NO_ANSWER or tries + 1 >= most:
        return RetryDecision(RetryAction.STORE_EMPTY)
    return RetryDecision(RetryAction.STOP)


def get_max_meta_server_faults(mode: QueueMode) -> int:
    """The number of errors of the meta-server after which a call fails."""
    return MAX_META_SERVER_FAULTS_IN_TEST if mode == QueueMode.TEST else MAX_META_SERVER_FAULTS


def decide_after_meta_server_fault(mode: QueueMode, fault_count: int) -> RetryDecision:
    """What to do after an error of the meta-server; fault_count is the number of such errors with this call, from 1.

    The waits are those after failures of the server, but no try counts. The last error ends the retries: the article
    fails and can be sent again, by the organizers if it is in a test.
    """
    if fault_count < get_max_meta_server_faults(mode):
        return RetryDecision(RetryAction.TRY_AGAIN, wait=WAITS[fault_count - 1], counts=False)
    return RetryDecision(RetryAction.GIVE_UP, counts=False)


def extend_wait_by_up_to_fifth(wait: timedelta, random_share: float) -> timedelta:
    """The wait extended by up to a fifth; random_share is a random number from 0 to 1."""
    return wait * (1 + JITTER * random_share)
