"""A server in one of the modes and whatever answers at its URL, for one slice of the loop."""

from contextlib import contextmanager

import pytest
from django.db.models.functions import Now

from servers.calls import loop
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests import fakeserver
from tests.fakeserver import FakeServer
from tests.integration.server_cast import articles

LIVE, TRAINING, TEST = QueueMode.LIVE, QueueMode.TRAINING, QueueMode.TEST
BUT_TEST = pytest.mark.parametrize("mode", [LIVE, TRAINING])
EVERY = pytest.mark.parametrize("mode", [LIVE, TRAINING, TEST])
WAITS = (5, 25, 120, 600)


@contextmanager
def refuse_connections():
    with fakeserver.dead() as url:
        yield url


@contextmanager
def serve_behaviour(behave):
    with FakeServer(behave) as there:
        yield there.url


FAILURES = {
    "connection": refuse_connections,
    "communication": lambda: serve_behaviour(fakeserver.fault),
}
FAILING = pytest.mark.parametrize("failure", FAILURES)


def make_mode_queue(server, mode, number=2):
    """A queue with so many articles; their text is CDH1."""
    queue = contents.get_or_create_queue_and_producer(server, mode, "" if mode == LIVE else "phase")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(50000001, number)])
    return queue


def serve(server, url, **limits):
    """One slice of the loop against whatever is at this URL; the outcomes of the tries in it."""
    before = Attempt.objects.count()
    Server.objects.filter(pk=server.pk).update(url=url, **limits)
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    loop.run_slices_if_slot_and_lease_free(server.pk)
    return list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)[before:])


def serve_good(server):
    with serve_behaviour(fakeserver.say()) as url:
        return serve(server, url)


def get_first_call():
    return Call.objects.order_by("pk").first()


def set_first_call_tries(times):
    Call.objects.filter(pk=get_first_call().pk).update(tries=times, due=Now())


def list_call_states():
    return list(Call.objects.order_by("pk").values_list("state", flat=True))


def compute_waited_seconds():
    return (get_first_call().due - Attempt.objects.order_by("pk").last().finished).total_seconds()
