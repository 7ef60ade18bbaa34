"""HTTP 429, 502, 503 and 504 are an outage of the server: its queues rest, and no article is charged a try."""

import socket
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from servers.calls import loop
from servers.calls.models import Attempt, Call, Queue
from servers.calls.states import CallState, Outcome, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests import fakeserver
from tests.fakeserver import FakeServer
from tests.integration.mode_cast import BUT_TEST, LIVE, TEST, TRAINING, get_first_call, make_mode_queue, serve

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)

OUTAGES = pytest.mark.parametrize(
    "status", ["429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"]
)
DATE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@contextmanager
def proxy_to_dead_backend():
    """A front that connects to its backend for each request and answers 502, as nginx does, when nothing listens."""
    with fakeserver.dead() as backend_url:
        backend = ("127.0.0.1", int(backend_url.rsplit(":", 1)[1].strip("/")))

        def behave(connection, _):
            try:
                socket.create_connection(backend, timeout=2).close()
            except OSError:
                body = b"<html><head><title>502 Bad Gateway</title></head></html>"
                connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        with FakeServer(behave) as front:
            yield front


def run_again(server):
    loop.run_slices_if_slot_and_lease_free(server.pk)


def compute_rest_seconds():
    return (Queue.objects.get().rest_until - timezone.now()).total_seconds()


def end_rest():
    """Let the time pass that the queue rests."""
    Queue.objects.filter(state=QueueState.RESTING).update(rest_until=Now())
    Call.objects.filter(state=CallState.WAITING).update(due=Now())


@BUT_TEST
@OUTAGES
def test_it_rests_after_one_request_and_counts_no_try(server, mode, status):
    make_mode_queue(server, mode, number=3)
    with FakeServer(fakeserver.answer(b"", status)) as there:
        assert serve(server, there.url) == [Outcome.UNAVAILABLE]
        run_again(server)
    assert len(there.requests) == 1
    assert (Queue.objects.get().state, get_first_call().state) == (QueueState.RESTING, CallState.WAITING)
    assert not Call.objects.filter(tries__gt=0).exists()
    assert 50 < compute_rest_seconds() <= 60
    message = Attempt.objects.get().message
    assert status[:3] in message
    assert "queues rest for 60 s" in message
    assert Server.objects.get().failures_running == 0


def test_it_sends_few_requests_to_a_proxy_whose_backend_is_dead(server):
    """One hundred articles, and as many minutes of rest as the loop would wait: one request for each."""
    make_mode_queue(server, LIVE, number=100)
    with proxy_to_dead_backend() as front:
        serve(server, front.url)
        for minutes in range(2, 8):
            run_again(server)
            end_rest()
            run_again(server)
            assert len(front.requests) == minutes
    assert set(Attempt.objects.values_list("outcome", "diagnosis")) == {(Outcome.UNAVAILABLE, "unavailable")}
    assert 'page titled "502 Bad Gateway"' in Attempt.objects.first().message
    assert "Start the program behind the proxy" in Attempt.objects.first().message
    assert not Call.objects.filter(tries__gt=0).exists()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ("Retry-After: 300\r\n", 300),
        ("Retry-After: 999999\r\n", 3600),
        ("Retry-After: soon\r\n", 60),
        ("Retry-After: 0\r\n", 60),
        (
            f"Date: {format_datetime(DATE, usegmt=True)}\r\n"
            f"Retry-After: {format_datetime(DATE + timedelta(seconds=240), usegmt=True)}\r\n",
            240,
        ),
        (f"Retry-After: {format_datetime(DATE - timedelta(days=900), usegmt=True)}\r\n", 60),
    ],
)
def test_it_rests_as_long_as_the_server_asks(server, headers, seconds):
    make_mode_queue(server, TRAINING)
    with FakeServer(fakeserver.answer(b"", "503 Busy", headers)) as there:
        serve(server, there.url)
    assert seconds - 10 < compute_rest_seconds() <= seconds
    assert f"rest for {seconds:,} s" in Attempt.objects.get().message


def test_it_goes_on_after_the_rest(server):
    make_mode_queue(server, LIVE)
    with FakeServer(fakeserver.answer(b"", "503 Busy")) as there:
        serve(server, there.url)
    with FakeServer(fakeserver.say()) as there:
        Server.objects.update(url=there.url)
        run_again(server)
        assert there.requests == []
        end_rest()
        run_again(server)
    assert not Call.objects.exclude(state__in=[CallState.ANSWERED, CallState.EMPTY]).exists()
    assert list(Call.objects.values_list("tries", flat=True)) == [1, 1]
    assert (Server.objects.get().misses, Server.objects.get().unreachable_since) == (0, None)


@OUTAGES
def test_it_stops_a_test(server, status):
    queue = make_mode_queue(server, TEST)
    with FakeServer(fakeserver.answer(b"", status)) as there:
        assert serve(server, there.url) == [Outcome.UNAVAILABLE]
        run_again(server)
    queue.refresh_from_db()
    assert (queue.state, queue.stopped_on) == (QueueState.STOPPED, get_first_call())
    assert len(there.requests) == 1


def test_it_takes_a_server_off_after_a_day_of_outage(server):
    make_mode_queue(server, LIVE)
    with FakeServer(fakeserver.answer(b"", "502 Bad Gateway")) as there:
        serve(server, there.url)
        assert Server.objects.get().state == ServerState.ONLINE
        Server.objects.update(unreachable_since=F("unreachable_since") - timedelta(hours=25))
        end_rest()
        run_again(server)
    assert Server.objects.get().state == ServerState.FAIL
    assert "502" in Server.objects.get().state_reason


def test_it_gives_up_an_article_for_which_alone_the_server_is_unavailable(server):
    """A program that crashes on one article leaves its proxy with 502, whatever other articles get."""
    make_mode_queue(server, LIVE)
    first = get_first_call()
    with FakeServer(fakeserver.answer(b"", "502 Bad Gateway")) as there:
        Call.objects.exclude(pk=first.pk).delete()
        serve(server, there.url)
        for _ in range(9):
            # Another article was answered meanwhile.
            Server.objects.update(misses=0, unreachable_since=None)
            end_rest()
            run_again(server)
    first.refresh_from_db()
    assert (first.state, first.tries) == (CallState.FAILED, 5)
    assert len(there.requests) == 10
