"""Availability, time between failures and time to repair, from histories made by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from servers.availability.measures.dependability import AvailabilityHistory, Dependability, compute_dependability
from servers.availability.measures.time_spans import (
    TimeSpan,
    intersect_time_spans,
    merge_time_spans,
    subtract_time_spans,
    sum_span_seconds,
)

MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


def add_hours(hour):
    return MIDNIGHT + timedelta(hours=hour)


def span(start, end):
    return TimeSpan(add_hours(start), add_hours(end))


DAY = span(0, 24)


def compute_day_dependability(down=(), *, at_work=((0, 24),), paused=(), maintenance=(), window=DAY):
    """Spans as pairs of hours of the day."""
    made = [[span(*pair) for pair in pairs] for pairs in (at_work, down, paused, maintenance)]
    return compute_dependability(window, AvailabilityHistory(*made))


def hours(found):
    return found.observed / 3600, found.down / 3600, found.failures


def test_it_joins_spans_that_overlap_or_touch():
    spans = [span(5, 6), span(1, 3), span(2, 4), span(4, 5), span(9, 9), span(8, 7)]
    assert merge_time_spans(spans) == [span(1, 6)]


def test_it_cuts_spans_with_each_other():
    assert intersect_time_spans([span(0, 4), span(6, 9)], [span(3, 7), span(8, 12)]) == [
        span(3, 4),
        span(6, 7),
        span(8, 9),
    ]
    assert subtract_time_spans([span(2, 8)], [span(0, 3), span(4, 5), span(7, 12)]) == [span(3, 4), span(5, 7)]
    assert subtract_time_spans([span(2, 8)], [span(0, 12)]) == []
    assert subtract_time_spans([span(0, 2), span(4, 6)], []) == [span(0, 2), span(4, 6)]
    assert subtract_time_spans([], [span(0, 1)]) == []
    assert sum_span_seconds([span(0, 1), span(2, 4)]) == 3 * 3600


def test_it_measures_the_textbook_server():
    """Up 5 h, down 1 h, up 8 h, down 2 h, up 8 h."""
    found = compute_day_dependability(down=[(5, 6), (14, 16)])
    assert hours(found) == (24, 3, 2)
    assert found.availability == 21 / 24
    assert found.mtbf == 21 * 3600 / 2
    assert found.mttr == 3 * 3600 / 2
    assert not found.down_now


def test_it_knows_no_time_between_failures_of_a_server_that_never_failed():
    found = compute_day_dependability()
    assert (found.availability, found.mtbf, found.mttr, found.up) == (1.0, None, None, 24 * 3600)


def test_it_knows_nothing_of_a_server_that_was_never_at_work():
    found = compute_day_dependability(at_work=[], down=[(1, 2)])
    assert (found.availability, found.strict_availability, found.mtbf, found.mttr) == (None, None, None, None)
    assert found == Dependability()


def test_it_takes_the_part_of_a_downtime_that_lies_in_the_window():
    assert hours(compute_day_dependability(down=[(-6, 2)])) == (24, 2, 1)
    assert hours(compute_day_dependability(down=[(22, 30)])) == (24, 2, 1)
    assert hours(compute_day_dependability(down=[(-1, 25)])) == (24, 24, 1)
    assert hours(compute_day_dependability(down=[(-2, 0), (24, 30)])) == (24, 0, 0)


def test_it_counts_a_downtime_that_is_not_over_and_says_so():
    found = compute_day_dependability(down=[(20, 24)])
    assert (found.mttr, found.down_now) == (4 * 3600, True)
    assert not compute_day_dependability(down=[(20, 23)]).down_now


def test_it_leaves_planned_maintenance_out_of_both():
    """Of the downtime from 4 to 10 the hours 6 to 8 were planned."""
    found = compute_day_dependability(down=[(4, 10)], maintenance=[(6, 8)])
    assert hours(found) == (22, 4, 1)
    assert found.availability == 18 / 22


def test_it_counts_no_failure_for_a_downtime_within_maintenance():
    assert hours(compute_day_dependability(down=[(6, 7)], maintenance=[(5, 8)])) == (21, 0, 0)


def test_it_joins_maintenance_that_overlaps():
    assert hours(compute_day_dependability(maintenance=[(5, 8), (7, 9), (-3, 1), (23, 40)])) == (18, 0, 0)


def test_it_does_not_observe_a_server_that_its_team_halted():
    """Down from 6 on, halted from 8 to 20 and up when it was started."""
    found = compute_day_dependability(down=[(6, 20)], at_work=[(0, 8), (20, 24)])
    assert hours(found) == (12, 2, 1)
    assert not found.down_now


def test_it_counts_a_downtime_once_that_a_halt_cuts_in_two():
    assert hours(compute_day_dependability(down=[(6, 22)], at_work=[(0, 8), (20, 24)])) == (12, 4, 1)


def test_it_gives_availability_with_pauses_as_up_and_as_down():
    found = compute_day_dependability(down=[(0, 3)], paused=[(2, 6)])
    assert found.availability == 21 / 24
    assert found.strict_availability == 18 / 24
    assert found.failures == 1


def test_it_takes_two_downtimes_that_touch_for_one():
    assert hours(compute_day_dependability(down=[(1, 2), (2, 3), (4, 5)])) == (24, 3, 2)


@pytest.mark.parametrize("number", [0, 1, 1000])
def test_it_counts_any_number_of_failures(number):
    half_hours = [(add_hours(hour), add_hours(hour) + timedelta(minutes=30)) for hour in range(number)]
    down = [TimeSpan(*pair) for pair in half_hours]
    window = TimeSpan(add_hours(0), add_hours(max(number, 1)))
    found = compute_dependability(window, AvailabilityHistory([window], down))
    assert (found.failures, found.down) == (number, 1800 * number)
