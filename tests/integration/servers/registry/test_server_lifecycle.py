"""Start, halt and halt hard, each a conditional change of state with a row that says why."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from servers.calls.leases import lease
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server, ServerEvent
from servers.registry.states import ServerState
from tests.integration.server_cast import put_in_flight


@pytest.fixture
def asking(server, article):
    """A server under way with one call."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    token = lease.acquire_free_lease_of_working_server(server.pk)
    put_in_flight(call := Call.objects.get())
    Attempt.objects.create(call=call, server=server, number=1)
    return token


def test_it_starts_an_offline_server_once(server, alice):
    assert lifecycle.bring_server_online_and_resume_resting_queues(server, alice)
    assert not lifecycle.bring_server_online_and_resume_resting_queues(server, alice)
    event = ServerEvent.objects.get()
    assert (event.before, event.after, event.by) == (ServerState.OFFLINE, ServerState.ONLINE, alice)


def test_it_lets_the_call_under_way_finish_when_halted(server, asking):
    lifecycle.halt_server_after_current_call(server)
    assert Server.objects.get().state == ServerState.HALTING
    assert Call.objects.get().state == CallState.ASKING
    lease.release_lease(asking)
    lifecycle.take_idle_halting_server_offline(server.pk)
    assert Server.objects.get().state == ServerState.OFFLINE


def test_it_is_offline_at_once_when_halted_with_nothing_under_way(server):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    lifecycle.halt_server_after_current_call(server)
    assert Server.objects.get().state == ServerState.OFFLINE


def test_it_takes_the_token_away_when_halted_hard(server, asking, alice):
    lifecycle.halt_server_now_and_return_calls(server, alice)
    call = Call.objects.get()
    assert (call.state, call.tries) == (CallState.WAITING, 0)
    assert Attempt.objects.get().outcome == Outcome.HALTED
    with pytest.raises(lease.LeaseLostError), lease.hold_renewed_lease_in_transaction(asking):
        pass


def test_it_refuses_an_edge_that_is_not_there(server):
    assert not lifecycle.halt_server_after_current_call(server)
    assert Server.objects.get().state == ServerState.OFFLINE
    assert not ServerEvent.objects.exists()


def test_it_takes_the_token_of_a_worker_that_froze_while_halting(server, asking):
    Server.objects.update(lease_until=Now() - timedelta(seconds=1))
    lifecycle.halt_server_after_current_call(server)
    assert (Server.objects.get().state, Call.objects.get().state) == (ServerState.OFFLINE, CallState.WAITING)
    with pytest.raises(lease.LeaseLostError), lease.hold_renewed_lease_in_transaction(asking):
        pass


def test_it_cuts_a_reason_that_is_too_long_to_store(server):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    assert lifecycle.change_and_log_allowed_state_notifying_failure(
        server.pk, ServerState.FAIL, "not reached: " + "x" * 600
    )
    assert len(ServerEvent.objects.get(after=ServerState.FAIL).reason) == 500


def test_it_gives_a_call_back_in_its_place(server, asking):
    before = Call.objects.get().due
    lifecycle.halt_server_now_and_return_calls(server)
    assert Call.objects.get().due == before
