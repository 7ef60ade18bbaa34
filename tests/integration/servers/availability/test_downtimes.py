"""When a server is down: three calls or probes in a row that failed, until one is good."""

from datetime import timedelta

import pytest
from django.utils import timezone

from servers.availability import probe_schedule
from servers.availability.downtimes import update_strikes_and_downtimes_if_conclusive
from servers.availability.models import Downtime
from servers.calls import loop
from servers.calls.leases import lease
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.tasks import enqueue_probes_of_due_servers
from tests.annotator import Annotator
from tests.fakeserver import (
    FakeServer,
    answer,
    body_drip,
    dead,
    endless_chunks,
    endless_headers,
    gzip_bomb,
    raw,
    redirect,
    silence,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def online(server):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    return server


def call_ends(server, *outcomes):
    for outcome in outcomes:
        update_strikes_and_downtimes_if_conclusive(Server.objects.get(pk=server.pk), outcome)


def downtimes():
    """Each with its sort, and whether it still goes on."""
    return [(downtime.sort, downtime.ended is None) for downtime in Downtime.objects.order_by("pk")]


def probe(server, url, **fields):
    Server.objects.filter(pk=server.pk).update(url=url, **fields)
    return probe_schedule.probe_server_and_resume_queues_unless_busy(server.pk)


def test_it_is_down_from_the_first_of_three_failures_in_a_row(online):
    before = timezone.now()
    call_ends(online, Outcome.CONNECTION)
    after = timezone.now()
    call_ends(online, Outcome.NO_ANSWER)
    assert downtimes() == []
    call_ends(online, Outcome.COMMUNICATION)
    assert downtimes() == [("down", True)]
    assert before < Downtime.objects.get().started < after
    call_ends(online, Outcome.CONNECTION)
    assert downtimes() == [("down", True)]


@pytest.mark.parametrize("good", [Outcome.ANSWERED, Outcome.EMPTY, Outcome.INVALID])
def test_it_is_up_again_with_the_first_good_call(online, good):
    call_ends(online, *3 * [Outcome.CONNECTION], good)
    assert downtimes() == [("down", False)]
    call_ends(online, *3 * [Outcome.CONNECTION])
    assert downtimes() == [("down", False), ("down", True)]


def test_it_takes_two_failures_for_none(online):
    call_ends(online, *5 * [Outcome.CONNECTION, Outcome.NO_ANSWER, Outcome.ANSWERED])
    assert downtimes() == []


@pytest.mark.parametrize("outcome", [Outcome.HALTED, Outcome.LOST, Outcome.OUR_FAULT])
def test_it_learns_nothing_from_what_is_not_the_servers_fault(online, outcome):
    call_ends(online, Outcome.CONNECTION, Outcome.CONNECTION, outcome)
    assert Server.objects.get().strikes == 2


def test_it_writes_nothing_while_all_is_well(online, django_assert_num_queries):
    server = Server.objects.get(pk=online.pk)
    with django_assert_num_queries(0):
        update_strikes_and_downtimes_if_conclusive(server, Outcome.ANSWERED)


def test_it_begins_anew_when_its_team_starts_it(online):
    call_ends(online, *3 * [Outcome.CONNECTION])
    lifecycle.halt_server_after_current_call(online)
    assert downtimes() == [("down", True)]
    lifecycle.bring_server_online_and_resume_resting_queues(online)
    assert downtimes() == [("down", False)]
    assert Server.objects.get().strikes == 0


def test_it_counts_the_calls_of_the_loop(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    with dead() as url:
        Server.objects.update(url=url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        for _ in range(3):
            Call.objects.update(due=timezone.now())
            loop.run_slices_if_slot_and_lease_free(server.pk)
    assert downtimes() == [("down", True)]
    with Annotator(lambda sent: {"mentions": [{"section": "title", "offset": 8, "mention": "CDH1"}]}) as annotator:
        Server.objects.update(url=annotator.url)
        Call.objects.update(due=timezone.now())
        Queue.objects.update(state=QueueState.RUNNING)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert downtimes() == [("down", False)]
    taken = Attempt.objects.latest("pk")
    assert (taken.annotations, taken.document_bytes) == (1, len(article.text.encode()))


# A GET of the URL of an annotation server seldom means anything to it: whatever it says, it is there.
UP = [
    answer(b"It works"),
    answer(b"", "404 Not Found"),
    answer(b"", "501 Unsupported method"),
    answer(b"", "500 Error"),
    redirect("http://169.254.169.254/"),
    answer(b"a" * 200_000),
    gzip_bomb(20),
]


@pytest.mark.parametrize("behave", UP)
def test_it_is_up_when_a_probe_gets_any_http_answer(online, behave):
    with FakeServer(behave) as hostile:
        assert probe(online, hostile.url) == "up"
    assert hostile.requests[0].startswith(b"GET / HTTP/1.1\r\n")
    assert len(hostile.requests) == 1


@pytest.mark.parametrize(
    "behave",
    [raw(b""), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), endless_headers, raw(b"SSH-2.0-x\r\n")],
)
def test_it_is_not_up_when_no_http_answer_comes(online, behave):
    with FakeServer(behave) as hostile:
        assert probe(online, hostile.url) == "down"
    assert Server.objects.get().strikes == 1


def test_it_reads_no_endless_answer(online):
    with FakeServer(endless_chunks) as hostile:
        assert probe(online, hostile.url) == "up"


@pytest.mark.parametrize("behave", [silence, body_drip])
def test_it_waits_no_longer_than_its_deadline(online, behave, monkeypatch):
    monkeypatch.setattr("servers.availability.probe.PROBE_SECONDS", 0.3)
    with FakeServer(behave) as hostile:
        assert probe(online, hostile.url) == "down"


def test_it_probes_no_address_behind_the_door(online, settings):
    settings.ALLOWED_NETWORKS = []
    with FakeServer(answer(b"")) as hostile:
        assert probe(online, hostile.url) == "down"
    assert hostile.requests == []


def test_it_is_down_after_three_probes_and_up_after_one(online):
    with dead() as url:
        assert [probe(online, url) for _ in range(3)] == 3 * ["down"]
    assert downtimes() == [("down", True)]
    with FakeServer(answer(b"")) as hostile:
        assert probe(online, hostile.url) == "up"
    assert downtimes() == [("down", False)]


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found"])
def test_it_is_within_reach_again_when_a_probe_reaches_it(online, status):
    """A test that stopped, or a queue that was cleared, asks for nothing that could show it."""
    long_ago = timezone.now() - timedelta(days=3)
    Server.objects.update(misses=1, unreachable_since=long_ago)
    with dead() as url:
        probe(online, url)
    assert Server.objects.get().unreachable_since == long_ago
    with FakeServer(answer(b"", status)) as there:
        probe(online, there.url)
    assert (Server.objects.get().misses, Server.objects.get().unreachable_since) == (0, None)


@pytest.mark.parametrize("status", ["429 Busy", "502 Bad Gateway", "503 Busy", "504 Gateway Timeout"])
def test_it_is_not_within_reach_again_while_a_probe_meets_an_outage(online, status):
    long_ago = timezone.now() - timedelta(hours=3)
    Server.objects.update(misses=2, unreachable_since=long_ago)
    with FakeServer(answer(b"", status)) as there:
        probe(online, there.url)
    assert (Server.objects.get().misses, Server.objects.get().unreachable_since) == (2, long_ago)


@pytest.mark.parametrize("status", ["502 Bad Gateway", "504 Gateway Timeout"])
def test_it_is_down_when_a_proxy_answers_in_its_place(online, status):
    with FakeServer(answer(b"", status)) as front:
        assert probe(online, front.url) == "down"


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_it_is_paused_while_it_says_that_it_is_overloaded(online, status):
    with FakeServer(answer(b"", status)) as hostile:
        assert [probe(online, hostile.url) for _ in range(4)] == 4 * ["paused"]
    assert downtimes() == [("paused", True)]
    with FakeServer(answer(b"")) as hostile:
        probe(online, hostile.url)
    assert downtimes() == [("paused", False)]


def test_it_ends_a_pause_with_a_good_call(online):
    with FakeServer(answer(b"", "503 Busy")) as hostile:
        probe(online, hostile.url)
    call_ends(online, Outcome.ANSWERED)
    assert downtimes() == [("paused", False)]


def state(word):
    return answer(b'{"status":200,"success":true,"key":"k","data":{"state":"%s","version":"1"}}' % word.encode())


@pytest.mark.parametrize(
    ("behave", "seen"),
    [
        (state("Running"), "up"),
        (state("working"), "up"),
        (state("Asleep"), "up"),
        (state("Suspended"), "paused"),
        (state("Overloaded"), "paused"),
        (state("Shutdown"), "down"),
        (answer(b"", "503 Busy"), "paused"),
        (answer(b"<html>"), "down"),
        (answer(b"[" * 10_000), "down"),
        (answer(b'{"data": [1]}'), "down"),
        (redirect("http://127.0.0.1/"), "down"),
    ],
)
def test_it_asks_a_becalm_server_how_it_is(online, behave, seen):
    with FakeServer(behave) as hostile:
        assert probe(online, hostile.url, protocol="becalm") == seen
    assert b'"method":"getState"' in hostile.requests[0].replace(b'": "', b'":"')


def test_it_notes_which_version_a_becalm_server_says_that_it_is(online):
    with FakeServer(state("Running")) as becalm:
        probe(online, becalm.url, protocol="becalm", stated_version="0.9")
    assert Server.objects.get().stated_version == "1"


def due():
    return enqueue_probes_of_due_servers()


def test_it_probes_servers_that_are_online_and_idle_once_a_minute(online):
    assert due() == 1
    assert due() == 0
    Server.objects.update(probed=timezone.now() - timedelta(seconds=61))
    assert due() == 1


@pytest.mark.parametrize("state", [ServerState.OFFLINE, ServerState.HALTING, ServerState.FAIL])
def test_it_does_not_probe_servers_that_are_not_online(server, state):
    Server.objects.update(state=state)
    assert due() == 0


def test_it_does_not_probe_a_server_that_was_asked_within_a_minute(online, article):
    queue = contents.get_or_create_queue_and_producer(online, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    attempt = Attempt.objects.create(call=Call.objects.get(), server=online, number=1)
    assert due() == 0
    Attempt.objects.update(finished=timezone.now())
    assert due() == 0
    Attempt.objects.update(finished=attempt.started - timedelta(seconds=61))
    assert due() == 1


def test_it_does_not_probe_a_server_that_is_asked_or_rests(online):
    token = lease.acquire_free_lease_of_working_server(online.pk)
    assert (due(), probe_schedule.probe_server_and_resume_queues_unless_busy(online.pk)) == (0, "busy")
    lease.release_lease(token)
    contents.get_or_create_queue_and_producer(online, QueueMode.LIVE)
    Queue.objects.update(state=QueueState.RESTING)
    assert due() == 0


def test_it_ends_a_probe_that_its_team_halts_hard(online, monkeypatch):
    monkeypatch.setattr("servers.availability.probe.PROBE_SECONDS", 0.3)
    with FakeServer(
        lambda connection, closing: (lifecycle.halt_server_now_and_return_calls(online), silence(connection, closing))
    ) as hostile:
        assert probe(online, hostile.url) == "lost"
    assert (Server.objects.get().state, Server.objects.get().strikes) == (ServerState.OFFLINE, 0)


def test_it_asks_what_came_while_it_probed(online, article, monkeypatch):
    queue = contents.get_or_create_queue_and_producer(online, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    woken = []
    monkeypatch.setattr(probe_schedule, "enqueue_server_loop_after_commit", woken.append)
    with FakeServer(answer(b"")) as hostile:
        probe(online, hostile.url)
    assert woken == [online.pk]
    assert Call.objects.get().state == CallState.WAITING
