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
def refused():
    with fakeserver.dead() as url:
        yield url


@contextmanager
def saying(behave):
    with FakeServer(behave) as there:
        yield there.url


FAILURES = {
    "connection": refused,
    "communication": lambda: saying(fakeserver.fault),
}
FAILING = pytest.mark.parametrize("failure", FAILURES)


def queue_in(server, mode, number=2):
    """A queue with so many articles; their text is CDH1."""
    queue = contents.get_or_create_queue(server, mode, "" if mode == LIVE else "phase")
    contents.enqueue_articles(queue, [article.pk for article in articles(50000001, number)])
    return queue


def serve(server, url, **limits):
    """One slice of the loop against whatever is at this URL; the outcomes of the tries in it."""
    before = Attempt.objects.count()
    Server.objects.filter(pk=server.pk).update(url=url, **limits)
    lifecycle.bring_server_online(server)
    loop.run_server_loop(server.pk)
    return list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)[before:])


def serve_good(server):
    with saying(fakeserver.say()) as url:
        return serve(server, url)


def first():
    return Call.objects.order_by("pk").first()


def tried_before(times):
    Call.objects.filter(pk=first().pk).update(tries=times, due=Now())


def states():
    return list(Call.objects.order_by("pk").values_list("state", flat=True))


def seconds_waited():
    return (first().due - Attempt.objects.order_by("pk").last().finished).total_seconds()
