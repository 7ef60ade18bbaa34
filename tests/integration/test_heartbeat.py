"""The heartbeat of a process: it beats on whatever happens, since calls that wait long depend on it."""

import threading
import uuid

import pytest

from bcms.lib.http import Exchange
from servers import heartbeat, lease, lifecycle
from servers.heartbeat import Heart
from servers.models import Server


def test_it_beats_on_after_a_fault(monkeypatch):
    beats, third = [], threading.Event()

    class Faint(Heart):
        def beat(self):
            beats.append(len(beats))
            if len(beats) < 3:
                raise RuntimeError("a fault of ours")
            third.set()

    monkeypatch.setattr(heartbeat, "BEATS_PER_TERM", 2000)
    with Faint().alive(uuid.uuid4()):
        assert third.wait(10)


@pytest.mark.django_db
def test_it_renews_a_lease_that_is_held_and_aborts_the_call_of_one_that_is_lost(server):
    lifecycle.start(server)
    token, lost = lease.take(server.pk), uuid.uuid4()
    heart, kept, cut = Heart(), Exchange(), Exchange()
    heart.exchanges = {token: kept, lost: cut}
    before = Server.objects.get().lease_until
    heart.beat()
    assert Server.objects.get().lease_until > before
    assert (kept.aborted, cut.aborted) == (False, True)
