"""Articles into queues: never twice open, front-page requests first, never again in a test."""

import uuid

import pytest
from django.db import connection

from annotations.articles.models import Corpus
from annotations.results.storage import store_results_superseding_earlier
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.claim import CLAIM
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import CallState, QueueMode, QueueState
from servers.registry import lifecycle
from tests.integration.evaluation_cast import hide_article
from tests.integration.worker_cast import make_articles


@pytest.fixture
def queue(server):
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)


def test_it_opens_a_call_for_an_article_once(queue, article):
    assert contents.enqueue_articles_without_open_or_test_call(queue, [article.pk, article.pk]) == 1
    assert contents.enqueue_articles_without_open_or_test_call(queue, [article.pk]) == 0


def test_it_asks_every_online_server_that_has_no_answer_yet(server, queue, article):
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 0
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 1
    assert Call.objects.get().priority == Call.Priority.FRONT_PAGE
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 0


def test_it_does_not_ask_again_what_was_answered(server, queue, article):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    store_results_superseding_earlier(article, queue.producer, dict.fromkeys(server.registered_kinds, ()))
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 0


def test_it_asks_again_when_the_text_has_changed_since(server, queue, article):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    store_results_superseding_earlier(article, queue.producer, dict.fromkeys(server.registered_kinds, ()))
    article.text_version += 1
    article.save()
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 1


def test_it_moves_a_waiting_article_to_the_head(server, queue, article):
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER)
    assert Call.objects.get().priority == Call.Priority.FRONT_PAGE


def test_it_asks_again_for_what_failed(queue, article):
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    Call.objects.update(state=CallState.FAILED)
    assert contents.enqueue_nontest_articles_whose_last_call_failed(queue) == 1
    assert contents.enqueue_nontest_articles_whose_last_call_failed(queue) == 0


def test_it_wakes_only_servers_with_something_due(server, queue, article):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    assert not list_unleased_servers_with_work()
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    assert list(list_unleased_servers_with_work()) == [server]


def test_it_asks_nobody_for_a_blind_article(server, queue, article):
    hide_article(article, Corpus.objects.create(slug="test", name="Test", blind=True))
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 0


def test_it_finds_the_head_of_a_long_new_queue_by_its_index(server, queue, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        contents.enqueue_articles_without_open_or_test_call(queue, make_articles(contents.ANALYZE_THRESHOLD * 3))
    statement = CLAIM.get_ready_text()
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + statement, {"lease": uuid.uuid4(), "seconds": 20.0})
        assert "next_call_of_queue" in str(cursor.fetchall())
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'servers_call'")
        assert cursor.fetchone() == (contents.ANALYZE_THRESHOLD * 3,)


def test_it_takes_out_a_long_queue_in_pieces(server, queue, monkeypatch):
    monkeypatch.setattr(contents, "CLEAR_BATCH", 2)
    contents.enqueue_articles_without_open_or_test_call(queue, make_articles(5))
    assert contents.delete_untried_or_fail_waiting_calls(queue) == 5
    queue.refresh_from_db()
    assert (queue.state, queue.calls.count()) == (QueueState.DONE, 0)
