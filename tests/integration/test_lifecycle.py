"""Start, halt and halt hard, each a conditional change of state with a row that says why."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from servers import lease, lifecycle, queueing
from servers.models import Attempt, Call, Server, ServerEvent
from servers.states import CallState, Outcome, QueueMode, ServerState


@pytest.fixture
def asking(server, article):
    """A server under way with one call."""
    queue = queueing.queue_of(server, QueueMode.LIVE)
    queueing.enqueue(queue, [article.pk])
    lifecycle.start(server)
    token = lease.take(server.pk)
    Call.objects.update(state=CallState.ASKING)
    Attempt.objects.create(call=Call.objects.get(), server=server, number=1)
    return token


def test_it_starts_an_offline_server_once(server, alice):
    assert lifecycle.start(server, alice)
    assert not lifecycle.start(server, alice)
    event = ServerEvent.objects.get()
    assert (event.before, event.after, event.by) == (ServerState.OFFLINE, ServerState.ONLINE, alice)


def test_it_lets_the_call_under_way_finish_when_halted(server, asking):
    lifecycle.halt(server)
    assert Server.objects.get().state == ServerState.HALTING
    assert Call.objects.get().state == CallState.ASKING
    lease.release(asking)
    lifecycle.settle_halting(server.pk)
    assert Server.objects.get().state == ServerState.OFFLINE


def test_it_is_offline_at_once_when_halted_with_nothing_under_way(server):
    lifecycle.start(server)
    lifecycle.halt(server)
    assert Server.objects.get().state == ServerState.OFFLINE


def test_it_takes_the_token_away_when_halted_hard(server, asking, alice):
    lifecycle.halt_hard(server, alice)
    call = Call.objects.get()
    assert (call.state, call.tries) == (CallState.WAITING, 0)
    assert Attempt.objects.get().outcome == Outcome.HALTED
    with pytest.raises(lease.LeaseLostError), lease.held(asking):
        pass


def test_it_refuses_an_edge_that_is_not_there(server):
    assert not lifecycle.halt(server)
    assert Server.objects.get().state == ServerState.OFFLINE
    assert not ServerEvent.objects.exists()


def test_it_takes_the_token_of_a_worker_that_froze_while_halting(server, asking):
    Server.objects.update(lease_until=Now() - timedelta(seconds=1))
    lifecycle.halt(server)
    assert (Server.objects.get().state, Call.objects.get().state) == (ServerState.OFFLINE, CallState.WAITING)
    with pytest.raises(lease.LeaseLostError), lease.held(asking):
        pass


def test_it_cuts_a_reason_that_is_too_long_to_store(server):
    lifecycle.start(server)
    assert lifecycle.change_state(server.pk, ServerState.FAIL, "not reached: " + "x" * 600)
    assert len(ServerEvent.objects.get(after=ServerState.FAIL).reason) == 500


def test_it_gives_a_call_back_in_its_place(server, asking):
    before = Call.objects.get().due
    lifecycle.halt_hard(server)
    assert Call.objects.get().due == before
