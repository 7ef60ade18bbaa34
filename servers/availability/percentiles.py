"""Percentiles of times that are kept as counts in buckets, so that those of hours can be added to those of months.

Bucket n holds the times from 1.05^n to 1.05^(n+1) milliseconds; what is shorter lies in bucket 0. A percentile is the
middle of its bucket, so that it is wrong by 2.5 % at most.
"""

from collections import Counter
from collections.abc import Mapping
from math import ceil, floor, log

WIDTH = 1.05
SHORTEST = 0.001
# Those that are published.
PERCENTS = (50, 90, 95, 99)


def bucket_of(seconds: float) -> int:
    """The number of the bucket of a time in seconds."""
    return max(floor(log(seconds / SHORTEST) / log(WIDTH)), 0) if seconds > SHORTEST else 0


def middle_of(bucket: int) -> float:
    """Seconds: the geometric middle of a bucket."""
    return float(SHORTEST * WIDTH ** (bucket + 0.5))


def added(tallies: list[Mapping[str, int]]) -> Counter[int]:
    """The buckets of several tallies together, as they are stored: {"142": 3, ...}."""
    whole: Counter[int] = Counter()
    for tally in tallies:
        for bucket, number in tally.items():
            whole[int(bucket)] += number
    return whole


def percentile(buckets: Mapping[int, int], percent: int) -> float | None:
    """Seconds within which that many percent of the times lie (nearest rank); None when there are none.

    ValueError for a percent that is not from 1 to 100.
    """
    if not 1 <= percent <= 100:
        raise ValueError(f"A percentile is asked for by a number from 1 to 100, not by {percent}.")
    rank = ceil(sum(buckets.values()) * percent / 100)
    passed = 0
    for bucket in sorted(buckets):
        passed += buckets[bucket]
        if passed >= rank > 0:
            return middle_of(bucket)
    return None
