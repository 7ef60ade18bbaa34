"""What waits when the clock of the database goes back: a later reading stands for the time before."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from bcms.mail.models import Mail
from bcms.operations.clock_changes import bring_waits_forward_if_clock_went_back
from bcms.operations.models import ClockReading
from servers.calls.leases import lease
from servers.calls.models import Call, Queue
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import QueueMode
from servers.registry import lifecycle
from tests.integration.evaluation_cast import make_server

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def call(server, article):
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [article.pk])
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    return Call.objects.get()


@pytest.fixture
def hour_back():
    """An hour ago, the clock showed a time that is an hour ahead now."""
    bring_waits_forward_if_clock_went_back()
    ClockReading.objects.update(at=timezone.now() + HOUR)


def test_a_call_that_was_due_is_due_again(call, hour_back):
    Call.objects.update(due=timezone.now() + HOUR)
    Queue.objects.update(state="resting", rest_until=timezone.now() + HOUR)
    assert not list_unleased_servers_with_work().exists()
    bring_waits_forward_if_clock_went_back()
    assert list_unleased_servers_with_work().get() == call.server


def test_what_waits_longer_waits_as_long_as_it_would_have(hour_back):
    later = timezone.now() + HOUR + timedelta(minutes=5)
    mail = Mail.objects.create(sender="", recipient="olga@example.org", subject="", body="", due=later)
    bring_waits_forward_if_clock_went_back()
    mail.refresh_from_db()
    assert abs(mail.due - (later - HOUR)) < timedelta(minutes=1)


def test_a_lease_that_nobody_renews_ends_and_others_stay(call, team, hour_back):
    other = make_server(team, "other")
    lifecycle.bring_server_online_and_resume_resting_queues(other)
    kept = lease.acquire_free_lease_of_working_server(other.pk)
    type(call.server).objects.filter(pk=call.server.pk).update(
        lease_token=uuid.uuid4(), lease_until=timezone.now() + HOUR
    )
    bring_waits_forward_if_clock_went_back()
    assert lease.acquire_free_lease_of_working_server(call.server.pk)
    assert lease.renew_leases_and_list_held_tokens([kept]) == {kept}
    assert lease.acquire_free_lease_of_working_server(other.pk) is None


def test_it_moves_nothing_twice_or_without_need(call, hour_back):
    assert abs(bring_waits_forward_if_clock_went_back() - HOUR) < timedelta(minutes=1)
    due = timezone.now() + timedelta(minutes=5)
    Call.objects.update(due=due)
    assert bring_waits_forward_if_clock_went_back() == timedelta()
    call.refresh_from_db()
    assert call.due == due
