"""A server's own limits: seconds of a call are the client's; calls a minute and the largest text are kept here."""

from datetime import timedelta

import pytest
from django.db.models import F

from annotations.models import Result
from servers import lifecycle, loop, queueing
from servers.models import Attempt, Call, Server
from servers.states import CallState, QueueMode
from tests.annotator import Annotator
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queue(server):
    queue = queueing.queue_of(server, QueueMode.LIVE)
    queueing.enqueue(queue, [article.pk for article in articles(40000001, 3)])
    return queue


def serve(server: Server, **limits: int) -> int:
    """How many articles were asked for in one slice."""
    with Annotator(lambda sent: {}) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url, **limits)
        lifecycle.start(server)
        loop.serve(server.pk)
    return len(annotator.asked)


def test_it_begins_no_more_calls_in_a_minute_than_allowed(server, queue):
    assert serve(server, calls_per_minute=2) == 2
    assert serve(server) == 0
    Attempt.objects.update(started=F("started") - timedelta(minutes=1))
    assert serve(server) == 1


def test_it_sends_no_text_that_is_longer_than_the_server_takes(server, queue):
    assert serve(server, largest_text=3) == 0
    call = Call.objects.first()
    assert (call.state, call.tries) == (CallState.EMPTY, 0)
    assert call.reason == "Not sent: the text has 4 characters, and the server takes 3."
    assert set(Result.objects.values_list("empty_reason", flat=True)) == {"text-too-long"}


def test_it_sends_a_text_that_is_just_as_long(server, queue):
    assert serve(server, largest_text=4) == 3
