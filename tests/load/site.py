"""The deployment under load: its content, the memory of its processes and how soon it is quick again."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import requests
from requests.adapters import HTTPAdapter

from tests.compose_file import ROOT
from tests.deployment.running import Deployment, get_service, prepare_deployment, wait_until
from tests.load.figures import GROUPS

PROGRAMS = ("initdb", "pgbouncer", "redis-server", "nginx")
# More annotation servers than any load has; each answers after a second.
ANNOTATORS, ANSWER_SECONDS = 1000, 1.0
MEMORY_SECONDS = 2.0
RECOVERY_SECONDS, QUICK_SECONDS, QUICK_PAGES = 180.0, 1.0, 3
PROBED_ADDRESS = "127.250.1.1"
CALLS = "SELECT count(*) FROM servers_call WHERE state IN ('answered', 'empty')"


class FromAddress(HTTPAdapter):
    """Connects from an address that none of the load's visitors has."""

    def init_poolmanager(self, *given: Any, **more: Any) -> None:
        super().init_poolmanager(*given, source_address=(PROBED_ADDRESS, 0), **more)


@dataclass
class LoadedSite:
    deployment: Deployment
    annotators_port: int
    plan: dict[str, Any] = field(default_factory=dict)

    def fill(self, sizes: Mapping[str, int]) -> None:
        self.plan = {"url": self.deployment.url, **self._write("fill", json.dumps(sizes))}
        self.deployment.query("bcms", "--command=VACUUM ANALYZE")

    def begin_phase(self, servers: int) -> None:
        """Bring so many servers online, with all full texts in their queues."""
        self.plan |= self._write("begin-phase", str(servers))

    def _write(self, what: str, more: str) -> dict[str, Any]:
        command = ["python", "-m", "tests.load.content", what, str(self.annotators_port), more]
        return dict(json.loads(self.deployment.run("work-1", command).splitlines()[-1]))

    def count_calls(self) -> int:
        return int(self.deployment.query("bcms", f"--command={CALLS}"))

    def measure_database(self) -> int:
        return int(self.deployment.query("bcms", "--command=SELECT pg_database_size('bcms')"))

    def wait_until_quick(self, limit: float = RECOVERY_SECONDS) -> float | None:
        """Seconds until pages are answered within a second, one after the other; None if not within the limit."""
        began, quick_since, quick = time.monotonic(), 0.0, 0
        while quick < QUICK_PAGES:
            asked = time.monotonic()
            if asked - began > limit:
                return None
            if self._is_quick():
                quick_since, quick = (quick_since if quick else asked), quick + 1
            else:
                quick = 0
            time.sleep(0.2)
        return quick_since - began

    def _is_quick(self) -> bool:
        try:
            with requests.Session() as session:
                session.trust_env = False
                session.verify = self.deployment.certificate
                session.mount("https://", FromAddress())
                # Not a page that is kept.
                path = f"/articles/?q=receptor{time.monotonic_ns()}"
                return session.get(self.deployment.url + path, timeout=QUICK_SECONDS).ok
        except requests.RequestException:
            return False

    @contextmanager
    def measure_memory(self) -> Iterator[dict[str, int]]:
        """The most bytes of each group of processes while the block runs; shared pages are counted once."""
        most: dict[str, int] = {}
        over = threading.Event()

        def measure() -> None:
            while not over.wait(MEMORY_SECONDS):
                for group, services in GROUPS.items():
                    most[group] = max(most.get(group, 0), self._sum_memory(services))

        thread = threading.Thread(target=measure)
        thread.start()
        try:
            yield most
        finally:
            over.set()
            thread.join()

    def _sum_memory(self, services: tuple[str, ...]) -> int:
        leaders = [child.process.pid for part, child in self.deployment.parts.items() if get_service(part) in services]
        return sum(read_family_memory(pid) for pid in leaders)


def read_family_memory(pid: int) -> int:
    """Bytes of a process and of all that it has started, each page shared by n of them counted as 1/n."""
    try:
        leader = psutil.Process(pid)
        return sum(read_memory(each) for each in (leader, *leader.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0


def read_memory(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0


@contextmanager
def run_annotators() -> Iterator[int]:
    """The port of annotation servers that answer after a second."""
    command = [sys.executable, "-m", "tests.benchmarks.quick_annotators", str(ANNOTATORS), str(ANSWER_SECONDS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


@contextmanager
def run_loaded_site(folder: Path, sizes: Mapping[str, int], dump: Path | None = None) -> Iterator[LoadedSite]:
    """A deployment of docker-compose.yml on this machine, filled. dump: of a migrated database, which saves minutes."""
    empty = folder / "empty.sql"
    empty.touch()
    with run_annotators() as port, prepare_deployment(folder, *PROGRAMS) as deployment:
        deployment.start(dump or empty)
        site = LoadedSite(deployment, port)
        # Other tests may keep the machine busy.
        wait_until(lambda: site.wait_until_quick(1.0) is not None, "pages are quick", seconds=600.0)
        site.fill(sizes)
        yield site
