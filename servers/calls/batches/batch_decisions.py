"""Decide how many articles the next request to a server carries, and what follows a request that failed as a whole.

A server declares how many articles it takes in one request. If a request with several of them fails as a whole, the
number of articles may be the reason, so the next one carries half as many, down to one article, whose failure counts as
in servers/calls/retry.py. After eight such requests in a row that were answered, the number is doubled again.
"""

from dataclasses import dataclass
from datetime import timedelta

from servers.calls.reachability import MISSES_UNTIL_UNREACHABLE, UNREACHABLE_REST
from servers.calls.retry import RetryAction, RetryDecision
from servers.calls.states import Outcome

# The most that a server can declare, and the most that one request carries, in bytes of text in UTF-8.
MOST_ARTICLES = 64
MOST_TEXT_BYTES = 1024 * 1024
# The number of requests in a row that have to be answered before the next one carries more.
ANSWERS_UNTIL_GROWTH = 8


@dataclass(frozen=True, slots=True)
class BatchLimit:
    """How many articles the next request carries at most, None for as many as the server has declared.

    answers: the number of requests with so many articles that were answered since the limit was last changed.
    """

    articles: int | None = None
    answers: int = 0


def compute_batch_size(declared: int, limit: BatchLimit) -> int:
    """The number of articles that the next request may carry."""
    return max(min(declared, MOST_ARTICLES, limit.articles or declared), 1)


def halve_after_failed_batch(article_count: int) -> BatchLimit:
    """The limit after a request with so many articles failed as a whole, or its worker crashed."""
    return BatchLimit(max(article_count // 2, 1))


def grow_after_answered_request(limit: BatchLimit, declared: int, article_count: int) -> BatchLimit:
    """The limit after a request with so many articles was answered; requests with fewer than allowed show nothing."""
    if limit.articles is None or article_count < limit.articles:
        return limit
    if limit.answers + 1 < ANSWERS_UNTIL_GROWTH:
        return BatchLimit(limit.articles, limit.answers + 1)
    return BatchLimit(limit.articles * 2) if limit.articles * 2 < declared else BatchLimit()


def decide_after_failed_batch(outcome: Outcome, consecutive_misses: int, outage_rest: timedelta) -> RetryDecision:
    """What to do after a request with several articles failed as a whole with the outcome: no article counts a try.

    They keep their position, so that the first half of them is sent next. While the server is down or asks to be left
    alone, its queues rest, as after calls with one article: consecutive_misses is the number of consecutive requests,
    including this one, that did not reach the server.
    """
    if outcome == Outcome.UNAVAILABLE:
        return RetryDecision(RetryAction.REST, wait=outage_rest, counts=False)
    if outcome == Outcome.CONNECTION and consecutive_misses >= MISSES_UNTIL_UNREACHABLE:
        return RetryDecision(RetryAction.REST, wait=UNREACHABLE_REST, counts=False)
    return RetryDecision(RetryAction.TRY_AGAIN, counts=False)
