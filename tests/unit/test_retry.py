"""What follows a failed try, as one table: mode, tries before, how it ended -> what next and after how long."""

from datetime import timedelta

import pytest

from servers.retry import Next, decide
from servers.states import Outcome, QueueMode

LIVE, TRAINING, TEST = QueueMode.LIVE, QueueMode.TRAINING, QueueMode.TEST


@pytest.mark.parametrize(
    ("mode", "tries", "outcome", "following", "seconds"),
    [
        (LIVE, 0, Outcome.COMMUNICATION, Next.TRY_AGAIN, 5),
        (LIVE, 1, Outcome.COMMUNICATION, Next.TRY_AGAIN, 25),
        (LIVE, 2, Outcome.NO_ANSWER, Next.TRY_AGAIN, 120),
        (TRAINING, 3, Outcome.CONNECTION, Next.TRY_AGAIN, 600),
        (TRAINING, 4, Outcome.COMMUNICATION, Next.GIVE_UP, 0),
        (LIVE, 4, Outcome.NO_ANSWER, Next.GIVE_UP, 0),
        (LIVE, 0, Outcome.INVALID, Next.TRY_AGAIN, 5),
        (LIVE, 4, Outcome.INVALID, Next.STORE_VALID, 0),
        (TEST, 0, Outcome.INVALID, Next.STORE_VALID, 0),
        (TEST, 0, Outcome.NO_ANSWER, Next.STORE_EMPTY, 0),
        (TEST, 0, Outcome.COMMUNICATION, Next.TRY_AGAIN, 5),
        (TEST, 4, Outcome.CONNECTION, Next.STORE_EMPTY, 0),
    ],
)
def test_it_follows_the_table_of_modes(mode, tries, outcome, following, seconds):
    decision = decide(mode, tries, outcome)
    assert (decision.next, decision.wait) == (following, timedelta(seconds=seconds))
    assert decision.counts


@pytest.mark.parametrize("mode", [LIVE, TRAINING, TEST])
def test_it_rests_a_queue_whose_server_stays_unreachable_and_charges_no_article(mode):
    decision = decide(mode, 4, Outcome.CONNECTION, unreachable=True)
    assert (decision.next, decision.wait, decision.counts) == (Next.REST, timedelta(seconds=60), False)
