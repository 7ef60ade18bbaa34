"""What the serial loop costs beside the bare work: 50 servers at 0 ms, 50 ms and 1 s, and 200 at 3 s.

    python -m tests.benchmarks.serial_loop [SERVERS:SECONDS:ARTICLES ...]

The bare work is the same requests, parsing, validation and inserts in a plain loop without queue, a thread for each
server, in as many processes as there are workers, in the same run. Prints calls a second of both and their ratio, the
time between a server's answer and its next request as the servers measure it, processor time of a call, and memory.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from urllib.request import urlopen

import psutil

from tests.benchmarks import quick_annotators
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site
from tests.benchmarks.workers import ROOT, run_workers

TEAMS = 10
ANNOTATIONS = 4


@dataclass(frozen=True)
class Workload:
    """So many servers that take so many seconds for each of so many articles."""

    servers: int
    seconds: float
    articles: int

    @property
    def calls(self) -> int:
        return self.servers * self.articles

    @property
    def ideal_seconds(self) -> float:
        return self.seconds * self.articles


WORKLOADS = ("50:0:100", "50:0.05:100", "50:1:20", "200:3:10")


def parse_workload(text: str) -> Workload:
    servers, seconds, articles = text.split(":")
    return Workload(int(servers), float(seconds), int(articles))


@contextmanager
def run_quick_annotators(workload: Workload) -> Iterator[str]:
    command = [sys.executable, "-m", quick_annotators.__name__, str(workload.servers), str(workload.seconds)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/"
    finally:
        process.kill()
        process.wait()


def fetch_figures(url: str) -> dict[str, float]:
    """What the annotators counted since they were asked last."""
    with urlopen(url + "figures") as reply:
        return json.load(reply)


def make_servers(workload: Workload, url: str) -> None:
    """Articles, and servers of ten teams with all of them in their queues, offline."""
    from django.db import connection

    from annotations.articles.models import Article
    from servers.calls.queues import contents
    from servers.calls.states import QueueMode
    from servers.registry.models import Server
    from servers.teams.models import Team

    title, abstract = quick_annotators.TITLE, quick_annotators.ABSTRACT
    passages = [{"type": "title", "text": title}, {"type": "abstract", "text": abstract}]
    Article.objects.bulk_create(
        Article(pmid=n, passages=passages, text=f"{title}\n{abstract}", content_hash=f"{n:064d}")
        for n in range(1, workload.articles + 1)
    )
    ids = list(Article.objects.values_list("pk", flat=True))
    teams = [Team.objects.create(name=f"T{n}", slug=f"t{n}") for n in range(TEAMS)]
    for n in range(workload.servers):
        server = Server.objects.create(
            review="accepted",
            team=teams[n % TEAMS],
            name=f"S{n}",
            slug=f"s{n}",
            url=f"{url}{n}",
            kinds=quick_annotators.KINDS,
        )
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, QueueMode.LIVE), ids
        )
    with connection.cursor() as cursor:
        # Not the tables that are empty yet: autovacuum does not analyze them either.
        cursor.execute("ANALYZE annotations_article, servers_server, servers_queue, servers_call")


def run_bare_loops(workload: Workload, processes: int) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    bounds = [workload.servers * n // processes for n in range(processes + 1)]
    loops = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.bare_loop", str(first), str(last)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first, last in pairwise(bounds)
    ]
    figures = [[float(number) for number in process.communicate()[0].split()] for process in loops]
    return max(seconds for seconds, _ in figures), sum(processor for _, processor in figures)


def run_queues() -> float:
    """Seconds from the start of the first server until the last call has ended."""
    from servers.calls.models import Call
    from servers.calls.states import OPEN_CALLS
    from servers.registry import lifecycle
    from servers.registry.models import Server

    start = time.monotonic()
    for server in Server.objects.order_by("pk"):
        lifecycle.bring_server_online_and_resume_resting_queues(server)
    while Call.objects.filter(state__in=sorted(OPEN_CALLS)).exists():
        time.sleep(0.1)
    return time.monotonic() - start


def read_processor_seconds(processes: Sequence[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def check_results(workload: Workload) -> None:
    """Every call was answered at its first attempt, and everything is stored once."""
    from django.db.models import Count

    from annotations.results.models import Annotation, Result
    from servers.calls.models import Attempt, Call
    from servers.calls.states import CallState

    assert Call.objects.filter(state=CallState.ANSWERED, tries=1).count() == workload.calls
    assert Attempt.objects.count() == workload.calls
    results = Result.objects.filter(call__isnull=False)
    assert results.count() == workload.calls * len(quick_annotators.KINDS)
    assert Annotation.objects.filter(result__in=results).count() == workload.calls * ANNOTATIONS
    assert not results.values("article", "producer", "kind").annotate(n=Count("pk")).filter(n__gt=1).exists()


def measure_workload(workload: Workload, workers: int) -> None:
    with set_up_empty_site(), run_quick_annotators(workload) as url:
        make_servers(workload, url)
        alone, used_alone = run_bare_loops(workload, workers)
        bare_figures = fetch_figures(url)
        with run_workers(workers) as processes:
            calling = [psutil.Process(process.pid) for process in processes]
            before = read_processor_seconds(calling)
            load = os.getloadavg()[0]
            seconds = run_queues()
            used = read_processor_seconds(calling) - before
            memory = max(process.memory_full_info().pss for process in calling) / 2**20
            threads = max(process.num_threads() for process in calling)
            queue_figures = fetch_figures(url)
        check_results(workload)
    print(
        f"== {workload.servers} servers at {workload.seconds * 1000:g} ms, {workload.articles} articles each; "
        f"load {load:.1f}"
    )
    print(f"bare loop: {workload.calls / alone:7.1f} calls/s, {alone:6.1f} s (ideal {workload.ideal_seconds:.1f})")
    print(f"with queue:{workload.calls / seconds:7.1f} calls/s, {seconds:6.1f} s")
    print_ratio("calls/s with queue / of the bare loop", alone, seconds)
    if workload.ideal_seconds:
        print_ratio("seconds with queue / ideal seconds", seconds, workload.ideal_seconds)
    for name, figures in (("bare", bare_figures), ("with queue", queue_figures)):
        print(f"answer to next request, {name}: p50 {figures['p50'] * 1000:.1f} ms, p95 {figures['p95'] * 1000:.1f} ms")
    print(
        f"worker: {used / workload.calls * 1000:.1f} ms of processor a call, the bare loop's "
        f"{used_alone / workload.calls * 1000:.1f}; {memory:.0f} MB (PSS), {threads} threads; "
        f"most requests at one server at once: {queue_figures['most_at_once']:g}",
        flush=True,
    )
    print_ratio("processor time of a worker / of the bare loop", used, used_alone)


def main(*workloads: str, workers: int = 2) -> None:
    """Each workload in a process of its own, on services of its own: Django is set up once in each."""
    if len(workloads) == 1:
        measure_workload(parse_workload(workloads[0]), workers)
        return
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    for each in workloads or WORKLOADS:
        command = [sys.executable, "-m", "tests.benchmarks.serial_loop", each, "--workers", str(workers)]
        subprocess.run(command, cwd=ROOT, env=env, check=True)


if __name__ == "__main__":
    run_main(main)
