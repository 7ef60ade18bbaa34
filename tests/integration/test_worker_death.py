"""Workers that die or freeze in mid-run, on real PostgreSQL and Redis: nothing is lost, nothing is stored twice.

Two real Celery workers and beat serve four annotation servers. One worker is frozen past its lease and thawed again,
the other is killed; the counts in the database and at the annotation servers are the proof.
"""

import signal
import time
from contextlib import ExitStack

import pytest
from django.db.models import Count

from annotations.models import Annotation, Reply, Result
from servers.lease import term
from servers.models import Attempt, Call
from servers.states import CallState
from tests.annotator import Annotator
from tests.integration.worker_cast import beat, ended, make_articles, make_servers, processes, wait_for, worker

SERVERS, ARTICLES = 4, 60


def answer(sent):
    time.sleep(0.05)
    return {"mentions": [{"offset": 0, "mention": "CDH1", "confidence": 0.5}]}


@pytest.mark.django_db(transaction=True)
def test_it_loses_and_doubles_nothing_when_workers_freeze_and_die(team, tmp_path):
    total = SERVERS * ARTICLES
    with ExitStack() as stack:
        start = stack.enter_context(processes(tmp_path))
        annotators = [stack.enter_context(Annotator(answer)) for _ in range(SERVERS)]
        make_servers(team, annotators, make_articles(ARTICLES))

        frozen = worker(start, "frozen")
        beat(start, tmp_path)
        wait_for(lambda: ended() >= total // 10, 40, "the first worker answers")
        frozen.send_signal(signal.SIGSTOP)
        stopped_at = ended()
        assert stopped_at < total

        doomed = worker(start, "doomed")
        wait_for(
            lambda: ended() >= stopped_at + 10, term().total_seconds() + 30, "the second takes over after the term"
        )
        frozen.send_signal(signal.SIGCONT)
        wait_for(lambda: ended() >= min(total - 20, total // 2), 60, "both go on")
        doomed.kill()
        wait_for(lambda: ended() == total, 90, "the rest is answered after the kill")

        assert Call.objects.filter(state=CallState.ANSWERED).count() == total
        assert Result.objects.count() == Annotation.objects.count() == Reply.objects.count() == total
        pairs = Result.objects.values("article", "producer").annotate(n=Count("pk")).filter(n__gt=1)
        assert not pairs.exists()
        assert set(Call.objects.values_list("tries", flat=True)) == {1}
        lost = Attempt.objects.exclude(outcome="answered").count()
        asked = sum(len(annotator.asked) for annotator in annotators)
        assert asked <= total + lost
        print(f"{total} calls, {asked} requests, {lost} attempts given back, 0 lost, 0 doubled")
