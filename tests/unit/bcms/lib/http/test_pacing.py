"""How long a Retry-After header asks to wait, in seconds or as a date."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from bcms.lib.http.pacing import parse_retry_after_seconds_or_zero

DATE = "Mon, 02 Mar 2026 09:00:00 GMT"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 5 ", 5.0),
        ("Mon, 02 Mar 2026 09:04:00 GMT", 240.0),
        ("Monday, 02-Mar-26 09:01:00 GMT", 60.0),
        ("Mon Mar  2 09:00:30 2026", 30.0),
        ("Mon, 02 Mar 2026 08:00:00 GMT", 0.0),
        ("", 0.0),
        ("-3", 0.0),
        ("1.5", 0.0),
        ("9999999999", 0.0),
        ("\u0663", 0.0),
        ("soon", 0.0),
        ("Mon, 99 Mar 99999999999999999999 09:00:00 GMT", 0.0),
    ],
)
def test_it_reads_seconds_and_dates(header, seconds):
    assert parse_retry_after_seconds_or_zero(header, DATE) == seconds


def test_it_compares_a_date_with_our_clock_when_the_reply_has_none():
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3500 < parse_retry_after_seconds_or_zero(in_an_hour) <= 3600
    assert 3500 < parse_retry_after_seconds_or_zero(in_an_hour, "no date") <= 3600
