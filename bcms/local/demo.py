"""`make demo`: services, data, reference annotators, workers and web server, until somebody stops it."""

import http.client
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bcms.demo.annotators import ANNOTATORS
from bcms.demo.archives import ArchiveError, Archives, archive_files
from bcms.demo.cast import PEOPLE
from bcms.local import plan, services
from bcms.local.errors import StartError
from bcms.local.mailbox import Mailbox
from bcms.local.ports import LOOPBACK, is_free, listens
from bcms.local.processes import Child, Children
from bcms.local.stopping import STEP, StopRequest, say

# Slow machines, and busy ones, take minutes; what fails is told at once.
START_SECONDS = 300.0


@dataclass
class Demo:
    """One run of the demo. The folder keeps its database, passwords and logs from run to run."""

    port: int
    folder: Path
    children: Children
    request: StopRequest
    env: dict[str, str] = field(default_factory=dict)

    def run(self) -> None:
        """Start everything, say where it is, and stay until asked to stop (StopAsked) or a child dies (StartError)."""
        began = time.monotonic()
        check_port(self.port)
        archives = the_archives()
        say("Starting PostgreSQL and Valkey")
        found = services.start(self.children, self.folder)
        self.env = {**os.environ, **plan.environment(self.folder, self.port, found)}
        self.prepare()
        self.start_servers(archives)
        self.start_workers()
        say(greeting(self.port, self.env["DEMO_PASSWORD"], time.monotonic() - began))
        mailbox = Mailbox(plan.mail_folder(self.folder))
        while True:
            self.look()
            for line in mailbox.news():
                say(line)

    def prepare(self) -> None:
        self.children.next_stage()
        say("Migrating the database")
        migrate = self.start("migrate", ["manage.py", "migrate", "--verbosity", "0"], passing=True)
        self.wait_for(lambda: migrate.process.poll() == 0)
        self.children.forget(migrate)
        data = self.start("data", ["manage.py", "demo_data"], shown=True, passing=True)
        while data.process.poll() is None:
            self.request.wait()
        if data.process.returncode:
            self.children.check_space()
            raise StartError("The demo's data could not be loaded: what is wrong is said above.")
        self.children.forget(data)

    def start_servers(self, archives: Archives) -> None:
        """The web server and the reference annotators, each at its port; returns when all of them answer."""
        self.children.next_stage()
        say(f"Starting the web server and {len(ANNOTATORS)} annotation servers")
        self.start("web", plan.web(self.port))
        ports = plan.ports_of(self.env)
        tables = {"hgnc": archives.hgnc, "mgi": archives.mgi, "rgd": archives.rgd}
        for annotator in ANNOTATORS:
            command = annotator.command(ports[annotator.slug], training=plan.training_file(self.folder), **tables)
            self.start(annotator.slug, command)
        self.wait_for(lambda: all(listens(port) for port in ports.values()) and is_healthy(self.port))

    def start_workers(self) -> None:
        """Last, so that the first questions find somebody who answers."""
        self.children.next_stage()
        for name, command in plan.workers().items():
            self.start(name, command, passing=name in plan.PASSING)

    def start(self, name: str, command: Sequence[str], *, shown: bool = False, passing: bool = False) -> Child:
        full = [plan.PYTHON, *command]
        env = {**self.env, **plan.only_for(name, self.folder)}
        return self.children.start(name, full, env=env, cwd=plan.ROOT, shown=shown, passing=passing)

    def wait_for(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + START_SECONDS
        while not condition():
            if time.monotonic() > until:
                raise StartError(f"The demo is not up after {START_SECONDS:.0f} s: see {self.children.logs}.")
            self.look()

    def look(self) -> None:
        self.children.check()
        self.request.wait(STEP)


def check_port(port: int) -> None:
    if not 0 < port < 65536:
        raise StartError(f"There is no port {port}: choose one from 1 to 65535, as in `make demo PORT=8001`.")
    try:
        free = is_free(port)
    except PermissionError:
        raise StartError(
            f"Port {port} is for root alone: choose one above 1023, as in `make demo PORT=8001`."
        ) from None
    if not free:
        raise StartError(
            f"Port {port} is in use by another program: stop that one, or choose another port, "
            f"as in `make demo PORT={port + 1}`."
        )


def the_archives() -> Archives:
    try:
        return archive_files(say)
    except ArchiveError as error:
        raise StartError(str(error)) from error


def is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def greeting(port: int, password: str, seconds: float) -> str:
    """The address and a table of the log-ins."""
    width = max(len(person.name) for person in PEOPLE)
    people = "\n".join(f"    {person.name:<{width}}  {password}  {person.what}" for person in PEOPLE)
    return (
        f"\nThe demo is up after {seconds:.0f} s:  http://{LOOPBACK}:{port}/\n\n"
        f"Log in at http://{LOOPBACK}:{port}/login/ as\n{people}\n\n"
        f"Mail is written into .run/mail/ and told here.\n"
        f"Ctrl-C stops it. Its logs are in .run/log/, its settings in .run/environment.\n"
    )
