"""The TEST mode: what does not come through stops the queue until the team says *retry* or *next article*."""

import pytest

from annotations.results.models import Result
from servers.calls import loop
from servers.calls.models import Call, Queue
from servers.calls.queues import contents, queue_resumption
from servers.calls.states import CallState, QueueMode, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.annotator import Annotator
from tests.integration.server_cast import articles

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queue(server):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "indexing")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(30000001, 3)])
    return queue


def fail(sent):
    raise ValueError("no model loaded")


def serve(server: Server, behave) -> list[str]:
    """The ids that were asked for."""
    with Annotator(behave) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    return [sent["id"] for sent in annotator.asked]


def list_call_states() -> list[str]:
    return [call.state for call in Call.objects.order_by("pk")]


def test_it_asks_for_the_same_article_first_on_retry(server, queue):
    first = serve(server, fail)
    assert queue_resumption.resume_queue_retrying_stopped_article(queue)
    again = serve(server, lambda sent: {})
    assert again[0] == first[0]
    assert list_call_states() == [CallState.EMPTY] * 3
    assert Queue.objects.get().state == QueueState.DONE


def test_it_stores_an_empty_result_on_next_article_and_goes_on(server, queue):
    first = serve(server, fail)
    assert queue_resumption.resume_queue_skipping_stopped_article(queue)
    assert list_call_states() == [CallState.EMPTY, CallState.WAITING, CallState.WAITING]
    passed_over = Result.objects.filter(article__opaque=first[0])
    assert {(result.kind, result.empty_reason) for result in passed_over} == {
        ("mention", "passed-over"),
        ("normalization", "passed-over"),
    }
    assert first[0] not in serve(server, lambda sent: {})
    assert "no model loaded" in Call.objects.order_by("pk").first().reason


def test_it_is_done_when_the_last_article_is_passed_over(server, queue):
    for _ in range(3):
        serve(server, fail)
        assert queue_resumption.resume_queue_skipping_stopped_article(queue)
    assert Queue.objects.get().state == QueueState.DONE
    assert not queue_resumption.resume_queue_skipping_stopped_article(queue)
    assert not queue_resumption.resume_queue_retrying_stopped_article(queue)
