"""Percentiles of times that are stored as counts in buckets, so that the counts of several hours can be added up.

Bucket n holds the times from 1.05^n to 1.05^(n+1) milliseconds; bucket 0 also holds shorter times. A percentile is the
middle of its bucket, so its error is at most 2.5 %. The buckets are filled in SQL (servers/availability/rollups.py).
"""

from collections import Counter
from collections.abc import Mapping
from math import ceil

WIDTH = 1.05
SHORTEST = 0.001
# The published percentiles.
PERCENTS = (50, 90, 95, 99)


def compute_bucket_middle(bucket: int) -> float:
    """The geometric middle of a bucket in seconds."""
    return float(SHORTEST * WIDTH ** (bucket + 0.5))


def merge_buckets(tallies: list[Mapping[str, int]]) -> Counter[int]:
    """The sum of several tallies of the stored form {"142": 3, ...}, by the number of the bucket."""
    total: Counter[int] = Counter()
    for tally in tallies:
        for bucket, number in tally.items():
            total[int(bucket)] += number
    return total


def compute_percentile(buckets: Mapping[int, int], percent: int) -> float | None:
    """The percentile of the times in seconds, by nearest rank; None without times.

    ValueError if percent is not from 1 to 100.
    """
    if not 1 <= percent <= 100:
        raise ValueError(f"A percentile must be from 1 to 100, not {percent}.")
    rank = ceil(sum(buckets.values()) * percent / 100)
    cumulative = 0
    for bucket in sorted(buckets):
        cumulative += buckets[bucket]
        if cumulative >= rank > 0:
            return compute_bucket_middle(bucket)
    return None
