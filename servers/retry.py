"""What follows a failed try: a pure function of the queue's mode, the tries so far and the kind of failure.

Five tries mean one and four repeats, after 5 s, 25 s, 2 min and 10 min, each a little longer by chance, so that many
articles that failed together do not come back together. In a test an answer is never asked for again because it was
wrong or late, and a call that did not come through stops the queue until the team decides; in the other modes the
article waits, and after the last try what was valid of the last answer is kept.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from servers.states import Outcome, QueueMode

TRIES = 5
WAITS = (timedelta(seconds=5), timedelta(seconds=25), timedelta(minutes=2), timedelta(minutes=10))
JITTER = 0.2
REST = timedelta(seconds=60)
# So many calls in a row that do not reach the server mean that it is down, whatever the article.
MISSES = 3
FAILURES_RUNNING = 20
UNREACHABLE = timedelta(hours=24)


class Next(StrEnum):
    TRY_AGAIN = "try again"
    REST = "rest"
    STOP = "stop the queue"
    STORE_VALID = "store what is valid"
    STORE_EMPTY = "store an empty result"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True)
class Decision:
    next: Next
    wait: timedelta = timedelta(0)
    counts: bool = True


def decide(mode: QueueMode, tries: int, outcome: Outcome, *, misses: int = 0, most: int = TRIES) -> Decision:
    """What to do after a try that ended with outcome.

    tries counts the tries that ended before this one, of most that there may be; misses how many calls in a row, this
    one among them, did not reach the server: from the third on the queue rests and the article is not charged, for it
    is the server that is down.
    """
    if mode == QueueMode.TEST:
        return decide_in_test(tries, outcome, most)
    if outcome == Outcome.CONNECTION and misses >= MISSES:
        return Decision(Next.REST, wait=REST, counts=False)
    if tries + 1 < most:
        return Decision(Next.TRY_AGAIN, wait=WAITS[min(tries, len(WAITS) - 1)])
    return Decision(Next.STORE_VALID if outcome == Outcome.INVALID else Next.GIVE_UP)


def decide_in_test(tries: int, outcome: Outcome, most: int) -> Decision:
    if outcome == Outcome.INVALID:
        return Decision(Next.STORE_VALID)
    if outcome == Outcome.NO_ANSWER or tries + 1 >= most:
        return Decision(Next.STORE_EMPTY)
    return Decision(Next.STOP)


def after_our_fault(mode: QueueMode, faults: int) -> Decision:
    """What to do after a fault of ours, the faults-th with this article; no try is ever charged for it.

    It waits as after the server's own failures. With the fifth it ends, so that nobody is asked the same for ever: in a
    test the team decides, else the article is failed and can be loaded again.
    """
    if faults < TRIES:
        return Decision(Next.TRY_AGAIN, wait=WAITS[faults - 1], counts=False)
    return Decision(Next.STOP if mode == QueueMode.TEST else Next.GIVE_UP, counts=False)


def spread(wait: timedelta, share: float) -> timedelta:
    """The wait made longer by up to a fifth; share, from 0 to 1, is drawn by chance."""
    return wait * (1 + JITTER * share)
