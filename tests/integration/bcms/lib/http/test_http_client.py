"""The guarded door out against a server on loopback that does its worst."""

import gzip
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from bcms.lib.http import client
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.http.exchange import Exchange
from tests import fakeserver
from tests.fakeserver import LOOPBACK, FakeServer, answer

CAP = 100_000
# Far from every deadline here: what ends sooner did not wait for one.
LONG = 20.0


def post(url, deadline=LONG, max_bytes=CAP, body=b"<x/>", **options):
    return request_permitted_url(
        "POST", url, body=body, deadline_seconds=deadline, max_bytes=max_bytes, extra_networks=LOOPBACK, **options
    )


def fault(url, **options):
    with pytest.raises(HttpError) as caught:
        post(url, **options)
    return caught.value


def test_it_brings_the_answer_whatever_its_status():
    with FakeServer(answer(b"gone", "410 Gone", "Content-Type: text/plain\r\n")) as server:
        reply = post(server.url)
    assert (reply.status, reply.body, reply.headers["content-type"], reply.url) == (
        410,
        b"gone",
        "text/plain",
        server.url,
    )


def test_it_sends_the_request_as_it_was_given():
    with FakeServer(answer(b"")) as server:
        post(server.url + "a%20b/é?x=1&y=ü", body=b"hello", headers={"Content-Type": "text/xml"})
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /a%20b/%C3%A9?x=1&y=%C3%BC HTTP/1.1\r\n")
    assert b"Content-Type: text/xml" in head
    assert b"Accept-Encoding: identity" in head
    assert f"Host: 127.0.0.1:{server.port}".encode() in head
    assert body == b"hello"


def test_it_tells_the_phases_of_time_and_what_went_over_the_wire():
    exchange = Exchange()
    with FakeServer(answer(b"y" * 70_000)) as server:
        post(server.url, body=b"hello", exchange=exchange)
    assert set(exchange.phases) >= {"resolve", "connect", "send", "wait", "transfer"}
    assert exchange.request.endswith(b"\r\n\r\nhello")
    assert exchange.request_sent
    assert exchange.received == b"y" * 65_536


def test_it_ignores_proxies_of_the_environment(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    with FakeServer(answer(b"direct")) as server:
        assert post(server.url).body == b"direct"


@pytest.mark.parametrize("behave", [fakeserver.silence, fakeserver.header_drip, fakeserver.body_drip])
def test_it_ends_at_the_deadline_however_the_server_dawdles(behave):
    exchange = Exchange()
    started = time.monotonic()
    with FakeServer(behave) as server:
        error = fault(server.url, deadline=0.4, exchange=exchange)
    assert error.kind is HttpFault.DEADLINE
    assert exchange.request_sent
    assert 0.4 <= time.monotonic() - started < LONG / 2


def test_it_keeps_what_came_before_the_deadline():
    exchange = Exchange()
    with FakeServer(fakeserver.body_drip) as server:
        fault(server.url, deadline=0.4, exchange=exchange)
    assert exchange.received.startswith(b"aa")
    assert exchange.phases["transfer"] > 0


def test_it_ends_at_the_deadline_when_nobody_accepts():
    exchange = Exchange()
    with fakeserver.deaf() as url:
        assert fault(url, deadline=0.4, exchange=exchange).kind is HttpFault.DEADLINE
    assert not exchange.request_sent


def test_it_ends_at_the_deadline_when_the_request_is_not_read():
    exchange = Exchange()
    with FakeServer(fakeserver.silence, reads=False) as server:
        error = fault(server.url, deadline=0.5, body=b"x" * 50_000_000, exchange=exchange)
    assert error.kind is HttpFault.DEADLINE
    assert not exchange.request_sent


@pytest.mark.parametrize("behave", [fakeserver.endless_chunks, fakeserver.gzip_bomb(50)])
def test_it_stops_reading_at_the_cap(behave):
    exchange = Exchange()
    with FakeServer(behave) as server:
        assert fault(server.url, exchange=exchange).kind is HttpFault.TOO_LARGE
    assert len(exchange.received) == 65_536


def test_it_refuses_a_length_above_the_cap_before_reading():
    with FakeServer(fakeserver.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n")) as server:
        assert fault(server.url).kind is HttpFault.TOO_LARGE


def test_it_takes_a_body_of_exactly_the_cap():
    with FakeServer(answer(b"a" * CAP)) as server:
        assert len(post(server.url).body) == CAP
    with FakeServer(answer(gzip.compress(b"a" * CAP), headers="Content-Encoding: gzip\r\n")) as server:
        assert len(post(server.url).body) == CAP


def test_it_stops_at_endless_headers():
    with FakeServer(fakeserver.endless_headers) as server:
        assert fault(server.url).kind is HttpFault.NOT_HTTP


def test_it_stops_at_endless_interim_answers():
    with FakeServer(fakeserver.endless_continues) as server:
        assert fault(server.url).kind is HttpFault.TOO_LARGE


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/x",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nonly this",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"only this")[:-9],
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip",
    ],
)
def test_it_says_that_an_answer_was_cut_off(data):
    with FakeServer(fakeserver.raw(data)) as server:
        assert fault(server.url).kind is HttpFault.CUT_OFF


@pytest.mark.parametrize(
    "data",
    [
        b"220 mail.example.org ESMTP\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx",
    ],
)
def test_it_says_that_an_answer_is_not_http(data):
    with FakeServer(fakeserver.raw(data)) as server:
        assert fault(server.url).kind is HttpFault.NOT_HTTP


def test_it_reads_an_answer_that_ends_with_the_connection():
    with FakeServer(fakeserver.raw(b"HTTP/1.0 200 OK\r\n\r\nall of it")) as server:
        assert post(server.url).body == b"all of it"


def test_it_reads_what_was_said_before_hanging_up_on_a_large_request():
    said = b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
    with FakeServer(fakeserver.raw(said), reads=False) as server:
        try:
            assert post(server.url, body=b"x" * 5_000_000).status == 413
        except HttpError as error:
            # The system may drop what came when the connection is reset.
            assert error.kind is HttpFault.CUT_OFF


def test_it_never_sends_a_post_on():
    with FakeServer(fakeserver.redirect("http://user:secret@169.254.169.254/latest/?key=1")) as server:
        error = fault(server.url)
    assert error.kind is HttpFault.REDIRECT
    assert error.detail == "http://169.254.169.254/latest/"


def get(url, redirects):
    return request_permitted_url(
        "GET", url, deadline_seconds=LONG, max_bytes=CAP, extra_networks=LOOPBACK, max_get_redirects=redirects
    )


def test_it_follows_a_get_and_checks_each_address_anew():
    with (
        FakeServer(fakeserver.redirect("http://169.254.169.254/latest/")) as server,
        pytest.raises(HttpError) as caught,
    ):
        get(server.url, redirects=3)
    assert caught.value.kind is HttpFault.BLOCKED_ADDRESS


def test_it_follows_a_get_as_often_as_it_may():
    with FakeServer(answer(b"here")) as last, FakeServer(fakeserver.redirect(last.url + "x")) as first:
        reply = get(first.url, redirects=1)
        assert (reply.body, reply.url) == (b"here", last.url + "x")
        with pytest.raises(HttpError) as caught:
            get(first.url, redirects=0)
    assert caught.value.kind is HttpFault.REDIRECT
    assert last.requests[0].startswith(b"GET /x HTTP/1.1\r\n")


def test_it_does_not_run_in_circles():
    with FakeServer(fakeserver.redirect("/again")) as server, pytest.raises(HttpError) as caught:
        get(server.url, redirects=5)
    assert caught.value.kind is HttpFault.REDIRECT
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "http:///path",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://[::1/",
        "http://alice:secret@example.org/",
        "http://example.org/a b",
        "http://example.org/\r\nX-Injected: 1",
        "http://exa\tmple.org/",
        "http://" + "ü" * 70 + ".org/",
        "",
    ],
)
def test_it_refuses_a_url_that_is_none(url):
    error = fault(url)
    assert error.kind is HttpFault.BAD_URL
    assert "secret" not in str(error)


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "0"])
def test_it_does_not_connect_to_a_private_address_however_it_is_spelled(host):
    with FakeServer(answer(b"inside")) as server, pytest.raises(HttpError) as caught:
        request_permitted_url("GET", f"http://{host}:{server.port}/", deadline_seconds=LONG, max_bytes=CAP)
    assert caught.value.kind is HttpFault.BLOCKED_ADDRESS
    assert not server.asked.is_set()


@contextmanager
def names(monkeypatch, *answers):
    """A resolver that gives these addresses, one list per question, as an attacker's would."""
    given = iter(answers)

    def resolve(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in next(given)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    yield
    monkeypatch.undo()


def test_it_connects_to_the_address_that_it_checked(monkeypatch):
    # A second question would lead to another address; there is none.
    with FakeServer(answer(b"once")) as server, names(monkeypatch, ["127.0.0.1"]):
        reply = post(f"http://rebinding.example:{server.port}/")
    assert reply.body == b"once"
    assert f"Host: rebinding.example:{server.port}".encode() in server.requests[0]


def test_it_leaves_out_the_addresses_of_a_name_that_are_not_permitted(monkeypatch):
    with FakeServer(answer(b"permitted")) as server, names(monkeypatch, ["10.0.0.1", "127.0.0.1"]):
        assert post(f"http://mixed.example:{server.port}/").body == b"permitted"


def test_it_tries_the_next_address_when_one_refuses(monkeypatch):
    with FakeServer(answer(b"second")) as server, names(monkeypatch, ["127.0.0.2", "127.0.0.1"]):
        assert post(f"http://two.example:{server.port}/").body == b"second"


def test_it_says_that_a_name_was_not_found():
    error = fault("http://no-such-host.invalid/")
    assert error.kind is HttpFault.NAME_NOT_FOUND
    assert "no-such-host.invalid" in str(error)


def test_it_does_not_wait_for_a_resolver_longer_than_the_deadline(monkeypatch):
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait() and [])
    assert fault("http://slow-names.example/", deadline=0.3).kind is HttpFault.DEADLINE
    answered.set()


def test_it_says_that_nothing_listens():
    with fakeserver.dead() as url:
        assert fault(url).kind is HttpFault.REFUSED


def test_it_refuses_a_certificate_that_nobody_signed():
    with FakeServer(answer(b"secret"), tls=True) as server:
        error = fault(server.url)
    assert error.kind is HttpFault.TLS
    assert "self-signed" in error.detail
    assert server.requests == []


@pytest.fixture
def trusted(monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(fakeserver.CERTIFICATE))
    client.get_tls_context_with_bundled_roots.cache_clear()
    yield
    client.get_tls_context_with_bundled_roots.cache_clear()


def test_it_speaks_tls_with_the_name_that_was_asked(trusted):
    exchange = Exchange()
    with FakeServer(answer(b"private"), tls=True) as server:
        assert post(f"https://localhost:{server.port}/", exchange=exchange).body == b"private"
    assert exchange.phases["tls"] > 0


def test_it_refuses_a_certificate_for_another_name(trusted, monkeypatch):
    with FakeServer(answer(b"private"), tls=True) as server, names(monkeypatch, ["127.0.0.1"]):
        error = fault(f"https://other.example:{server.port}/")
    assert error.kind is HttpFault.TLS
    assert "other.example" in error.detail


def test_it_says_that_a_server_speaks_no_tls():
    with FakeServer(fakeserver.raw(b"HTTP/1.1 400 Bad Request\r\n\r\n"), reads=False) as server:
        assert fault(server.url.replace("http:", "https:")).kind is HttpFault.TLS


def test_it_ends_at_the_deadline_while_tls_is_set_up():
    with FakeServer(fakeserver.silence, reads=False) as server:
        assert fault(server.url.replace("http:", "https:"), deadline=0.4).kind is HttpFault.DEADLINE


def abort_request(url, blocked, exchange=None, **options):
    """What a request that is aborted once `blocked` is true ends with, in a thread that must end at once."""
    exchange = exchange or Exchange()
    raised = []

    def run():
        try:
            post(url, exchange=exchange, max_bytes=10**12, **options)
        except HttpError as error:
            raised.append(error.kind)

    thread = threading.Thread(target=run)
    thread.start()
    end = time.monotonic() + LONG
    while not blocked() and time.monotonic() < end:
        time.sleep(0.01)
    exchange.abort()
    thread.join(LONG / 2)
    assert not thread.is_alive()
    return raised


@pytest.mark.parametrize(
    "behave", [fakeserver.silence, fakeserver.header_drip, fakeserver.body_drip, fakeserver.endless_chunks]
)
def test_it_can_be_aborted_while_it_waits_or_reads(behave):
    with FakeServer(behave) as server:
        assert abort_request(server.url, server.asked.is_set) == [HttpFault.ABORTED]


def test_it_can_be_aborted_while_it_sends():
    with FakeServer(fakeserver.silence, reads=False) as server:
        assert abort_request(server.url, server.asked.is_set, body=b"x" * 50_000_000) == [HttpFault.ABORTED]


def test_it_can_be_aborted_while_it_connects():
    exchange = Exchange()
    with fakeserver.deaf() as url:
        assert abort_request(url, lambda: "resolve" in exchange.phases, exchange) == [HttpFault.ABORTED]


def test_it_can_be_aborted_while_tls_is_set_up():
    with FakeServer(fakeserver.silence, reads=False) as server:
        url = server.url.replace("http:", "https:")
        assert abort_request(url, server.asked.is_set) == [HttpFault.ABORTED]


def test_it_can_be_aborted_while_tls_is_read(trusted):
    with FakeServer(fakeserver.body_drip, tls=True) as server:
        assert abort_request(server.url, server.asked.is_set) == [HttpFault.ABORTED]


def test_it_can_be_aborted_while_a_name_is_looked_up(monkeypatch):
    asked, answered = threading.Event(), threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: asked.set() or (answered.wait() and []))
    assert abort_request("http://slow-names.example/", asked.is_set) == [HttpFault.ABORTED]
    answered.set()


def test_it_does_not_begin_when_it_was_aborted_before():
    exchange = Exchange()
    exchange.abort()
    with FakeServer(answer(b"")) as server:
        assert fault(server.url, exchange=exchange).kind is HttpFault.ABORTED
    assert not server.asked.is_set()
