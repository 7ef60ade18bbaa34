"""The heartbeat of a process: it beats on whatever happens, since calls that wait long depend on it."""

import queue
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from bcms.lib.http.exchange import Exchange
from servers.calls.leases import heartbeat, lease
from servers.calls.leases.heartbeat import LeaseHeartbeat
from servers.registry import lifecycle
from servers.registry.models import Server


def test_it_beats_on_after_a_fault(monkeypatch):
    beats, third = [], threading.Event()

    class Faint(LeaseHeartbeat):
        def renew_or_abort(self):
            beats.append(len(beats))
            if len(beats) < 3:
                raise RuntimeError("a fault of ours")
            third.set()

    monkeypatch.setattr(heartbeat, "BEATS_PER_TERM", 2000)
    with Faint().keep_lease(uuid.uuid4()):
        assert third.wait(60)


@pytest.mark.django_db
def test_it_renews_a_lease_that_is_held_and_aborts_the_call_of_one_that_is_lost(server):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    token, lost = lease.acquire_free_lease_of_working_server(server.pk), uuid.uuid4()
    heart, kept, cut = LeaseHeartbeat(), Exchange(), Exchange()
    heart.exchanges = {token: kept, lost: cut}
    before = Server.objects.get().lease_until
    heart.renew_or_abort()
    assert Server.objects.get().lease_until > before
    assert (kept.aborted, cut.aborted) == (False, True)


def test_a_call_that_ends_leaves_no_lease_behind_that_nobody_keeps():
    heart, token = LeaseHeartbeat(), uuid.uuid4()
    with heart.abort_if_lost(token, Exchange()):
        assert list(heart.exchanges) == [token]
    assert heart.exchanges == {}
    heart.exchanges[token] = None
    with heart.abort_if_lost(token, exchange := Exchange()):
        assert heart.exchanges == {token: exchange}
    assert heart.exchanges == {token: None}


@pytest.mark.django_db(transaction=True)
def test_it_keeps_its_connection_while_somebody_is_asked_and_no_longer(server, monkeypatch):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    token, beats = lease.acquire_free_lease_of_working_server(server.pk), queue.SimpleQueue()

    class Watched(LeaseHeartbeat):
        def renew_or_abort(self):
            super().renew_or_abort()
            beats.put(connection.connection)

    monkeypatch.setattr(heartbeat, "BEATS_PER_TERM", 2000)
    heart = Watched()
    with heart.keep_lease(token):
        while not (kept := beats.get(timeout=60)):
            pass
        assert beats.get(timeout=60) is kept
    while beats.get(timeout=60):
        pass
    assert kept.closed


def elsewhere(run):
    """What run returns in a thread, and so on a connection, of its own."""

    def alone():
        try:
            return run()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(alone).result(10)


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_no_row_that_somebody_holds(server):
    """Else one server that is held for long, as while its queue is cleared, costs all others their leases."""
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    token = lease.acquire_free_lease_of_working_server(server.pk)
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        assert elsewhere(lambda: lease.renew_leases_and_list_held_tokens([token])) == {token}


@pytest.mark.django_db(transaction=True)
def test_it_takes_no_server_whose_row_somebody_holds(server):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        assert elsewhere(lambda: lease.acquire_free_lease_of_working_server(server.pk)) is None
    assert lease.acquire_free_lease_of_working_server(server.pk)


@pytest.mark.django_db(transaction=True)
def test_it_keeps_no_row_for_longer_than_half_a_lease_when_it_freezes(server):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    token = lease.acquire_free_lease_of_working_server(server.pk)
    with lease.hold_renewed_lease_in_transaction(token), connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("10s",)
