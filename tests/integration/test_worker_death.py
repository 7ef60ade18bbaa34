"""Workers that die or freeze in mid-run, on real PostgreSQL and Redis: nothing is lost, nothing is stored twice.

Two real Celery workers and beat serve four annotation servers. One worker is frozen past its lease and thawed again,
the other is killed; the counts in the database and at the annotation servers are the proof.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Count

from annotations.models import Annotation, Article, Reply, Result
from servers import lifecycle, queueing
from servers.lease import TERM
from servers.models import Attempt, Call, Server
from servers.states import FINAL_CALLS, CallState, QueueMode
from tests.annotator import Annotator

SERVERS, ARTICLES = 4, 60
ROOT = Path(settings.BASE_DIR)


def worker_environment() -> dict[str, str]:
    """The test's own database, and a broker database that no other test uses."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(parts._replace(path="/" + connection.settings_dict["NAME"]))
    broker = urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path="/9"))
    return {**os.environ, "DATABASE_URL": database, "REDIS_URL": broker}


@pytest.fixture
def start_process(tmp_path):
    """Start `celery ...` as a process group; whatever still runs at the end is killed."""
    started = []

    def start(*arguments: str) -> subprocess.Popen:
        log = (tmp_path / f"{len(started)}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "bcms.celery", *arguments],
            cwd=ROOT,
            env=worker_environment(),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()


def worker(start, name: str) -> subprocess.Popen:
    flags = "--without-gossip --without-mingle --loglevel=INFO -P threads -c 8 -Q asking,work"
    return start("worker", *flags.split(), "-n", f"{name}@test")


def answer(sent):
    time.sleep(0.05)
    return {"mentions": [{"offset": 0, "mention": "CDH1", "confidence": 0.5}]}


def make_articles() -> list[int]:
    articles = Article.objects.bulk_create(
        Article(
            pmid=20000000 + n,
            passages=[{"type": "title", "text": f"CDH1 in case {n}"}, {"type": "abstract", "text": "None."}],
            text=f"CDH1 in case {n}\nNone.",
            content_hash=f"{n:064d}",
        )
        for n in range(ARTICLES)
    )
    return [article.pk for article in articles]


def make_servers(team, annotators, article_ids) -> None:
    for number, annotator in enumerate(annotators):
        server = Server.objects.create(
            team=team, name=f"S{number}", slug=f"s{number}", url=annotator.url, kinds=["mention"]
        )
        queueing.enqueue(queueing.queue_of(server, QueueMode.LIVE), article_ids)
        lifecycle.start(server)


def wait_for(condition, seconds: float, what: str) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.2)


def ended() -> int:
    return Call.objects.filter(state__in=sorted(FINAL_CALLS)).count()


def holders() -> int:
    return Server.objects.filter(lease_token__isnull=False).count()


@pytest.mark.django_db(transaction=True)
def test_it_loses_and_doubles_nothing_when_workers_freeze_and_die(team, start_process):
    total = SERVERS * ARTICLES
    with ExitStack() as stack:
        annotators = [stack.enter_context(Annotator(answer)) for _ in range(SERVERS)]
        make_servers(team, annotators, make_articles())

        frozen = worker(start_process, "frozen")
        start_process("beat", "--loglevel=INFO", "-s", "/dev/shm/beat-of-test" if Path("/dev/shm").is_dir() else "beat")
        wait_for(lambda: ended() >= total // 10, 40, "the first worker answers")
        frozen.send_signal(signal.SIGSTOP)
        stopped_at = ended()
        assert stopped_at < total

        doomed = worker(start_process, "doomed")
        wait_for(lambda: ended() >= stopped_at + 10, TERM.total_seconds() + 30, "the second takes over after the term")
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
