"""Progress on the terminal: what pg_dump and pg_restore have finished, at most once a second."""

import re
import time
from collections.abc import Callable

FINISHED = re.compile(r": finished item \d+ (TABLE DATA|INDEX|FK CONSTRAINT|CONSTRAINT) (.+)$")
PAUSE_SECONDS = 1.0


class ItemProgress:
    """Reads messages of pg_dump and pg_restore, and reports how many of the items are finished."""

    def __init__(self, verb: str, total: int, report: Callable[[str], None]) -> None:
        self.verb = verb
        self.total = total
        self.report = report
        self.finished = 0
        self.reported = time.monotonic()

    def read_line(self, line: str) -> None:
        match = FINISHED.search(line.strip())
        if not match:
            return
        self.finished += 1
        now = time.monotonic()
        if now - self.reported >= PAUSE_SECONDS:
            self.reported = now
            self.report(f"{self.verb} {self.finished} of {self.total}, the last one {match[2]}.")
