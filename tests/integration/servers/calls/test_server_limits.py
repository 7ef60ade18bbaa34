"""A server's own limits: seconds of a call are the client's; calls a minute and the largest text are kept here."""

from datetime import timedelta

import pytest
from django.db.models import F

from annotations.results.models import Result
from servers.calls import loop
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.queues.time_limits import compute_strictest_time_limit_seconds
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.annotator import Annotator
from tests.fakeserver import FakeServer, silence
from tests.integration.server_cast import articles
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queue(server):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(40000001, 3)])
    return queue


def serve(server: Server, **limits: int) -> int:
    """How many articles were asked for in one slice."""
    with Annotator(lambda sent: {}) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url, **limits)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    return len(annotator.asked)


def test_it_begins_no_more_calls_in_a_minute_than_allowed(server, queue):
    assert serve(server, calls_per_minute=2) == 2
    assert serve(server) == 0
    Attempt.objects.update(started=F("started") - timedelta(minutes=1))
    assert serve(server) == 1


def test_it_sends_no_text_that_is_longer_than_the_server_takes(server, queue):
    assert serve(server, largest_text=3) == 0
    call = Call.objects.first()
    assert (call.state, call.tries) == (CallState.EMPTY, 0)
    assert call.reason == "Not sent: the text has 4 characters, but the server accepts at most 3."
    assert set(Result.objects.values_list("empty_reason", flat=True)) == {"text-too-long"}


def test_it_sends_a_text_that_is_just_as_long(server, queue):
    assert serve(server, largest_text=4) == 3


def test_it_asks_nothing_out_of_a_queue_that_is_held(server, queue):
    Queue.objects.filter(pk=queue.pk).update(held=True)
    assert serve(server) == 0
    Queue.objects.filter(pk=queue.pk).update(held=False)
    assert serve(server) == 3


def test_it_waits_longer_for_a_longer_text_up_to_the_limits_of_phase_and_site(server, queue):
    call = Call.objects.select_related("queue", "server", "article").first()
    call.server.time_limit, call.server.seconds_per_1000_characters = 10, 2.5
    assert compute_strictest_time_limit_seconds(call) == 10.01
    call.article.text = 40_000 * "x"
    assert compute_strictest_time_limit_seconds(call) == 110
    call.queue.minutes = 1
    assert compute_strictest_time_limit_seconds(call) == 60
    call.article.text, call.queue.minutes = 1_000_000 * "x", None
    assert compute_strictest_time_limit_seconds(call) == 600


def test_it_sends_the_limit_for_the_text_and_keeps_to_it(server, queue):
    with TaskServer(lambda asked: (200, {}, {"annotations": {}})) as there:
        Server.objects.update(
            url=there.url, protocol="rest", kinds=["mention"], time_limit=3, seconds_per_1000_characters=500
        )
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert [asked.json["deadline"] for asked in there.asked] == 3 * [5.0]


def test_a_connect_limit_shows_a_machine_that_is_off_long_before_the_time_limit(server, queue):
    with FakeServer(silence, reads=False) as there:
        Server.objects.update(url=there.url.replace("http:", "https:"), connect_limit=1)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    attempt = Attempt.objects.order_by("pk").first()
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.CONNECTION, "connect-limit")
    assert attempt.message.startswith("There was no connection within the connect limit of 1 s.")


def test_it_waits_no_longer_than_the_phase_the_server_and_the_site_allow(server, queue, settings):
    call = Call.objects.select_related("queue", "server").first()
    call.server.time_limit, call.queue.minutes = 600, 2
    assert compute_strictest_time_limit_seconds(call) == 120
    call.server.time_limit = 30
    assert compute_strictest_time_limit_seconds(call) == 30
    call.server.time_limit, call.queue.minutes, settings.MINUTES_PER_CALL = 600, None, 5
    assert compute_strictest_time_limit_seconds(call) == 300
