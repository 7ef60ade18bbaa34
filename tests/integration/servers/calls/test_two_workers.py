"""Two workers, as on two hosts: each leads a process group of its own, and both ask out of the same queues."""

import signal
import threading

import pytest

from servers.calls.models import Attempt, Call
from servers.calls.states import CallState
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

ARTICLES = 8


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_they_ask_out_of_the_same_queues_and_one_goes_on_with_what_the_other_leaves(team, tmp_path):
    both, met, gone = threading.Barrier(2), threading.Event(), threading.Event()

    def answer(sent):
        """No answer until both servers are asked at once: a worker of one thread can ask no more than one of them."""
        if not met.is_set():
            both.wait(120)
            met.set()
        # One has long ended before all is asked; the other is quick with the rest.
        gone.wait(4)
        return {"mentions": []}

    with Annotator(answer) as first, Annotator(answer) as second, processes(tmp_path) as start:
        make_servers(team, [first, second], make_articles(ARTICLES))
        told, _ = (worker(start, name, threads=1) for name in ("told", "other"))
        beat(start, tmp_path)
        wait_for_condition(met.is_set, 120, "each worker asks one of the servers")
        told.send_signal(signal.SIGTERM)
        told.wait(45)
        assert count_final_calls() < 2 * ARTICLES
        gone.set()
        wait_for_condition(
            lambda: count_final_calls() == 2 * ARTICLES, 120, "the other worker asks for the rest of both"
        )
    assert (len(first.asked), len(second.asked)) == (ARTICLES, ARTICLES)
    assert (first.most_at_once, second.most_at_once) == (1, 1)
    assert Attempt.objects.count() == Call.objects.filter(state=CallState.EMPTY, tries=1).count() == 2 * ARTICLES
