"""When a web worker closes a connection: how slowly a client may send and read."""

import socket
from types import SimpleNamespace

import pytest
from waitress.adjustments import Adjustments

from bcms.web_server import connections
from bcms.web_server.connections import (
    BYTES_PER_SECOND,
    FIRST_BYTES_SECONDS,
    HEADER_SECONDS,
    MAX_WAITING_SECONDS,
    RETRY_SECONDS,
    TRANSFER_SECONDS,
    Connection,
    WebServer,
    list_longest_receiving_above_limit,
)
from tests.module_time import replace_time

HEADERS = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"


@pytest.fixture
def connection(monkeypatch):
    """A connection that was accepted at the second 0."""
    replace_time(monkeypatch, connections, monotonic=lambda: 0.0)
    ours, theirs = socket.socketpair()
    server = SimpleNamespace(active_channels={}, add_task=lambda _: None, pull_trigger=lambda: None)
    server.find_most_body_bytes = {"/": 1_000_000, "/ü": 100}.__getitem__
    with theirs:
        accepted = Connection(server, ours, ("127.0.0.1", 1), Adjustments(), map={})
        yield accepted
        accepted.handle_close()


def test_headers_have_to_arrive_in_time(connection):
    connection.received(b"GET / HT")

    assert not connection.is_too_slow(HEADER_SECONDS)
    assert connection.is_too_slow(HEADER_SECONDS + 0.1)


@pytest.mark.parametrize("received", [0, 50_000])
def test_a_body_has_to_arrive_at_a_least_rate(connection, received):
    connection.received(HEADERS + b"a" * received)
    allowed = TRANSFER_SECONDS + received / BYTES_PER_SECOND

    assert not connection.is_too_slow(allowed)
    assert connection.is_too_slow(allowed + 0.1)


def test_a_request_may_take_as_long_to_answer_as_it_needs(connection):
    connection.received(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert not connection.is_too_slow(10_000.0)
    assert not connection.is_idle_since(float("inf"))


def test_an_answer_has_to_be_read_at_a_least_rate(connection):
    connection.total_outbufs_len = 1
    assert not connection.is_too_slow(100.0)
    assert not connection.is_too_slow(100.0 + TRANSFER_SECONDS)
    assert connection.is_too_slow(100.0 + TRANSFER_SECONDS + 0.1)
    connection.answer_bytes = 50_000
    assert not connection.is_too_slow(100.0 + TRANSFER_SECONDS + 50_000 / BYTES_PER_SECOND)
    connection.total_outbufs_len = 0


def test_a_connection_without_a_request_is_idle(connection):
    assert connection.is_idle_since(connection.last_activity + 1)
    assert not connection.is_idle_since(connection.last_activity - 1)
    connection.received(b"GET / HT")
    assert not connection.is_idle_since(connection.last_activity + 1)


def test_a_request_may_be_on_the_way_at_first_and_while_it_is_received(connection):
    accepted = connection.creation_time

    assert connection.may_bring_request(accepted)
    assert not connection.may_bring_request(accepted + FIRST_BYTES_SECONDS)
    connection.received(b"GET / HT")
    assert connection.may_bring_request(accepted + FIRST_BYTES_SECONDS)


def test_unfinished_bodies_together_have_a_limit():
    sent = [
        SimpleNamespace(request_began=began, unfinished_body_bytes=size) for began, size in [(3, 5), (1, 4), (2, 0)]
    ]
    late, early, _ = sent

    assert list_longest_receiving_above_limit(sent, 9) == []
    assert list_longest_receiving_above_limit(sent, 8) == [early]
    assert list_longest_receiving_above_limit(sent, 4) == [early, late]


def test_it_knows_how_much_of_a_body_it_holds(connection):
    assert connection.unfinished_body_bytes == 0
    connection.received(HEADERS + b"a" * 70)
    assert connection.unfinished_body_bytes == 70


def test_a_body_that_is_too_large_is_left_unread(connection):
    connection.received(b"POST /%C3%BC HTTP/1.1\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n" + b"a" * 101)
    request, *_ = connection.requests

    assert (request.headers["CONTENT_LENGTH"], request.get_body_stream().read()) == ("101", b"")
    assert request.headers["CONNECTION"] == "close"
    assert not request.error and not connection.sent_continue


@pytest.mark.parametrize(("size", "refused"), [(80, False), (101, True)])
def test_a_chunked_body_may_be_as_large(connection, size, refused):
    connection.received(b"POST /%C3%BC HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    connection.received(b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"a" * size))

    assert bool(connection.requests[0].error) == refused


def answer_after(seconds, path, monkeypatch):
    """What a client gets for whose request a thread is free after so many seconds."""

    def application(environ, start_response):
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]

    tasks, clock = [], SimpleNamespace(now=100.0)
    replace_time(monkeypatch, connections, monotonic=lambda: clock.now)
    threads = SimpleNamespace(add_task=tasks.append, set_thread_count=lambda _: None)
    listening = socket.create_server(("127.0.0.1", 0))
    place = (socket.AF_INET, socket.SOCK_STREAM, 0, listening.getsockname())
    given = {"_sock": listening, "dispatcher": threads, "adj": Adjustments(ident=None), "sockinfo": place}
    server = WebServer(application, {}, bind_socket=False, **given)
    server.find_most_body_bytes = {path: 0}.__getitem__
    ours, theirs = socket.socketpair()
    with theirs, listening:
        accepted = Connection(server, ours, ("127.0.0.1", 1), server.adj, map={})
        accepted.received(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        clock.now += seconds
        tasks.pop().service()
        accepted.handle_write()
        answer = theirs.recv(10_000).decode()
        accepted.handle_close()
        server.close()
    return answer


def test_a_request_that_waited_for_a_thread_is_answered(monkeypatch):
    assert answer_after(MAX_WAITING_SECONDS, "/", monkeypatch).startswith("HTTP/1.1 200")


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "text/html; charset=utf-8"), ("/api/v1/", "application/problem+json")]
)
def test_a_request_that_waited_too_long_is_refused(monkeypatch, path, kind):
    answer = answer_after(MAX_WAITING_SECONDS + 0.1, path, monkeypatch)

    assert answer.startswith("HTTP/1.1 503 Service Unavailable")
    assert f"Retry-After: {RETRY_SECONDS}\r\n" in answer
    assert f"Content-Type: {kind}\r\n" in answer
    assert "Try again in 5 seconds." in answer
    assert "X-Content-Type-Options: nosniff\r\n" in answer and "default-src 'none'" in answer
