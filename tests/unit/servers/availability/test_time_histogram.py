"""The histogram of response times from their counts in narrow buckets."""

from math import ceil, floor, log

from servers.availability.measures.percentiles import SHORTEST, WIDTH, compute_geometric_middle_seconds
from servers.availability.recent_answers import TIME_ENDS, TIME_LABELS, build_time_histogram


def find_bucket(seconds):
    return floor(log(seconds / SHORTEST) / log(WIDTH))


def read_bars(counts):
    return [(bar.label, bar.number) for bar in build_time_histogram(counts)]


def test_it_leaves_out_empty_bars_at_the_ends_only():
    counts = {find_bucket(0.05): 3, find_bucket(2.0): 1}
    assert read_bars(counts) == [("30 to 100 ms", 3), ("100 to 300 ms", 0), ("300 ms to 1 s", 0), ("1 to 3 s", 1)]
    bars = build_time_histogram(counts)
    assert [bar.length for bar in bars] == [100, 0, 0, 33]
    assert [bar.share for bar in bars] == [75.0, 0.0, 0.0, 25.0]


def test_each_bucket_is_in_the_bar_of_its_middle():
    last = ceil(log(1000 / SHORTEST) / log(WIDTH))
    for bucket in range(last):
        (bar,) = build_time_histogram({bucket: 1})
        middle = compute_geometric_middle_seconds(bucket)
        assert bar.label == TIME_LABELS[sum(middle >= end for end in TIME_ENDS)]
    assert sum(bar.number for bar in build_time_histogram(dict.fromkeys(range(last), 1))) == last


def test_the_shortest_and_the_longest_times_have_a_bar():
    assert read_bars({0: 2}) == [("under 30 ms", 2)]
    assert read_bars({find_bucket(599.0): 2}) == [("over 300 s", 2)]


def test_without_answers_there_is_none():
    assert build_time_histogram({}) == []
