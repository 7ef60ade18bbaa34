"""Phases as bars on one axis, and the band of today."""

from datetime import UTC, datetime, timedelta

import pytest

from evaluation.challenges.challenge_page.timeline import Band, build_phase_timeline
from evaluation.challenges.models import Phase

START = datetime(2026, 3, 1, tzinfo=UTC)


def make_phase(first_day, last_day=None):
    return Phase(
        pk=first_day,
        opens=START + timedelta(days=first_day),
        closes=None if last_day is None else START + timedelta(days=last_day),
    )


def at(days):
    return START + timedelta(days=days)


def test_today_is_a_band_of_the_whole_day_that_is_the_same_all_day():
    phases = [make_phase(0, 4.5), make_phase(4.5, 10)]
    rows = build_phase_timeline(phases, at(4.1))
    assert [row.bar for row in rows] == [Band(0, 450), Band(450, 550)]
    # Over the end of the one phase and the beginning of the other.
    assert rows[0].today == Band(400, 100)
    assert rows[0].today.middle_percent == 45
    assert build_phase_timeline(phases, at(4.99)) == rows


def test_the_axis_goes_to_today_from_phases_that_are_not_far():
    (row,) = build_phase_timeline([make_phase(0, 5)], at(9.5))
    assert (row.bar, row.today) == (Band(0, 500), Band(900, 100))
    (row,) = build_phase_timeline([make_phase(5, 10)], at(0.5))
    assert (row.bar, row.today) == (Band(500, 500), Band(0, 100))


def test_long_before_and_after_its_phases_a_challenge_does_not_show_today():
    for now in (at(-50), at(900)):
        (row,) = build_phase_timeline([make_phase(0, 10)], now)
        assert (row.bar, row.today) == (Band(0, 1000), None)


def test_a_phase_without_an_end_goes_to_the_end_of_the_axis():
    training, test = build_phase_timeline([make_phase(0), make_phase(10, 20)], at(99))
    assert training.bar == Band(0, 1000)
    assert test.bar == Band(100, 100)
    assert training.today == Band(990, 10)


def test_a_short_bar_can_be_seen():
    short, _ = build_phase_timeline([make_phase(0, 0.01), make_phase(0.01, 100)], at(3))
    assert short.bar == Band(0, 8)


def test_there_is_no_timeline_without_phases():
    assert build_phase_timeline([], at(0)) == []


@pytest.mark.parametrize(("first", "last"), [(1, None), (1, 1000), (1, 9999), (9999, None), (2026, 2026)])
def test_phases_at_the_ends_of_the_calendar_are_bars_too(first, last):
    opens, closes = (year and datetime(year, 12, 31, tzinfo=UTC) for year in (first, last))
    (row,) = build_phase_timeline([Phase(opens=opens, closes=closes)], at(0))
    assert 0 <= row.bar.left <= row.bar.left + row.bar.width <= 1000
