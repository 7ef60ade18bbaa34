"""A worker that is told to stop; how it is killed, and what else it lives through, is in test_crashes.py."""

import signal
import time

import pytest

from servers.registry.models import Server
from tests.annotator import Annotator
from tests.integration.worker_cast import (
    beat,
    count_final_calls,
    make_articles,
    make_servers,
    processes,
    wait_for_condition,
    worker,
)

ARTICLES = 30


def answer_slowly(sent):
    time.sleep(0.5)
    return {"mentions": []}


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_it_ends_after_the_call_under_way_when_told_to_stop(team, tmp_path):
    with Annotator(answer_slowly) as annotator, processes(tmp_path) as start:
        make_servers(team, [annotator], make_articles(ARTICLES))
        told = worker(start, "told")
        beat(start, tmp_path)
        wait_for_condition(lambda: count_final_calls() >= 2, 120, "the worker is in the midst of its slice")

        told.send_signal(signal.SIGTERM)
        told.wait(60)

        assert count_final_calls() == len(annotator.asked) < ARTICLES
        assert not Server.objects.filter(lease_token__isnull=False).exists()
