"""Lengths of time in words."""

import pytest

from bcms.lib.durations import in_words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, "-"),
        (0, "0 s"),
        (-3, "0 s"),
        (0.004, "under 0.01 s"),
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
    assert in_words(seconds) == words
