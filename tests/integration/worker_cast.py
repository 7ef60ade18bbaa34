"""Real Celery workers and beat on the test's own database, four annotators' worth of work for them, and waiting."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

from annotations.articles.models import Article
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import FINAL_CALLS, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.teams.models import Team
from tests.annotator import Annotator

ROOT = Path(settings.BASE_DIR)
Start = Callable[..., subprocess.Popen[bytes]]


def worker_environment() -> dict[str, str]:
    """The test's own database, and a broker database that no other test uses."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(parts._replace(path="/" + connection.settings_dict["NAME"]))
    broker = urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path="/9"))
    return {**os.environ, "DATABASE_URL": database, "REDIS_URL": broker}


@contextmanager
def processes(folder: Path) -> Iterator[Start]:
    """Start `celery ...`, each in a process group of its own as on a host of its own, with a log in folder; whatever
    still runs at the end is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        with (folder / f"{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "bcms.celery", *arguments],
                cwd=ROOT,
                env=worker_environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started.append(process)
        return process

    try:
        yield start
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


def worker(start: Start, name: str, threads: int = 8) -> subprocess.Popen[bytes]:
    flags = f"--without-gossip --without-mingle --loglevel=INFO -P threads -c {threads} -Q asking,work"
    return start("worker", *flags.split(), "-n", f"{name}@test")


def beat(start: Start, folder: Path) -> subprocess.Popen[bytes]:
    return start("beat", "--loglevel=INFO", "-s", str(folder / "beat"))


def make_articles(number: int) -> list[int]:
    articles = Article.objects.bulk_create(
        Article(
            pmid=20000000 + n,
            passages=[{"type": "title", "text": f"CDH1 in case {n}"}, {"type": "abstract", "text": "None."}],
            text=f"CDH1 in case {n}\nNone.",
            content_hash=f"{n:064d}",
        )
        for n in range(number)
    )
    return [article.pk for article in articles]


def make_servers(team: Team, annotators: Iterable[Annotator], article_ids: Sequence[int]) -> list[Server]:
    """A server for each annotator, online, with all articles in its queue."""
    servers = []
    for number, annotator in enumerate(annotators):
        server = Server.objects.create(
            review="accepted", team=team, name=f"S{number}", slug=f"s{number}", url=annotator.url, kinds=["mention"]
        )
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, QueueMode.LIVE), article_ids
        )
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        servers.append(server)
    return servers


def wait_for_condition(condition: Callable[[], bool], seconds: float, what: str) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.2)


def count_final_calls() -> int:
    return Call.objects.filter(state__in=sorted(FINAL_CALLS)).count()
