"""Articles that are loaded at the moment in which a loop finishes the queue: they are asked all the same."""

import threading
import time

import pytest
from django.db import connection

from annotations.articles.models import Article
from servers.calls import loop
from servers.calls.models import Call, Queue
from servers.calls.outcomes import recording
from servers.calls.queues import contents
from servers.calls.queues.closing import close_finished_queue_and_notify_team
from servers.calls.states import CallState, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.annotator import Annotator

WAITING_FOR_A_LOCK = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def late(db):
    passages = [{"type": "title", "text": "CTNNB1"}]
    return Article.objects.create(pmid=10000002, passages=passages, text="CTNNB1", content_hash="1" * 64)


class LoadingThread(threading.Thread):
    """Somebody loads one more article, on a connection of their own."""

    def __init__(self, queue: Queue, article: Article) -> None:
        super().__init__()
        self.queue, self.article = queue, article

    def run(self) -> None:
        contents.enqueue_articles_without_open_or_test_call(self.queue, [self.article.pk])
        connection.close()

    def start_and_meet_the_loop(self) -> None:
        """Returns when the loading waits for the server's row, which the loop holds."""
        self.start()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with connection.cursor() as cursor:
                cursor.execute(WAITING_FOR_A_LOCK)
                if cursor.fetchone() != (0,):
                    return
        raise AssertionError("the loading never met the loop")


@pytest.mark.django_db(transaction=True)
def test_it_asks_an_article_that_comes_while_the_queue_is_finished(server, article, late, monkeypatch):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    loading = LoadingThread(queue, late)
    close_if_finished = close_finished_queue_and_notify_team

    def close_meanwhile(queue: Queue) -> None:
        if not loading.ident:
            loading.start_and_meet_the_loop()
        close_if_finished(queue)

    monkeypatch.setattr(recording, "close_finished_queue_and_notify_team", close_meanwhile)
    with Annotator(lambda sent: {}) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
        loading.join()
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert not open_calls()
    assert len(annotator.asked) == 2


def open_calls() -> int:
    return Call.objects.exclude(state=CallState.EMPTY).count()
