"""What readers wait for and what they cost, in whatever the database holds, with a web server and workers of its own.

    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x ALLOWED_NETWORKS=127.0.0.0/8 python -m tests.benchmarks.watching

Prints the processor time that the web server takes a second while 200 people have a page open, each an article of his
own, all the same one, and as often as a page asks in its first minute; with a Chromium also the time to the first view
of an article, and from a server's answer until the open page shows it. The aims: half a core, and a second each.
"""

import asyncio
import os
import re
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import django

from bcms.local import ports, process_commands
from tests.benchmarks.spent import of_family
from tests.benchmarks.workers import asking_group, process

WATCHERS = 200
WATCHED_SECONDS = 20.0
VISITS = 10
ANSWERS = 8
VERSION = re.compile(rb'data-live="([^"]+)" data-version="([^"]+)"')
PACES = re.compile(r"const (EVERY|EAGERLY) = ([0-9]+);")


def run() -> None:
    from annotations.articles.models import Article

    pmids = list(Article.objects.filter(standing__isnull=False).order_by("-pmid").values_list("pmid", flat=True))
    with web_server() as (port, pid):
        paces = paces_of_pages()
        own, same = (pmids * WATCHERS)[:WATCHERS], pmids[:1] * WATCHERS
        for name, some, pace in (
            ("own articles", own, paces["EVERY"]),
            ("one article", same, paces["EVERY"]),
            ("first minute", own, paces["EAGERLY"]),
        ):
            print(f"{WATCHERS} people, {name:<14} {asyncio.run(watched(port, pid, some, pace))}", flush=True)
        in_browser(f"http://127.0.0.1:{port}", pmids[WATCHERS:])


@contextmanager
def web_server() -> Iterator[tuple[int, int]]:
    """The port of a web server as a deployment has it, and its process."""
    (port,) = ports.pick_free_ports(1)
    with process([sys.executable, *process_commands.build_web_command(port)]) as started:
        until = time.monotonic() + 60
        while not ports.is_port_listening(port):
            if time.monotonic() > until:
                sys.exit("The web server does not listen after 60 s.")
            time.sleep(0.1)
        yield port, started.pid


# People who watch


@dataclass
class Watching:
    """What all watchers together saw: seconds of each request, and how many brought something new."""

    seconds: list[float] = field(default_factory=list)
    swaps: int = 0
    core: float = 0.0

    def __str__(self) -> str:
        p50, p95 = (1000 * statistics.quantiles(self.seconds, n=20)[place] for place in (9, 18))
        figures = f"{len(self.seconds)} requests, {self.swaps} with news, p50 {p50:.1f} ms, p95 {p95:.1f} ms"
        return f"{self.core:5.2f} of a core   ({figures})"


def paces_of_pages() -> dict[str, float]:
    """Seconds between two polls of a page, as its script has them: as a rule, and as long as news are likely."""
    script = (process_commands.ROOT / "static" / "live.js").read_text(encoding="utf-8")
    return {name: int(milliseconds) / 1000 for name, milliseconds in PACES.findall(script)}


async def watched(port: int, pid: int, pmids: Sequence[int], pace: float) -> Watching:
    """So many people for 20 seconds, one for each PMID, each asking every so many seconds."""
    watching = Watching()
    ready = asyncio.Barrier(len(pmids) + 1)
    over = asyncio.Event()
    people = [
        asyncio.create_task(watch(port, pmid, pace * number / len(pmids), pace, watching, ready, over))
        for number, pmid in enumerate(pmids)
    ]
    await ready.wait()
    began, before = time.monotonic(), of_family(pid)
    await asyncio.sleep(WATCHED_SECONDS)
    watching.core = (of_family(pid) - before) / (time.monotonic() - began)
    over.set()
    await asyncio.gather(*people)
    return watching


async def watch(
    port: int, pmid: int, phase: float, pace: float, watching: Watching, ready: asyncio.Barrier, over: asyncio.Event
) -> None:
    """One page: it is read, and then asked for what is new as often as its script asks."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _, page = await asked(reader, writer, port, f"/articles/{pmid}/")
    address, version = (own.decode() for own in VERSION.findall(page)[0])
    writer.close()
    await ready.wait()
    await asyncio.sleep(phase)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    path = f"{address.replace('&amp;', '&')}&v={version}"
    while not over.is_set():
        began = time.monotonic()
        status, _ = await asked(reader, writer, port, path)
        watching.seconds.append(time.monotonic() - began)
        watching.swaps += status == 200
        await asyncio.sleep(pace)
    writer.close()


async def asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, path: str) -> tuple[int, bytes]:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = re.search(rb"(?i)content-length: *([0-9]+)", head)
    body = b"" if status == 204 else await reader.readexactly(int(length[1])) if length else await reader.read()
    return status, body


# What is seen


def in_browser(site: str, pmids: Sequence[int]) -> None:
    from playwright.sync_api import sync_playwright

    from tests.benchmarks.article_page import first_view
    from tests.browser import WIDE, launch

    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code of ours.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            print("no Chromium is found here")
            return
        firsts = [first_view(browser, WIDE, f"{site}/articles/{pmid}/") for pmid in pmids[:VISITS]]
        print(f"first view         {row(firsts)}   ({VISITS} articles)")
        with asking_group(), late_server() as answered:
            page = browser.new_page(viewport=WIDE)
            delays = [seen_after(page, f"{site}/articles/{pmid}/", answered, pmid) for pmid in pmids[-ANSWERS:]]
        print(f"answer to browser  {row(delays)}   ({ANSWERS} answers)")
        browser.close()


def row(milliseconds: Sequence[float]) -> str:
    return f"median {statistics.median(milliseconds):6.0f} ms   longest {max(milliseconds):6.0f} ms"


SEEN = """(name) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("no answer is seen within a minute")), 60000);
  const look = () => {
    const rows = [...document.querySelectorAll("#article-aside li")];
    const answered = rows.filter((own) => own.querySelector(".chip.good"));
    if (answered.some((own) => own.textContent.includes(name))) done(performance.timeOrigin + performance.now());
    else setTimeout(look, 5);
  };
  look();
})"""
LATE = "Late reader"


def seen_after(page, address: str, answered: dict[str, float], pmid: int) -> float:
    """Milliseconds from the server's answer until the page that waits for it shows it."""
    page.goto(address)
    return page.evaluate(SEEN, LATE) - 1000 * answered[str(pmid)]


@contextmanager
def late_server() -> Iterator[dict[str, float]]:
    """A server that is at work and answers after some seconds, each time others; yields when it has answered."""
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
            team=team, name=LATE, slug="late-reader", url=annotator.address, kinds=[Kind.CLASSIFICATION.value]
        )
        contents.get_or_create_queue(own, QueueMode.LIVE)
        lifecycle.bring_server_online(own)
        yield answered
        annotator.shutdown()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    django.setup()
    run()


if __name__ == "__main__":
    main()
