"""What readers wait for and what they cost, in whatever the database holds, with a web server and workers of its own.

    python -m tests.benchmarks.watching --articles 300
    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x ALLOWED_NETWORKS=127.0.0.0/8 python -m tests.benchmarks.watching

Prints the ratio of the web server's processor time to the time of the clock while 200 people have a page open, each a
different article, all the same one, and as often as a page polls in its first minute; with a Chromium also the time to
the first view of an article, and from a server's answer until the open page shows it. The aims: half a core, and a
second each.
"""

import asyncio
import contextlib
import os
import re
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from bcms.local import ports, process_commands
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_site
from tests.benchmarks.spent import read_family_time
from tests.benchmarks.workers import run_process, run_workers

WATCHERS = 200
WATCHED_SECONDS = 20.0
VISITS = 10
ANSWERS = 8
VERSION = re.compile(rb'data-live="([^"]+)" data-version="([^"]+)"')
PACES = re.compile(r"const (EVERY|EAGERLY) = ([0-9]+);")


def measure_readers(
    watchers: int = WATCHERS,
    seconds: float = WATCHED_SECONDS,
    visits: int = VISITS,
    answers: int = ANSWERS,
    workers: int = 2,
) -> None:
    from annotations.articles.models import Article

    pmids = list(Article.objects.filter(standing__isnull=False).order_by("-pmid").values_list("pmid", flat=True))
    with run_web_server() as (port, pid):
        paces = read_page_paces()
        different, same = (pmids * watchers)[:watchers], pmids[:1] * watchers
        for name, watched, pace in (
            ("different articles", different, paces["EVERY"]),
            ("one article", same, paces["EVERY"]),
            ("first minute", different, paces["EAGERLY"]),
        ):
            costs = asyncio.run(watch_pages(port, pid, watched, pace, seconds))
            print(f"{watchers} people, {name}: {costs}", flush=True)
            print_ratio(f"{name}, processor time / time of the clock", costs.processor, costs.clock)
        if visits:
            # Others than those watched, if there are enough, so that the pages are not in a cache.
            measure_in_browser(f"http://127.0.0.1:{port}", pmids[watchers:] or pmids, visits, answers, workers)


@contextmanager
def run_web_server() -> Iterator[tuple[int, int]]:
    """The port of a web server as a deployment has it, and its process."""
    (port,) = ports.pick_free_ports(1)
    with run_process([sys.executable, *process_commands.build_gunicorn_arguments(port)]) as process:
        deadline = time.monotonic() + 60
        while not ports.is_port_listening(port):
            if time.monotonic() > deadline:
                sys.exit("The web server does not listen after 60 s.")
            time.sleep(0.1)
        yield port, process.pid


# People who watch


@dataclass
class WatchingCosts:
    """Of all watchers together: seconds of each request, and how many brought something new."""

    requests: list[float] = field(default_factory=list)
    news: int = 0
    processor: float = 0.0
    clock: float = 0.0

    def __str__(self) -> str:
        p50, p95 = (1000 * statistics.quantiles(self.requests, n=20)[index] for index in (9, 18))
        return f"{len(self.requests)} requests, {self.news} with news, p50 {p50:.1f} ms, p95 {p95:.1f} ms"


def read_page_paces() -> dict[str, float]:
    """Seconds between two polls of a page, as its script has them: as a rule, and as long as news are likely."""
    script = (process_commands.ROOT / "static" / "live.js").read_text(encoding="utf-8")
    return {name: int(milliseconds) / 1000 for name, milliseconds in PACES.findall(script)}


async def watch_pages(port: int, pid: int, pmids: Sequence[int], pace: float, seconds: float) -> WatchingCosts:
    """So many people for some seconds, one for each PMID, each polling every so many seconds."""
    costs = WatchingCosts()
    ready = asyncio.Barrier(len(pmids) + 1)
    over = asyncio.Event()
    people = [
        asyncio.create_task(watch_page(port, pmid, pace * number / len(pmids), pace, costs, ready, over))
        for number, pmid in enumerate(pmids)
    ]
    await ready.wait()
    start, before = time.monotonic(), read_family_time(pid)
    await asyncio.sleep(seconds)
    costs.processor, costs.clock = read_family_time(pid) - before, time.monotonic() - start
    over.set()
    await asyncio.gather(*people)
    return costs


async def watch_page(
    port: int, pmid: int, phase: float, pace: float, costs: WatchingCosts, ready: asyncio.Barrier, over: asyncio.Event
) -> None:
    """One page: it is read, and then polled for news as often as its script does it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _, page = await send_request(reader, writer, port, f"/articles/{pmid}/")
    address, version = (own.decode() for own in VERSION.findall(page)[0])
    writer.close()
    await ready.wait()
    await wait_or_end(over, phase)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    path = f"{address.replace('&amp;', '&')}&v={version}"
    while not over.is_set():
        start = time.monotonic()
        status, _ = await send_request(reader, writer, port, path)
        costs.requests.append(time.monotonic() - start)
        costs.news += status == 200
        await wait_or_end(over, pace)
    writer.close()


async def wait_or_end(over: asyncio.Event, seconds: float) -> None:
    """Wait so long, or until all is over."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(over.wait(), seconds)


async def send_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, path: str
) -> tuple[int, bytes]:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = re.search(rb"(?i)content-length: *([0-9]+)", head)
    body = b"" if status == 204 else await reader.readexactly(int(length[1])) if length else await reader.read()
    return status, body


# What they see


def measure_in_browser(site: str, pmids: Sequence[int], visits: int, answers: int, workers: int) -> None:
    from playwright.sync_api import sync_playwright

    from tests.benchmarks.article_page import measure_first_view
    from tests.browser import WIDE, launch

    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code of ours.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            print("no Chromium was found")
            return
        first_views = [measure_first_view(browser, WIDE, f"{site}/articles/{pmid}/") for pmid in pmids[:visits]]
        print(f"first view         {format_milliseconds(first_views)}   ({len(first_views)} articles)")
        if not answers:
            browser.close()
            return
        with run_workers(workers), run_late_server() as answered:
            page = browser.new_page(viewport=WIDE)
            delays = [
                measure_answer_delay(page, f"{site}/articles/{pmid}/", answered, pmid) for pmid in pmids[-answers:]
            ]
        print(f"answer to browser  {format_milliseconds(delays)}   ({len(delays)} answers)")
        browser.close()


def format_milliseconds(milliseconds: Sequence[float]) -> str:
    return f"median {statistics.median(milliseconds):6.0f} ms   longest {max(milliseconds):6.0f} ms"


ANSWER_SHOWN = """(name) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("no answer is shown within a minute")), 60000);
  const look = () => {
    const rows = [...document.querySelectorAll("#article-aside li")];
    const answered = rows.filter((own) => own.querySelector(".chip.good"));
    if (answered.some((own) => own.textContent.includes(name))) done(performance.timeOrigin + performance.now());
    else setTimeout(look, 5);
  };
  look();
})"""
LATE = "Late reader"


def measure_answer_delay(page, address: str, answered: dict[str, float], pmid: int) -> float:
    """Milliseconds from the server's answer until the page that waits for it shows it."""
    page.goto(address)
    return page.evaluate(ANSWER_SHOWN, LATE) - 1000 * answered[str(pmid)]


@contextmanager
def run_late_server() -> Iterator[dict[str, float]]:
    """Run an online server that answers after some seconds; yields when it answered for each article."""
    from annotations.schema import AnnotationData, Kind
    from servers.calls.queues import contents
    from servers.calls.states import QueueMode
    from servers.kit.articles import KitArticle
    from servers.kit.failures import FailureGenerator
    from servers.kit.serving import AnnotationServer
    from servers.registry import lifecycle
    from servers.registry.models import Server
    from servers.teams.models import Team

    answered: dict[str, float] = {}

    def annotate(article: KitArticle) -> list[AnnotationData]:
        time.sleep(2.0 + 0.27 * len(answered))
        answered[article.identifier] = time.time()
        return [AnnotationData(Kind.CLASSIFICATION, 0.9, relevant=True)]

    protocol = {
        "protocol": "bcms",
        "method": "Annotator.getAnnotation",
        "delay": 0.0,
        "failures": FailureGenerator(0.0, 0),
    }
    with AnnotationServer(annotate, ("127.0.0.1", 0), **protocol) as annotator:
        threading.Thread(target=annotator.serve_forever, daemon=True).start()
        team, _ = Team.objects.get_or_create(slug="team-late", defaults={"name": "Team Late"})
        own = Server.objects.create(
            review="accepted",
            team=team,
            name=LATE,
            slug="late-reader",
            url=annotator.address,
            kinds=[Kind.CLASSIFICATION.value],
        )
        contents.get_or_create_queue_and_producer(own, QueueMode.LIVE)
        lifecycle.bring_server_online_and_resume_resting_queues(own)
        yield answered
        annotator.shutdown()


def main(
    articles: int = 0,
    watchers: int = WATCHERS,
    seconds: float = WATCHED_SECONDS,
    visits: int = VISITS,
    answers: int = ANSWERS,
    workers: int = 2,
) -> None:
    """articles: made up, instead of those of the database; visits, answers: in a browser, 0 for none"""
    with set_up_site(articles):
        from annotations.results.article_summaries import update_summaries_returning_whether_more_remain

        while update_summaries_returning_whether_more_remain():
            pass
        measure_readers(watchers, seconds, visits, answers, workers)


if __name__ == "__main__":
    run_main(main)
