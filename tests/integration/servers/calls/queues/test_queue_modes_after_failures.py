"""A server that is down, fails on and on, or that we fail: its queues rest, it is taken off, or nobody is to blame."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from annotations.results.models import Result
from servers.calls import loop
from servers.calls.models import Attempt, Call, Queue
from servers.calls.states import CallState, Outcome, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests import fakeserver
from tests.integration.mode_cast import (
    BUT_TEST,
    EVERY,
    LIVE,
    TEST,
    TRAINING,
    WAITS,
    compute_waited_seconds,
    get_first_call,
    list_call_states,
    make_mode_queue,
    refuse_connections,
    serve,
    serve_behaviour,
    serve_good,
    set_first_call_tries,
)

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


class TestRest:
    @BUT_TEST
    def test_it_lets_a_queue_rest_when_three_articles_running_do_not_reach_the_server(self, server, mode):
        make_mode_queue(server, mode, number=5)
        with refuse_connections() as url:
            assert serve(server, url) == [Outcome.CONNECTION] * 3
            queue = Queue.objects.get()
            assert queue.state == QueueState.RESTING
            assert list(Call.objects.order_by("pk").values_list("tries", flat=True)) == [1, 1, 0, 0, 0]
            assert loop.run_slices_if_slot_and_lease_free(server.pk) == "idle"
            Queue.objects.update(rest_until=Now())
            loop.run_slices_if_slot_and_lease_free(server.pk)
        assert Attempt.objects.count() == 4
        assert Queue.objects.get().rest_until > queue.rest_until

    @BUT_TEST
    def test_it_is_back_by_itself_when_a_probe_succeeds(self, server, mode):
        make_mode_queue(server, mode)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        Server.objects.update(misses=7, unreachable_since=Now())
        Queue.objects.update(state=QueueState.RESTING, rest_until=Now() - timedelta(seconds=1))
        with serve_behaviour(fakeserver.say()) as url:
            Server.objects.update(url=url)
            loop.run_slices_if_slot_and_lease_free(server.pk)
        assert (Queue.objects.get().state, Server.objects.get().misses) == (QueueState.DONE, 0)

    def test_it_stops_a_test_instead(self, server):
        make_mode_queue(server, TEST)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        Server.objects.update(misses=7)
        with refuse_connections() as url:
            Server.objects.update(url=url)
            loop.run_slices_if_slot_and_lease_free(server.pk)
        assert Queue.objects.get().state == QueueState.STOPPED


class TestFail:
    @BUT_TEST
    def test_it_fails_after_twenty_articles_running_until_the_team_starts_it_again(self, server, mode):
        make_mode_queue(server, mode, number=22)
        Call.objects.update(tries=4)
        with serve_behaviour(fakeserver.fault) as url:
            assert len(serve(server, url)) == 20
        failed = Server.objects.get()
        assert (failed.state, list_call_states().count(CallState.FAILED)) == (ServerState.FAIL, 20)
        assert failed.state_reason == "20 articles in a row failed"
        assert loop.run_slices_if_slot_and_lease_free(server.pk) == "busy"
        assert serve_good(server) == [Outcome.EMPTY, Outcome.EMPTY]
        assert (Server.objects.get().state, Server.objects.get().failures_running) == (ServerState.ONLINE, 0)

    @BUT_TEST
    def test_it_begins_to_count_anew_with_each_answer(self, server, mode):
        make_mode_queue(server, mode, number=1)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        Server.objects.update(failures_running=19)
        with serve_behaviour(fakeserver.say()) as url:
            Server.objects.update(url=url)
            loop.run_slices_if_slot_and_lease_free(server.pk)
        assert Server.objects.get().failures_running == 0

    @EVERY
    @pytest.mark.parametrize(("hours", "state"), [(23.9, ServerState.ONLINE), (24.1, ServerState.FAIL)])
    def test_it_fails_after_24_hours_out_of_reach_until_the_team_starts_it_again(self, server, mode, hours, state):
        make_mode_queue(server, mode)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        Server.objects.update(unreachable_since=Now() - timedelta(hours=hours))
        with refuse_connections() as url:
            Server.objects.update(url=url)
            loop.run_slices_if_slot_and_lease_free(server.pk)
        assert Server.objects.get().state == state
        assert lifecycle.bring_server_online_and_resume_resting_queues(server) == (state == ServerState.FAIL)
        assert Server.objects.get().state == ServerState.ONLINE


class TestFaultsOfOurs:
    """No cell of the table: what we do wrong costs a team nothing, but is not repeated for ever either."""

    def break_down(self, monkeypatch):
        def broken(*_):
            raise ZeroDivisionError("a fault of ours")

        monkeypatch.setattr(loop, "check_answer_identifiers_and_build_ending", broken)

    @BUT_TEST
    def test_it_waits_longer_each_time_and_charges_no_try(self, server, mode, monkeypatch, caplog):
        make_mode_queue(server, mode, number=1)
        self.break_down(monkeypatch)
        with serve_behaviour(fakeserver.say()) as url:
            for wait in WAITS:
                set_first_call_tries(0)
                assert serve(server, url) == [Outcome.OUR_FAULT]
                assert (get_first_call().state, get_first_call().tries) == (CallState.WAITING, 0)
                assert wait - 1 <= compute_waited_seconds() <= wait * 1.2 + 1
        assert "an error of the meta-server, not of your server" in get_first_call().reason
        assert [record.levelname for record in caplog.records].count("ERROR") == len(WAITS)
        assert "a fault of ours" in caplog.text

    @pytest.mark.parametrize(
        ("mode", "faults", "call", "queue"),
        [
            (LIVE, 5, CallState.FAILED, QueueState.DONE),
            (TRAINING, 5, CallState.FAILED, QueueState.DONE),
            (TEST, 2, CallState.FAILED, QueueState.DONE),
        ],
    )
    def test_it_ends_after_the_fifth_or_in_tests_the_second_and_blames_nobody(
        self, server, mode, faults, call, queue, monkeypatch, caplog
    ):
        make_mode_queue(server, mode, number=1)
        self.break_down(monkeypatch)
        with serve_behaviour(fakeserver.say()) as url:
            asked = 0
            for _ in range(5):
                set_first_call_tries(0)
                asked += len(serve(server, url))
        assert asked == faults
        assert (get_first_call().state, get_first_call().tries, Queue.objects.get().state) == (call, 0, queue)
        assert (Server.objects.get().failures_running, Server.objects.get().misses) == (0, 0)
        assert f"Call {get_first_call().pk} has no answer because of errors of the meta-server" in caplog.text
        assert not Result.objects.exists()
