"""The request in flight: a row with its calls, at most one for each server, which ends with the last of its calls."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from servers.availability import probe_schedule
from servers.calls import loop
from servers.calls.claim import claim_next_call_within_rate_limit, get_server_with_queues
from servers.calls.leases import lease
from servers.calls.leases.lost_calls import return_lost_call_and_report_whether_pending
from servers.calls.models import Attempt, Batch, Call
from servers.calls.outcomes.call_end import end_call_if_state_allows, schedule_next_try_if_state_allows
from servers.calls.queues import contents
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import CallState, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.fakeserver import FakeServer, answer, raw, silence
from tests.integration.server_cast import articles, put_in_flight
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queue(server):
    """Two calls of an online server."""
    Server.objects.filter(pk=server.pk).update(protocol="rest", kinds=["mention"])
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(70000001, 2)])
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    return queue


@pytest.fixture
def calls(queue):
    return list(queue.calls.select_related("queue__producer", "server", "article").order_by("pk"))


def claim_next_call(server):
    token = lease.acquire_free_lease_of_working_server(server.pk)
    return claim_next_call_within_rate_limit(get_server_with_queues(server.pk), token)


def check_nothing_in_flight():
    assert not Batch.objects.exists()
    assert not Call.objects.filter(state__in=[CallState.ASKING, CallState.PENDING]).exists()


def test_a_claim_inserts_a_batch_with_its_call(server, queue):
    claim = claim_next_call(server)
    assert list(Batch.objects.values_list("server", "calls")) == [(server.pk, claim.call.pk)]


def test_a_claim_without_a_due_call_inserts_no_batch(server, queue):
    Call.objects.update(due="2100-01-01T00:00Z")
    assert claim_next_call(server) is None
    check_nothing_in_flight()


def test_a_server_is_sent_one_request_at_a_time(server, queue):
    claim_next_call(server)
    token = Server.objects.get().lease_token
    with pytest.raises(IntegrityError, match="one_batch_in_flight"):
        claim_next_call_within_rate_limit(get_server_with_queues(server.pk), token)
    assert (Batch.objects.count(), Attempt.objects.count()) == (1, 1)


@pytest.mark.parametrize("state", [CallState.ASKING, CallState.PENDING])
def test_no_call_is_in_flight_without_a_batch(calls, state):
    with pytest.raises(IntegrityError, match="call_in_flight_has_batch"):
        Call.objects.filter(pk=calls[0].pk).update(state=state)


@pytest.mark.parametrize("state", [CallState.WAITING, CallState.ANSWERED, CallState.EMPTY, CallState.FAILED])
def test_a_batch_has_only_calls_in_flight(calls, state):
    put_in_flight(calls[0])
    with pytest.raises(IntegrityError, match="call_in_flight_has_batch"):
        Call.objects.filter(pk=calls[0].pk).update(state=state)


def test_a_batch_does_not_end_before_its_calls(calls):
    put_in_flight(calls[0])
    with pytest.raises(IntegrityError, match="batch_id"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM servers_batch")


def test_a_batch_ends_with_the_last_of_its_calls(calls):
    batch = put_in_flight(*calls)
    assert end_call_if_state_allows(calls[0], CallState.FAILED, "", counts_as_try=True)
    assert list(Batch.objects.values_list("pk", "calls")) == [(batch.pk, calls[1].pk)]
    assert not end_call_if_state_allows(calls[0], CallState.FAILED, "", counts_as_try=True)
    schedule_next_try_if_state_allows(calls[1], None, "", last_try_counts=True)
    check_nothing_in_flight()


def test_the_end_of_a_waiting_call_ends_no_batch(calls):
    batch = put_in_flight(calls[0])
    assert end_call_if_state_allows(calls[1], CallState.EMPTY, "", counts_as_try=False)
    assert Batch.objects.get() == batch


def test_a_batch_does_not_end_when_another_server_ends_a_call(server, calls):
    put_in_flight(calls[0])
    second = Server.objects.create(team=server.team, name="Second", slug="second", url="http://x", kinds=["mention"])
    queue = contents.get_or_create_queue_and_producer(second, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [calls[0].article_id])
    ours = put_in_flight(queue.calls.get())
    schedule_next_try_if_state_allows(calls[0], None, "", last_try_counts=True)
    assert Batch.objects.get() == ours


@pytest.mark.parametrize(
    ("fields", "reply"),
    [
        ({}, answer(b'{"annotations": {}}')),
        ({}, answer(b"no JSON")),
        ({}, answer(b"", "503 Service Unavailable")),
        ({}, raw(b"")),
        ({"time_limit": 1}, silence),
        ({"largest_text": 1}, answer(b"")),
    ],
    ids=["answered", "retried", "unavailable", "cut off", "late", "too long"],
)
def test_no_batch_is_left_after_an_attempt(server, queue, fields, reply):
    with FakeServer(reply) as there:
        Server.objects.update(url=there.url, **fields)
        assert loop.run_slices_if_slot_and_lease_free(server.pk) == "idle"
    check_nothing_in_flight()


def test_a_batch_lasts_until_a_deferred_answer(server, queue):
    def work(asked):
        return (202, {"Location": "/tasks/1"}, {}) if asked.method == "POST" else (200, {}, {"annotations": {}})

    Call.objects.order_by("pk").last().delete()
    with TaskServer(work) as there:
        Server.objects.update(url=there.url)
        loop.run_slices_if_slot_and_lease_free(server.pk)
        assert Batch.objects.get().calls.get().state == CallState.PENDING
        Call.objects.update(due=Now())
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Call.objects.get().state == CallState.EMPTY
    check_nothing_in_flight()


def test_a_lost_batch_waits_again(server, calls):
    put_in_flight(*calls)
    assert list(list_unleased_servers_with_work()) == [server]
    assert not return_lost_call_and_report_whether_pending(server.pk)
    check_nothing_in_flight()
    assert set(Call.objects.values_list("state", flat=True)) == {CallState.WAITING}


def test_a_batch_without_calls_hinders_no_claim(server, calls):
    Batch.objects.create(server=server)
    assert not return_lost_call_and_report_whether_pending(server.pk)
    assert claim_next_call(server).call == calls[0]


@pytest.mark.parametrize("state", [CallState.ASKING, CallState.PENDING])
def test_a_batch_ends_when_the_server_is_stopped_at_once(server, calls, state):
    put_in_flight(*calls, state=state)
    assert lifecycle.halt_server_now_and_return_calls(server)
    check_nothing_in_flight()


def test_a_server_is_not_probed_while_it_works_on_a_call(server, calls):
    put_in_flight(calls[0], state=CallState.PENDING)
    with FakeServer(answer(b"")) as there:
        Server.objects.update(url=there.url)
        assert probe_schedule.probe_server_and_resume_queues_unless_busy(server.pk) == "busy"
        assert Server.objects.get().lease_token is None
        Call.objects.filter(pk=calls[0].pk).update(due=Now())
        lifecycle.halt_server_now_and_return_calls(server)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        assert probe_schedule.probe_server_and_resume_queues_unless_busy(server.pk) == "up"
    assert len(there.requests) == 1
