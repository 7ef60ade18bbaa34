"""How fast articles are processed: 300 abstracts x the 6 reference annotators without delay, two worker processes.

    python -m tests.benchmarks.loop_throughput [--archives FOLDER]

Prints the seconds and calls a second of the whole path (claim, call, check, store), and of the bare requests to the
same annotators in the same run: the ratio is what the meta-server adds.
"""

import json
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

from bcms.demo.annotators import ANNOTATORS, DemoAnnotator
from bcms.demo.data_archives import DemoFiles
from bcms.local import ports
from bcms.silver.annotation_files import iter_abstracts
from tests.benchmarks.archives import get_archives
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.workers import run_process, run_workers

REFERENCE = [annotator for annotator in ANNOTATORS if not annotator.delay and not annotator.failure_rate]


@contextmanager
def run_annotators(
    annotators: Sequence[DemoAnnotator], archives: DemoFiles, articles: Sequence[Any]
) -> Iterator[list[str]]:
    """Run the annotators and yield their URLs when all of them listen."""
    numbers = ports.pick_free_ports(len(annotators))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        training = write_training_file(articles, folder)
        tables = {"hgnc": archives.hgnc, "mgi": archives.mgi, "rgd": archives.rgd, "mesh": archives.mesh}
        paths = {**tables, "training": training}
        for annotator, port in zip(annotators, numbers, strict=True):
            stack.enter_context(run_process([sys.executable, *annotator.build_command(port, **paths)]))
        for annotator, port in zip(annotators, numbers, strict=True):
            wait_for_annotator(annotator, port)
        yield [f"http://127.0.0.1:{port}/" for port in numbers]


def wait_for_annotator(annotator: DemoAnnotator, port: int) -> None:
    deadline = time.monotonic() + 60
    while not ports.is_port_listening(port):
        if time.monotonic() > deadline:
            sys.exit(f"{annotator.name} does not listen after 60 s.")
        time.sleep(0.05)


def write_training_file(articles: Sequence[Any], folder: Path) -> Path:
    path = folder / "training.jsonl"
    rows = (
        {"id": str(each.pmid), "title": each.title, "abstract": each.abstract, "relevant": number % 2 == 0}
        for number, each in enumerate(articles)
    )
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def import_articles(archives: DemoFiles, number: int) -> list[Any]:
    from annotations.articles.imports.citation_import import import_citations_batch_by_batch
    from annotations.articles.models import Article

    citations = (each for each in iter_abstracts(archives.newer) if len(each.passages) > 1)
    import_citations_batch_by_batch(islice(citations, number))
    return list(Article.objects.all())


def measure_bare_requests(urls: Sequence[str], articles: Sequence[Any]) -> float:
    """Seconds for the same requests, one thread a server, nothing checked and nothing stored."""

    def send_all(url: str) -> None:
        proxy = xmlrpc.client.ServerProxy(url)
        for each in articles:
            proxy.Annotator.getAnnotation(
                {"id": str(each.pmid), "title": each.title, "abstract": each.abstract, "text": each.text}
            )

    start = time.monotonic()
    with ThreadPoolExecutor(len(urls)) as pool:
        list(pool.map(send_all, urls))
    return time.monotonic() - start


def measure_queues(annotators: Sequence[DemoAnnotator], urls: Sequence[str], articles: Sequence[Any]) -> float:
    """Seconds from the start of the servers' queues until the last call has ended."""
    from servers.calls.models import Call
    from servers.calls.queues import contents
    from servers.calls.states import OPEN_CALLS, CallState, QueueMode
    from servers.registry import lifecycle
    from servers.registry.models import Server
    from servers.teams.models import Team

    team = Team.objects.create(name="Benchmark", slug="benchmark")
    for annotator, url in zip(annotators, urls, strict=True):
        kinds = [kind.value for kind in annotator.kinds]
        server = Server.objects.create(
            review="accepted", team=team, name=annotator.name, slug=annotator.slug, url=url, kinds=kinds
        )
        queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
        contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles])
    start = time.monotonic()
    for server in Server.objects.all():
        lifecycle.bring_server_online_and_resume_resting_queues(server)
    while Call.objects.filter(state__in=sorted(OPEN_CALLS)).exists():
        time.sleep(0.1)
    seconds = time.monotonic() - start
    print(f"states: {[(state.value, Call.objects.filter(state=state).count()) for state in CallState]}")
    return seconds


def main(articles: int = 300, annotators: int = len(REFERENCE), workers: int = 2, archives: str = "") -> None:
    chosen, files = REFERENCE[:annotators], get_archives(archives)
    with set_up_empty_site():
        imported = import_articles(files, articles)
        with run_annotators(chosen, files, imported) as urls:
            bare = measure_bare_requests(urls, imported)
            with run_workers(workers):
                seconds = measure_queues(chosen, urls, imported)
    calls = len(imported) * len(urls)
    print(f"bare requests:    {bare:6.1f} s {calls / bare:7.1f} calls/s")
    print(f"through the site: {seconds:6.1f} s {calls / seconds:7.1f} calls/s")
    print_ratio("through the site / bare requests", seconds, bare)


if __name__ == "__main__":
    run_main(main)
