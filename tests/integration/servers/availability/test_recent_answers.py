"""The answers of the last 30 days on the pages of a server."""

import re
from datetime import UTC, datetime, time, timedelta

import pytest
from django.utils import timezone

from servers.availability.models import DayTally
from servers.availability.recent_answers import load_recent_answers

pytestmark = pytest.mark.django_db


@pytest.fixture
def today():
    return timezone.now().date()


def tally(server, day, **counts):
    DayTally.objects.create(server=server, begins=datetime.combine(day, time.min, UTC), **counts)


def read_words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_it_sums_the_days_up(server, today, django_assert_num_queries):
    tally(server, today, answered=6, empty=2, no_answer=1, buckets={"80": 8})
    tally(server, today - timedelta(days=29), answered=4, invalid=3, buckets={"80": 2, "120": 2})
    # Another month.
    tally(server, today - timedelta(days=30), answered=100, connection=100, buckets={"80": 100})
    with django_assert_num_queries(1):
        recent = load_recent_answers(server, today)
    assert recent.attempts == 16
    assert [(bar.label, bar.number) for bar in recent.outcomes] == [
        ("answered", 10),
        ("empty answer", 2),
        ("answer breaks a rule", 3),
        ("no answer in time", 1),
    ]
    assert [(bar.label, bar.number) for bar in recent.times] == [
        ("30 to 100 ms", 10),
        ("100 to 300 ms", 0),
        ("300 ms to 1 s", 2),
    ]
    assert "Articles answered by day: 12 in 30 days, at most 8 in one" in recent.by_day
    assert f'|{today:%-d %B}"' in recent.by_day


def test_a_server_that_failed_always_has_outcomes_only(server, today):
    tally(server, today, connection=3)
    recent = load_recent_answers(server, today)
    assert (recent.times, [bar.share for bar in recent.outcomes]) == ([], [100.0])


def test_a_chart_begins_with_the_first_attempt_and_needs_two_days(server, today):
    tally(server, today, answered=3)
    assert load_recent_answers(server, today).by_day == ""
    tally(server, today - timedelta(days=2), answered=1)
    chart = load_recent_answers(server, today).by_day
    assert "Articles answered by day: 4 in 3 days" in chart and 'data-points="-2,1 -1,0 0,3"' in chart


def test_without_attempts_there_is_nothing_to_show(client, server, today):
    tally(server, today)
    assert load_recent_answers(server, today) is None
    assert "Answers over the last 30 days" not in read_words(client.get(f"/servers/{server.slug}/"))


@pytest.mark.parametrize("address", ["", "availability/"])
def test_everybody_who_sees_the_server_sees_them(client, server, today, address):
    tally(server, today, answered=3, no_answer=1, buckets={"80": 3})
    words = read_words(client.get(f"/servers/{server.slug}/{address}"))
    assert "Answers over the last 30 days" in words
    assert "4 attempts" in words
    assert "no answer in time 1 25.0 %" in words
