"""The limits of the HTTP client: time, bytes, addresses, redirects, secrets."""

import logging
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

from bcms.lib.http import connections
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.http.exchange import Exchange
from servers.calls import loop
from servers.calls.client import request_task_answer_or_next_poll
from servers.calls.errors import CallError
from servers.calls.models import Attempt
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests import fakeserver
from tests.fakeserver import LOOPBACK, FakeServer, answer, redirect
from tests.questions import question
from tests.taskserver import TaskServer


def fault(url, method="POST", deadline=20.0, max_bytes=100_000, **options):
    with pytest.raises(HttpError) as caught:
        request_permitted_url(
            method, url, deadline_seconds=deadline, max_bytes=max_bytes, **{"extra_networks": LOOPBACK} | options
        )
    return caught.value


def test_it_cuts_off_who_sends_one_byte_a_second():
    exchange, started = Exchange(), time.monotonic()
    with FakeServer(fakeserver.slow_loris) as server:
        assert fault(server.url, deadline=1.5, exchange=exchange).kind is HttpFault.DEADLINE
    assert 1.5 <= time.monotonic() - started < 10
    # The byte that came did not begin the time anew.
    assert exchange.received == b"a"


def test_it_has_one_deadline_for_all_redirects():
    """Each place is quick enough for itself."""
    started = time.monotonic()
    with FakeServer(fakeserver.late(0.4, redirect("/again"))) as server:
        assert fault(server.url, "GET", deadline=1.0, max_get_redirects=30).kind is HttpFault.DEADLINE
        assert len(server.requests) in (2, 3)
    assert 1.0 <= time.monotonic() - started < 10


def test_the_connect_limit_ends_a_handshake_before_the_deadline():
    exchange = Exchange()
    with FakeServer(fakeserver.silence, reads=False) as server:
        url = server.url.replace("http:", "https:")
        caught = fault(url, connect_seconds=0.2, exchange=exchange)
    assert caught.kind is HttpFault.CONNECT_LIMIT
    assert str(caught) == "There was no connection within the connect limit of 0.2 s."
    assert not exchange.request_sent


def test_the_connect_limit_ends_a_look_up(monkeypatch):
    released = threading.Event()
    monkeypatch.setattr(connections, "_ask_resolver", lambda *_: released.wait(20))
    caught = fault("http://slow.example/", connect_seconds=0.2)
    released.set()
    assert caught.kind is HttpFault.CONNECT_LIMIT


def test_the_connect_limit_ends_a_connection_that_nobody_accepts():
    with fakeserver.deaf() as url:
        assert fault(url, connect_seconds=0.2).kind is HttpFault.CONNECT_LIMIT


def test_the_deadline_ends_a_handshake_before_the_connect_limit():
    with FakeServer(fakeserver.silence, reads=False) as server:
        caught = fault(server.url.replace("http:", "https:"), deadline=0.3, connect_seconds=10)
    assert caught.kind is HttpFault.DEADLINE


def test_the_connect_limit_does_not_limit_the_answer():
    with FakeServer(fakeserver.late(0.6, answer(b"good"))) as server:
        reply = request_permitted_url(
            "POST", server.url, deadline_seconds=20, connect_seconds=0.3, max_bytes=100, extra_networks=LOOPBACK
        )
    assert reply.body == b"good"


def test_it_counts_bytes_as_they_come_and_when_decompressed():
    with FakeServer(answer(b"a" * 100_001)) as server:
        assert str(fault(server.url)) == "The answer is larger than 100,000 bytes."
    with FakeServer(fakeserver.gzip_bomb(1)) as server:
        assert str(fault(server.url)) == "The answer is larger than 100,000 bytes when it is decompressed."


INTERNAL_ADDRESSES = [
    ("127.0.0.1", "loopback"),
    ("::1", "loopback"),
    ("10.0.0.1", "private"),
    ("fd12:3456::1", "private"),
    ("169.254.10.1", "link-local"),
    ("fe80::1", "link-local"),
    ("169.254.169.254", "metadata"),
    ("fd00:ec2::254", "metadata"),
    ("224.0.0.1", "multicast"),
    ("ff02::1", "multicast"),
    ("::ffff:127.0.0.1", "IPv4 in IPv6"),
    ("::ffff:169.254.169.254", "IPv4 in IPv6"),
    ("64:ff9b::a9fe:a9fe", "IPv4 in IPv6"),
    ("2002:7f00:1::", "IPv4 in IPv6"),
]


@pytest.mark.parametrize(("address", "sort"), INTERNAL_ADDRESSES)
def test_it_refuses_an_address_that_is_not_public_in_a_url_by_name_and_by_redirect(address, sort, monkeypatch):
    host = f"[{address}]" if ":" in address else address
    with FakeServer(redirect(f"http://{host}:8080/")) as server:
        led = fault(server.url, "GET", max_get_redirects=3)
    written = fault(f"http://{host}:8080/", extra_networks=())
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    resolved = [(family, socket.SOCK_STREAM, 6, "", (address, 8080))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: resolved)
    named = fault("http://annotations.example.org:8080/", extra_networks=())
    # The redirect comes from loopback, which has to be allowed for it.
    errors = [written, named] if "127.0.0.1" in address else [written, named, led]
    assert [error.kind for error in errors] == [HttpFault.BLOCKED_ADDRESS] * len(errors)
    assert "is not on the public internet" in str(named)


def test_it_looks_a_name_up_once_and_connects_to_that_very_address(monkeypatch):
    asked, connected = [], []
    true = socket.socket.connect_ex

    def resolve(host, port, **_):
        """Harmless at first, then what an attacker wants to be fetched."""
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def connect(sock, address):
        connected.append(address)
        return true(sock, address)

    with FakeServer(answer(b"once")) as server:
        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        monkeypatch.setattr(socket.socket, "connect_ex", connect)
        url = f"http://rebinding.example:{server.port}/"
        assert (
            request_permitted_url("POST", url, deadline_seconds=20.0, max_bytes=100, extra_networks=LOOPBACK).body
            == b"once"
        )
    assert (asked, connected) == (["rebinding.example"], [("127.0.0.1", server.port)])


def task_behind(redirects):
    """A task's answer after so many redirects."""

    def behave(asked):
        step = int(urlsplit(asked.path).path.strip("/"))
        if step < redirects:
            return 302, {"Location": f"/{step + 1}"}, b""
        return 200, {}, {"annotations": {}}

    return TaskServer(behave)


def test_it_follows_three_redirects_of_a_task():
    with task_behind(3) as server:
        assert request_task_answer_or_next_poll(question("rest"), f"{server.url}0", 20.0, Exchange()).annotations == []
    assert [asked.path for asked in server.asked] == ["/0", "/1", "/2", "/3"]


def test_it_follows_no_fourth_and_shows_where_it_leads():
    with task_behind(4) as server, pytest.raises(CallError) as caught:
        request_task_answer_or_next_poll(question("rest"), f"{server.url}0", 20.0, Exchange())
    assert len(server.asked) == 4
    assert caught.value.diagnosis.code == "redirect"
    assert caught.value.diagnosis.happened == (
        f"The server redirects the request more than 3 times, finally to: {server.url}4."
    )


def test_it_writes_no_credentials_to_the_log(caplog):
    caplog.set_level(logging.DEBUG)
    with FakeServer(redirect("http://eve:hunter2@example.org/?key=hunter2")) as server:
        told = str(fault(server.url, headers={"Authorization": "Bearer hunter2"}))
    told += str(fault("http://eve:hunter2@127.0.0.1/"))
    assert "hunter2" not in told
    assert "hunter2" not in caplog.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "behave", [fakeserver.wrong_path, fakeserver.redirect_inside, fakeserver.truncated, fakeserver.not_xml]
)
def test_it_writes_no_key_of_a_server_to_the_log_or_into_a_diagnosis(server, article, behave, caplog):
    caplog.set_level(logging.DEBUG)
    contents.enqueue_articles_without_open_or_test_call(
        contents.get_or_create_queue_and_producer(server, QueueMode.LIVE), [article.pk]
    )
    with FakeServer(behave) as there:
        Server.objects.update(url=there.url, protocol="becalm", secret_key="k" * 40)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    attempt = Attempt.objects.get()
    assert b"k" * 40 in there.requests[0]
    assert attempt.outcome in (Outcome.CONNECTION, Outcome.COMMUNICATION)
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert not [text for text in [*ours, attempt.message] if "k" * 40 in text]
