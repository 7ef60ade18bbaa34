"""Shares and small numbers in words, badges and bars of days."""

import pytest
from lxml import etree

from bcms.lib.svg.badges import GOOD, render_badge
from bcms.lib.svg.day_bars import DayShare, classify_day_share, render_day_bars
from servers.availability.wording import (
    format_response_time,
    format_share_as_percent_rounded_down,
    format_three_significant_digits,
)


@pytest.mark.parametrize(
    ("share", "words"),
    [(1.0, "100 %"), (0.999999, "99.99 %"), (0.99, "99.00 %"), (0.29, "29.00 %"), (0.0, "0 %"), (None, "-")],
)
def test_it_calls_nothing_whole_that_ever_failed(share, words):
    assert format_share_as_percent_rounded_down(share) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (12.345, "12.3"), (1234.5, "1,234"), (0.00272, "0.00272"), (0.0000123, "1.23e-05"), (None, "-")],
)
def test_it_writes_small_numbers_with_three_digits(value, words):
    assert format_three_significant_digits(value) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0482, "48.2 ms"), (4.724, "4.72 s"), (184.3, "184 s"), (0.0, "0 ms"), (None, "-")]
)
def test_it_writes_times_that_can_be_compared(seconds, words):
    assert format_response_time(seconds) == words


def test_it_draws_a_badge_that_says_what_it_shows():
    drawn = etree.fromstring(render_badge("BCMS", "99 % <up>", GOOD))
    assert drawn.get("aria-label") == "BCMS: 99 % <up>"
    assert int(drawn.get("width")) > 80


def test_it_makes_days_as_tall_as_they_were_good():
    assert [classify_day_share(share) for share in (1.0, 0.999, 0.998, 0.95, 0.94, 0.0, None)] == [
        *("whole", "whole", "fair", "fair", "poor", "poor", "none")
    ]
    drawn = render_day_bars(
        [DayShare(1.0, "Monday: <100 %>"), DayShare(None, "Tuesday")], id_prefix="h", title="Two days"
    )
    columns = etree.fromstring(drawn).findall(".//{*}path")
    assert [column.get("class") for column in columns] == ["day-whole", "day-none"]
    assert [column.get("d") for column in columns] == ["M1 0h6v34h-6z", "M9 30h6v4h-6z"]
    assert "Monday: &lt;100 %&gt;" in drawn
