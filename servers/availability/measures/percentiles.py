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


def compute_geometric_middle_seconds(bucket_number: int) -> float:
    """The geometric middle of a bucket in seconds."""
    return float(SHORTEST * WIDTH ** (bucket_number + 0.5))


def sum_counts_by_bucket_number(counts_by_bucket_text: list[Mapping[str, int]]) -> Counter[int]:
    """The sum of several tallies of the stored form {"142": 3, ...}, by the number of the bucket."""
    total: Counter[int] = Counter()
    for tally in counts_by_bucket_text:
        for bucket, number in tally.items():
            total[int(bucket)] += number
    return total


def nearest_rank_percentile_seconds(
    count_by_bucket_number: Mapping[int, int], percent_from_1_to_100: int
) -> float | None:
    """The percentile of the times in seconds, by nearest rank; None without times.

    ValueError if the percentage is not from 1 to 100.
    """
    if not 1 <= percent_from_1_to_100 <= 100:
        raise ValueError(f"A percentile must be from 1 to 100, not {percent_from_1_to_100}.")
    rank = ceil(sum(count_by_bucket_number.values()) * percent_from_1_to_100 / 100)
    cumulative = 0
    for bucket in sorted(count_by_bucket_number):
        cumulative += count_by_bucket_number[bucket]
        if cumulative >= rank > 0:
            return compute_geometric_middle_seconds(bucket)
    return None
