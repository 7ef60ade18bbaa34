"""What follows a failed try: a pure function of the queue's mode, the tries so far and the kind of failure.

Five tries mean one and four repeats, after 5 s, 25 s, 2 min and 10 min. In a test an answer is never asked for again
because it was wrong or late; in the other modes it is, and then what was valid of it is kept.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from servers.states import Outcome, QueueMode

TRIES = 5
WAITS = (timedelta(seconds=5), timedelta(seconds=25), timedelta(minutes=2), timedelta(minutes=10))
REST = timedelta(seconds=60)
FAILURES_RUNNING = 20
UNREACHABLE = timedelta(hours=24)


class Next(StrEnum):
    TRY_AGAIN = "try again"
    REST = "rest"
    STORE_VALID = "store what is valid"
    STORE_EMPTY = "store an empty result"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True)
class Decision:
    next: Next
    wait: timedelta = timedelta(0)
    counts: bool = True


def decide(mode: QueueMode, tries: int, outcome: Outcome, *, unreachable: bool = False) -> Decision:
    """What to do after a try that ended with outcome.

    tries counts the tries that ended before this one; unreachable says that the call before this one could not
    reach the server either: then the queue rests and the article is not charged, for it is the server that is down.
    """
    if outcome == Outcome.CONNECTION and unreachable:
        return Decision(Next.REST, wait=REST, counts=False)
    if mode == QueueMode.TEST and outcome == Outcome.INVALID:
        return Decision(Next.STORE_VALID)
    if mode == QueueMode.TEST and outcome == Outcome.NO_ANSWER:
        return Decision(Next.STORE_EMPTY)
    if tries + 1 < TRIES:
        return Decision(Next.TRY_AGAIN, wait=WAITS[tries])
    if outcome == Outcome.INVALID:
        return Decision(Next.STORE_VALID)
    return Decision(Next.STORE_EMPTY if mode == QueueMode.TEST else Next.GIVE_UP)
