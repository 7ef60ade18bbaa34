"""How fast articles go through: 300 abstracts x the 6 reference annotators without delay, two worker processes.

    python -m tests.benchmarks.loop_throughput

Prints the seconds and calls a second of the whole path (claim, ask, judge, store), and of the bare requests to the
same annotators in the same run: the ratio is what the meta-server adds.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import xmlrpc.client
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from bcms.demo.annotators import ANNOTATORS, Annotator
from bcms.demo.archives import Archives, archive_files
from bcms.local import ports, services

ROOT = Path(__file__).resolve().parents[2]
ARTICLES = 300
REFERENCE = [annotator for annotator in ANNOTATORS if not annotator.delay and not annotator.failure_rate]


@contextmanager
def process(command: Sequence[str]) -> Iterator[None]:
    with tempfile.TemporaryFile() as log:
        started = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield
        finally:
            started.send_signal(signal.SIGTERM)
            started.wait(25)


@contextmanager
def annotator_at(annotator: Annotator, port: int, archives: Archives, training: Path) -> Iterator[None]:
    paths = {"hgnc": archives.hgnc, "mgi": archives.mgi, "rgd": archives.rgd, "training": training}
    with process([sys.executable, *annotator.command(port, **paths)]):
        until = time.monotonic() + 30
        while not ports.listens(port):
            if time.monotonic() > until:
                sys.exit(f"{annotator.name} does not listen after 30 s.")
            time.sleep(0.05)
        yield


def make_articles(archives: Archives) -> list[Any]:
    import gzip

    from annotations.formats.pubmed import Citation, read_citations
    from annotations.importing import import_citations
    from annotations.models import Article

    with gzip.open(archives.newer) as stream:
        citations = (c for c in read_citations(stream, "B") if isinstance(c, Citation) and len(c.passages) > 1)
        import_citations(islice(citations, ARTICLES))
    return list(Article.objects.all())


def training_file(articles: Sequence[Any], folder: Path) -> Path:
    path = folder / "training.jsonl"
    rows = (
        {"id": str(a.pmid), "title": a.title, "abstract": a.abstract, "relevant": "bind" in a.text} for a in articles
    )
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def bare_requests(urls: Sequence[str], articles: Sequence[Any]) -> float:
    """Seconds for the same requests, one thread a server, nothing checked and nothing stored."""

    def ask_all(url: str) -> None:
        proxy = xmlrpc.client.ServerProxy(url)
        for a in articles:
            proxy.Annotator.getAnnotation({"id": str(a.pmid), "title": a.title, "abstract": a.abstract, "text": a.text})

    started = time.monotonic()
    with ThreadPoolExecutor(len(urls)) as pool:
        list(pool.map(ask_all, urls))
    return time.monotonic() - started


def through_the_site(urls: Sequence[str], articles: Sequence[Any]) -> float:
    from servers import lifecycle, queueing
    from servers.models import Call, Server, Team
    from servers.states import OPEN_CALLS, CallState, QueueMode

    team = Team.objects.create(name="Benchmark", slug="benchmark")
    for annotator, url in zip(REFERENCE, urls, strict=True):
        kinds = [kind.value for kind in annotator.kinds]
        server = Server.objects.create(team=team, name=annotator.name, slug=annotator.slug, url=url, kinds=kinds)
        queueing.enqueue(queueing.queue_of(server, QueueMode.LIVE), [article.pk for article in articles])
    started = time.monotonic()
    for server in Server.objects.all():
        lifecycle.start(server)
    while Call.objects.filter(state__in=sorted(OPEN_CALLS)).exists():
        time.sleep(0.1)
    seconds = time.monotonic() - started
    print(f"states: {[(state, Call.objects.filter(state=state).count()) for state in CallState]}")
    return seconds


def workers() -> list[list[str]]:
    celery = [sys.executable, "-m", "celery", "-A", "bcms.celery"]
    flags = ["--without-gossip", "--without-mingle", "--loglevel=WARNING"]
    asking = [
        [*celery, "worker", *flags, "-P", "threads", "-c", "100", "-Q", "asking", "-n", f"a{n}@b"] for n in (1, 2)
    ]
    work = [*celery, "worker", *flags, "-c", "1", "-Q", "work", "-n", "work@b"]
    return [*asking, work, [*celery, "beat", "--loglevel=WARNING", "-s", tempfile.mktemp()]]


def main() -> None:
    archives = archive_files()
    with ExitStack() as stack:
        os.environ.update(stack.enter_context(services.temporary()))
        os.environ.update(
            SECRET_KEY="benchmark", ALLOWED_NETWORKS="127.0.0.0/8", DJANGO_SETTINGS_MODULE="bcms.settings"
        )
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, check=True)
        import django

        django.setup()
        articles = make_articles(archives)
        training = training_file(articles, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        numbers = ports.free_ports(len(REFERENCE))
        for annotator, port in zip(REFERENCE, numbers, strict=True):
            stack.enter_context(annotator_at(annotator, port, archives, training))
        urls = [f"http://127.0.0.1:{port}/" for port in numbers]
        bare = bare_requests(urls, articles)
        for command in workers():
            stack.enter_context(process(command))
        time.sleep(5)
        seconds = through_the_site(urls, articles)
    calls = len(articles) * len(urls)
    print(f"bare requests:    {bare:6.1f} s {calls / bare:7.1f} calls/s")
    print(f"through the site: {seconds:6.1f} s {calls / seconds:7.1f} calls/s, {seconds / bare:.1f} times as long")


if __name__ == "__main__":
    main()
