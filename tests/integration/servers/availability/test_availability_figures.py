"""The published figures, brought up to date from attempts by hour and day, downtimes, halts and maintenance."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from servers.availability import published_figures
from servers.availability.models import DayTally, DayUptime, Downtime, Figures, HourTally, Maintenance
from servers.availability.rollups import roll_up_attempts_and_delete_old_hours
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.registry.models import Server, ServerEvent
from servers.registry.states import ServerState
from tests.reference.buckets import compute_bucket

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 15, 20, tzinfo=UTC)


@pytest.fixture
def call(server, article):
    """Of a server that has been online for 100 days."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    Server.objects.update(created=NOW - timedelta(days=100), state=ServerState.ONLINE)
    return Call.objects.get()


def attempt(call, ago, outcome=Outcome.ANSWERED, wait=1.0, annotations=3, **fields):
    """One that began so long ago, and whose answer took `wait` seconds."""
    made = Attempt.objects.create(
        call=call,
        server=call.server,
        number=1,
        outcome=outcome,
        phases={"resolve": 5.0, "wait": wait, **fields.pop("phases", {})},
        annotations=annotations,
        document_bytes=1000,
    )
    Attempt.objects.filter(pk=made.pk).update(started=NOW - ago, finished=NOW - ago + timedelta(seconds=wait))


def figures(window="24h", now=NOW):
    published_figures.update_rollups_and_figures_of_servers(now)
    return Figures.objects.get(window=window)


def down(server, began, ended=None, sort="down"):
    """A downtime from one time to another, both so long ago."""
    Downtime.objects.create(server=server, sort=sort, started=NOW - began, ended=None if ended is None else NOW - ended)


def record_halt(server, ago, before, after):
    ServerEvent.objects.create(server=server, at=NOW - ago, before=before, after=after)
    Server.objects.update(state=after)


HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


def test_it_counts_attempts_by_outcome(call):
    for outcome in (Outcome.ANSWERED, Outcome.ANSWERED, Outcome.EMPTY, Outcome.INVALID, Outcome.CONNECTION):
        attempt(call, HOUR, outcome)
    for outcome in (Outcome.COMMUNICATION, Outcome.NO_ANSWER, Outcome.HALTED, Outcome.LOST, Outcome.OUR_FAULT):
        attempt(call, HOUR, outcome)
    found = figures()
    counts = [found.answered, found.empty, found.invalid, found.connection, found.communication, found.no_answer]
    assert counts == [2, 1, 1, 1, 1, 1]
    assert (found.documents, found.annotations, found.document_bytes, found.seconds) == (3, 9, 3000, 3.0)


def test_it_takes_the_time_from_the_last_byte_sent_to_the_last_received_or_the_callback(call):
    attempt(call, HOUR, phases={"wait": 0.5, "transfer": 0.25, "work": 4.0})
    assert (figures().seconds, figures().slowest) == (4.75, 4.75)


def test_it_adds_up_round_trips_and_acknowledgements_of_what_was_accepted(call):
    attempt(call, HOUR, phases={"connect": 0.25, "wait": 1.0})
    attempt(call, 30 * HOUR, Outcome.EMPTY, phases={"connect": 0.25, "wait": 0.5, "transfer": 0.25, "work": 4.0})
    # Its answer was quicker than the connecting; and what was not accepted does not count.
    attempt(call, HOUR, phases={"connect": 0.5, "wait": 0.125})
    attempt(call, HOUR, Outcome.NO_ANSWER, phases={"connect": 9.0, "wait": 9.0, "work": 9.0})
    week, day = figures("7d"), figures("24h")
    assert (week.seconds, week.round_trips, day.round_trips) == (5.875, 0.625, 0.375)
    assert (week.acknowledged, week.acknowledgement_seconds, day.acknowledged) == (1, 0.75, 0)


def test_it_gives_percentiles_of_the_times(call):
    for number in range(1, 101):
        attempt(call, HOUR + timedelta(seconds=number), wait=number / 10)
    found = figures()
    for percent, exact in ((50, 5.0), (90, 9.0), (95, 9.5), (99, 9.9)):
        assert math.isclose(getattr(found, f"p{percent}"), exact, rel_tol=0.026)
    assert found.slowest == 10.0


@pytest.mark.parametrize("wait", [0.0, 0.0005, 0.001, 0.0123, 1.0, 9.99, 600.0])
def test_it_fills_the_same_buckets_in_the_database(call, wait):
    attempt(call, HOUR, wait=wait)
    figures()
    assert HourTally.objects.get().buckets == {str(compute_bucket(wait)): 1}


def test_it_counts_each_window_for_itself(call):
    for ago in (2 * HOUR, 3 * DAY, 20 * DAY, 80 * DAY, 95 * DAY):
        attempt(call, ago)
    published_figures.update_rollups_and_figures_of_servers(NOW)
    counts = {row.window: row.answered for row in Figures.objects.all()}
    assert counts == {"24h": 1, "7d": 2, "30d": 3, "90d": 4}


def test_it_cuts_windows_at_whole_hours(call):
    attempt(call, DAY + timedelta(minutes=20))
    attempt(call, DAY + timedelta(minutes=21))
    attempt(call, 7 * DAY + timedelta(minutes=20))
    attempt(call, 7 * DAY + timedelta(minutes=21))
    assert (figures("24h").answered, figures("7d").answered) == (1, 3)


def test_it_counts_again_what_was_under_way(call):
    attempt(call, 3 * HOUR, Outcome.UNDER_WAY)
    assert figures().answered == 0
    Attempt.objects.update(outcome=Outcome.ANSWERED)
    assert figures().answered == 1
    assert figures("90d").answered == 1


def test_it_counts_the_same_twice(call):
    attempt(call, 3 * HOUR)
    attempt(call, 30 * HOUR)
    assert (figures("90d").answered, figures("90d").answered, DayTally.objects.count()) == (2, 2, 2)


def test_it_counts_no_attempt_with_several_articles_in_its_request(call):
    attempt(call, HOUR, wait=2.0)
    before = figures().seconds, figures().answered, figures().no_answer
    for outcome in (Outcome.ANSWERED, Outcome.NO_ANSWER, Outcome.INVALID):
        attempt(call, HOUR, outcome, wait=60.0)
    Attempt.objects.filter(phases__wait=60.0).update(articles_in_request=8)
    for model in (HourTally, DayTally):
        model.objects.all().delete()
    assert (figures().seconds, figures().answered, figures().no_answer) == before == (2.0, 1, 0)
    assert (figures().invalid, figures().documents, figures().p99) == (0, 1, figures().p50)


def test_it_counts_hours_that_are_settled_no_more(call, django_assert_num_queries):
    attempt(call, 30 * HOUR)
    figures()
    Attempt.objects.update(outcome=Outcome.EMPTY)
    with django_assert_num_queries(6):
        roll_up_attempts_and_delete_old_hours(NOW)
    assert HourTally.objects.get().settled
    assert HourTally.objects.get().answered == 1


def test_it_gives_availability_exactly(call):
    down(call.server, 10 * HOUR, 9 * HOUR)
    down(call.server, 5 * HOUR, 3 * HOUR)
    found = figures()
    assert (found.observed, found.down, found.failures) == (24 * 3600, 3 * 3600, 2)
    assert (figures("7d").observed, figures("7d").down) == (7 * 24 * 3600, 3 * 3600)


def test_it_cuts_a_downtime_at_the_window(call):
    down(call.server, 30 * HOUR, 23 * HOUR)
    assert (figures("24h").down, figures("7d").down) == (3600, 7 * 3600)


def test_it_counts_a_downtime_that_is_not_over(call):
    down(call.server, 2 * HOUR)
    found = figures()
    assert (found.down, found.failures, found.down_now) == (2 * 3600, 1, True)


def test_it_tells_pauses_apart(call):
    down(call.server, 4 * HOUR, 2 * HOUR, sort="paused")
    down(call.server, 3 * HOUR, HOUR)
    found = figures()
    assert (found.down, found.down_or_paused) == (2 * 3600, 3 * 3600)


def test_it_leaves_planned_maintenance_out(call):
    down(call.server, 6 * HOUR, 2 * HOUR)
    Maintenance.objects.create(server=call.server, starts=NOW - 5 * HOUR, ends=NOW - 3 * HOUR)
    found = figures()
    assert (found.observed, found.down, found.failures) == (22 * 3600, 2 * 3600, 1)


def test_it_does_not_observe_a_server_that_its_team_halted(call):
    down(call.server, 8 * HOUR, 2 * HOUR)
    record_halt(call.server, 6 * HOUR, ServerState.ONLINE, ServerState.HALTING)
    record_halt(call.server, 6 * HOUR, ServerState.HALTING, ServerState.OFFLINE)
    record_halt(call.server, 2 * HOUR, ServerState.OFFLINE, ServerState.ONLINE)
    found = figures()
    assert (found.observed, found.down, found.down_now) == (20 * 3600, 2 * 3600, False)


def test_it_takes_a_server_that_failed_for_down_until_it_is_started(call):
    record_halt(call.server, 5 * HOUR, ServerState.ONLINE, ServerState.FAIL)
    found = figures()
    assert (found.observed, found.down, found.down_now) == (24 * 3600, 5 * 3600, True)
    record_halt(call.server, HOUR, ServerState.FAIL, ServerState.ONLINE)
    assert (figures().down, figures().down_now) == (4 * 3600, False)


def test_it_knows_a_server_from_its_registration_on(call):
    Server.objects.update(created=NOW - 3 * HOUR)
    assert figures("90d").observed == 3 * 3600


def test_it_knows_nothing_of_a_server_that_never_ran(server):
    Server.objects.update(created=NOW - DAY)
    assert (figures().observed, figures().answered, figures().p50) == (0, 0, None)


def test_it_keeps_the_uptime_of_each_day(call):
    down(call.server, 17 * HOUR, 14 * HOUR)
    published_figures.update_rollups_and_figures_of_servers(NOW)
    days = {row.day.isoformat(): (row.observed / 3600, row.down / 3600) for row in DayUptime.objects.all()}
    assert len(days) == 91
    assert (days["2026-03-08"], days["2026-03-09"]) == ((24, 0), (24, 100 / 60))
    assert days["2026-03-10"] == (15 + 20 / 60, 80 / 60)


def test_it_mends_yesterday_when_a_downtime_is_noted_after_midnight(call):
    published_figures.update_rollups_and_figures_of_servers(NOW)
    down(call.server, 16 * HOUR)
    published_figures.update_rollups_and_figures_of_servers(NOW + HOUR)
    assert DayUptime.objects.get(day="2026-03-09").down == 40 * 60


def test_it_forgets_hours_that_no_window_needs(call):
    HourTally.objects.create(server=call.server, begins=datetime(2020, 1, 1, tzinfo=UTC), settled=True)
    attempt(call, HOUR)
    published_figures.update_rollups_and_figures_of_servers(NOW)
    assert not HourTally.objects.filter(begins__year=2020).exists()


def test_it_costs_the_same_queries_for_each_server_however_long_its_past(call, django_assert_num_queries):
    attempt(call, HOUR)
    published_figures.update_rollups_and_figures_of_servers(NOW)
    number = 15
    with django_assert_num_queries(number):
        published_figures.update_rollups_and_figures_of_servers(NOW)
    for day in range(60):
        down(call.server, day * DAY + HOUR, day * DAY)
        attempt(call, day * DAY + HOUR)
    with django_assert_num_queries(number):
        published_figures.update_rollups_and_figures_of_servers(NOW)
