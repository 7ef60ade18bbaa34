"""Lengths of time in words."""

import pytest

from bcms.lib.durations import format_duration, format_estimated_duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "-"),
        (0, "0 s"),
        (-3, "0 s"),
        (0.0004, "under 1 ms"),
        (0.0006, "1 ms"),
        (0.0042, "4 ms"),
        (0.099, "99 ms"),
        (0.0996, "0.1 s"),
        (0.42, "0.42 s"),
        (9.949, "9.9 s"),
        (9.95, "10 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (7199, "119 min"),
        (7200, "2 h"),
        (7500, "2 h 5 min"),
        (172800, "2 d"),
        (367200, "4 d 6 h"),
    ],
)
def test_it_says_a_length_of_time_with_the_unit_that_fits(seconds, words):
    assert format_duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.03, "less than a second"), (1, "about 1 s"), (4.4, "about 4 s"), (482.7, "about 8 min")]
)
def test_it_says_an_estimate_no_finer_than_it_is(seconds, words):
    assert format_estimated_duration(seconds) == words
