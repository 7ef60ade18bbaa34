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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.request import urlopen

import psutil

from tests.benchmarks import quick_annotators as annotators
from tests.benchmarks.workers import ROOT, asking_group, django_on_services

TEAMS = 10


@dataclass(frozen=True)
class Scene:
    servers: int
    seconds: float
    articles: int

    @property
    def calls(self) -> int:
        return self.servers * self.articles

    @property
    def ideal(self) -> float:
        return self.seconds * self.articles


SCENES = ["50:0:100", "50:0.05:100", "50:1:20", "200:3:10"]


def scene(text: str) -> Scene:
    servers, seconds, articles = text.split(":")
    return Scene(int(servers), float(seconds), int(articles))


@contextmanager
def annotators_of(scene: Scene) -> Iterator[str]:
    command = [sys.executable, "-m", annotators.__name__, str(scene.servers), str(scene.seconds)]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{running.stdout.readline().strip()}/"
    finally:
        running.kill()
        running.wait()


def figures(url: str) -> dict[str, float]:
    with urlopen(url + "figures") as reply:
        return json.load(reply)


def fill(scene: Scene, url: str) -> None:
    """Articles, and servers of ten teams with all of them in their queues, offline."""
    from annotations.models import Article
    from servers import queueing
    from servers.models import Server, Team
    from servers.states import QueueMode

    title, abstract = annotators.TITLE, annotators.ABSTRACT
    passages = [{"type": "title", "text": title}, {"type": "abstract", "text": abstract}]
    Article.objects.bulk_create(
        Article(pmid=n, passages=passages, text=f"{title}\n{abstract}", content_hash=f"{n:064d}")
        for n in range(1, scene.articles + 1)
    )
    ids = list(Article.objects.values_list("pk", flat=True))
    teams = [Team.objects.create(name=f"T{n}", slug=f"t{n}") for n in range(TEAMS)]
    for n in range(scene.servers):
        server = Server.objects.create(
            team=teams[n % TEAMS], name=f"S{n}", slug=f"s{n}", url=f"{url}{n}", kinds=annotators.KINDS
        )
        queueing.enqueue(queueing.queue_of(server, QueueMode.LIVE), ids)


def bare(scene: Scene) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    half = scene.servers // 2
    parts = [(0, half), (half, scene.servers)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.bare_loop", str(first), str(last)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first, last in parts
    ]
    told = [[float(number) for number in process.communicate()[0].split()] for process in running]
    return max(seconds for seconds, _ in told), sum(used for _, used in told)


def queued(scene: Scene) -> float:
    """Seconds from the start of the first server until the last call has ended."""
    from servers import lifecycle
    from servers.models import Call, Server
    from servers.states import OPEN_CALLS

    started = time.monotonic()
    for server in Server.objects.order_by("pk"):
        lifecycle.start(server)
    while Call.objects.filter(state__in=sorted(OPEN_CALLS)).exists():
        time.sleep(0.1)
    return time.monotonic() - started


def processor_seconds(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def check(scene: Scene) -> None:
    from django.db.models import Count

    from annotations.models import Annotation, Result
    from servers.models import Attempt, Call
    from servers.states import CallState

    assert Call.objects.filter(state=CallState.ANSWERED, tries=1).count() == scene.calls
    assert Attempt.objects.count() == scene.calls
    mine = Result.objects.filter(call__isnull=False)
    assert mine.count() == scene.calls * len(annotators.KINDS)
    assert Annotation.objects.filter(result__in=mine).count() == scene.calls * 4
    assert not mine.values("article", "producer", "kind").annotate(n=Count("pk")).filter(n__gt=1).exists()


def run(scene: Scene) -> None:
    with django_on_services(), annotators_of(scene) as url:
        fill(scene, url)
        alone, used_alone = bare(scene)
        between = figures(url)
        with asking_group() as asking:
            workers = [psutil.Process(process.pid) for process in asking]
            before = processor_seconds(workers)
            load = os.getloadavg()[0]
            seconds = queued(scene)
            used = processor_seconds(workers) - before
            memory = max(process.memory_full_info().pss for process in workers) / 2**20
            threads = max(process.num_threads() for process in workers)
            seen = figures(url)
        check(scene)
    print(f"== {scene.servers} servers at {scene.seconds * 1000:g} ms, {scene.articles} articles each; load {load:.1f}")
    print(f"bare loop: {scene.calls / alone:7.1f} calls/s, {alone:6.1f} s (ideal {scene.ideal:.1f})")
    print(
        f"with queue:{scene.calls / seconds:7.1f} calls/s, {seconds:6.1f} s, {alone / seconds:.2f} of the bare loop's"
        + (f", {seconds / scene.ideal:.2f} of the ideal time" if scene.ideal else "")
    )
    for name, of in (("bare", between), ("with queue", seen)):
        print(f"answer to next request, {name}: p50 {of['p50'] * 1000:.1f} ms, p95 {of['p95'] * 1000:.1f} ms")
    print(
        f"worker: {used / scene.calls * 1000:.1f} ms of processor a call, the bare loop's "
        f"{used_alone / scene.calls * 1000:.1f} ({used_alone / used:.2f}); {memory:.0f} MB (PSS), {threads} threads;"
        f" most requests at one server at once: {seen['most_at_once']:g}",
        flush=True,
    )


def main(scenes: list[str]) -> None:
    """Each scene in a process of its own: Django is set up once in each, on services of its own."""
    if len(scenes) == 1:
        run(scene(scenes[0]))
        return
    for each in scenes or SCENES:
        subprocess.run([sys.executable, "-m", "tests.benchmarks.serial_loop", each], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
