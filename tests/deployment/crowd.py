"""Visitors who ask for pages and upload articles all the time, and note every request that is not answered well."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, cycle

import requests

from tests.deployment.visitor import Visitor

PAGES = ("/", "/articles/", "/articles/101/", "/servers/", "/challenges/example/", "/api/v1/servers/", "/login/")
READERS = 2
FIRST_ARTICLE = 920_001
# Together they stay below what the proxy allows an address.
READER_PAUSE_SECONDS, UPLOADER_PAUSE_SECONDS = 0.1, 0.4


@dataclass
class Crowd:
    """answered: requests; uploaded: ids of the articles of uploads that were confirmed; faults: what else happened."""

    answered: int = 0
    uploaded: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0
    guard: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def read_pages(self, visitor: Visitor) -> None:
        for page in cycle(PAGES):
            if self.over.wait(READER_PAUSE_SECONDS):
                return
            self._try(page, lambda page=page: self._check(visitor.get(page)))

    def upload_articles(self, visitor: Visitor) -> None:
        for article in count(FIRST_ARTICLE):
            if self.over.wait(UPLOADER_PAUSE_SECONDS):
                return
            self._try(f"upload of {article}", lambda article=article: self._upload(visitor, article))

    def _upload(self, visitor: Visitor, article: int) -> None:
        content = f"{article}|t|Article {article}\n{article}|a|In cells.\n".encode()
        visitor.post("/articles/upload/", files={"file": ("one.pubtator", content)})
        with self.guard:
            self.answered += 2
            self.uploaded.append(article)

    def _check(self, reply: requests.Response) -> None:
        assert reply.status_code == 200, f"{reply.status_code} {reply.text[:500]}"
        with self.guard:
            self.answered += 1
            self.slowest = max(self.slowest, reply.elapsed.total_seconds())

    def _try(self, what: str, act: Callable[[], None]) -> None:
        try:
            act()
        except (AssertionError, requests.RequestException) as error:
            with self.guard:
                self.faults.append(f"{what}: {error!r}")


@contextmanager
def run_crowd(uploader: Visitor) -> Iterator[Crowd]:
    """A crowd that comes while the block runs. uploader: logged in, may upload articles."""
    crowd = Crowd()
    readers = [Visitor(uploader.url, str(uploader.session.verify)) for _ in range(READERS)]
    threads = [threading.Thread(target=crowd.read_pages, args=(reader,)) for reader in readers]
    threads.append(threading.Thread(target=crowd.upload_articles, args=(uploader,)))
    for thread in threads:
        thread.start()
    try:
        yield crowd
    finally:
        crowd.over.set()
        for thread in threads:
            thread.join()
