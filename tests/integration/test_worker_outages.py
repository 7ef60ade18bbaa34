"""What a worker lives through: it is told to stop, or the database drops its connections."""

import signal
import time

import pytest
from django.db import connection

from servers import queueing
from servers.models import Queue, Server
from tests.annotator import Annotator
from tests.integration.worker_cast import beat, ended, make_articles, make_servers, processes, wait_for, worker

ARTICLES = 30


def answer_slowly(sent):
    time.sleep(0.5)
    return {"mentions": []}


def drop_connections() -> None:
    """As a restart of the database does to everybody but us."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@pytest.mark.django_db(transaction=True)
def test_it_ends_after_the_call_under_way_when_told_to_stop(team, tmp_path):
    with Annotator(answer_slowly) as annotator, processes(tmp_path) as start:
        make_servers(team, [annotator], make_articles(ARTICLES))
        told = worker(start, "told")
        beat(start, tmp_path)
        wait_for(lambda: ended() >= 2, 40, "the worker is in the midst of its slice")

        told.send_signal(signal.SIGTERM)
        told.wait(8)

        assert ended() == len(annotator.asked) < ARTICLES
        assert not Server.objects.filter(lease_token__isnull=False).exists()


@pytest.mark.django_db(transaction=True)
def test_it_goes_on_with_a_new_connection_when_the_database_dropped_the_old(team, tmp_path):
    with Annotator(lambda sent: {"mentions": []}) as annotator, processes(tmp_path) as start:
        first, *others = make_articles(ARTICLES)
        make_servers(team, [annotator], [first])
        worker(start, "worker")
        beat(start, tmp_path)
        wait_for(lambda: ended() == 1, 40, "the worker answers")
        wait_for(lambda: not Server.objects.filter(lease_token__isnull=False).exists(), 5, "it rests")

        drop_connections()
        queueing.enqueue(Queue.objects.get(), others)

        wait_for(lambda: ended() == ARTICLES, 30, "the rest is answered after the connections are gone")
