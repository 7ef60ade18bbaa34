"""Somebody who opens pages of the site all the time, and notes how each was answered."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import requests

PATHS = ("/", "/servers/", "/api/v1/servers/")
PAUSE_SECONDS = 0.2
REFUSED = "refused"


@dataclass
class Visits:
    """statuses: how often each came, and connections that were refused; slowest: seconds."""

    statuses: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


class Visitor:
    def __init__(self, url: str) -> None:
        self.url = url
        self.visits = Visits()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._visit_pages, daemon=True)
        self.thread.start()

    def take_visits(self) -> Visits:
        """Those since the last time."""
        visits, self.visits = self.visits, Visits()
        return visits

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join()

    def _visit_pages(self) -> None:
        while not self.stopped.is_set():
            for path in PATHS:
                self._visit(path)
            self.stopped.wait(PAUSE_SECONDS)

    def _visit(self, path: str) -> None:
        visits, began = self.visits, time.monotonic()
        try:
            status = str(requests.get(self.url + path, timeout=60).status_code)
        except requests.RequestException:
            status = REFUSED
        visits.statuses[status] += 1
        visits.slowest = max(visits.slowest, time.monotonic() - began)
