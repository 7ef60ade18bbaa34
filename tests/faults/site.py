"""A site on a small disk whose parts can lose their network, their names, their mail server and the right time.

It needs root: everything lies on a file system in memory of a mount namespace of its own, in which `/etc/hosts` is
replaced. libfaketime gives one asking worker and the database clocks that can be moved.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aiosmtpd.controller import Controller

from bcms.local import ports
from bcms.local.child_processes import ChildProcesses
from tests.crashes.site import BEHIND_RELAYS, WORKERS, Site

CLOCK_LIBRARIES = Path("/usr/lib")
PYTHON_START = Path(__file__).parent / "python_start"
DISK_BYTES = 1 << 30
# The annotation servers are called by this name.
HOST = "annotators.example.org"


def find_clock_library() -> Path:
    """That of this machine's architecture."""
    return next(CLOCK_LIBRARIES.glob("*/faketime/libfaketimeMT.so.1"))


class Mailbox:
    """A mail server that counts what comes and throws it away."""

    def __init__(self, port: int) -> None:
        self.port, self.number = port, 0
        self.start()

    def start(self) -> None:
        self.controller = Controller(self, hostname=ports.LOOPBACK, port=self.port)
        self.controller.start()

    def stop(self) -> None:
        self.controller.stop()

    async def handle_DATA(self, server, session, envelope):
        self.number += 1
        return "250 Message accepted for delivery"


@dataclass
class FaultySite(Site):
    mailbox: Mailbox | None = None

    def start_all_services(self) -> None:
        (mail_port,) = ports.pick_free_ports(1)
        self.mailbox = Mailbox(mail_port)
        self.know_names(True)
        for name in ("worker", "database"):
            self.move_clock(name, 0)
        with self.changed_clock("database"):
            self.start_services({"EMAIL_URL": f"smtp://{ports.LOOPBACK}:{mail_port}", "SITE_URL": self.url})
        # The other processes have the right time.
        for name in self.clock_settings("database"):
            del self.env[name]
        self.start_relays()

    @property
    def url(self) -> str:
        return f"http://{ports.LOOPBACK}:{self.web_port}"

    def start(self, name: str) -> None:
        before = self.env
        if name == BEHIND_RELAYS:
            self.env = {**self.env, **self.clock_settings("worker")}
        super().start(name)
        self.env = before

    def restart_database_after_fault(self) -> None:
        """As a supervisor does, if the fault has ended it."""
        if self.parts["database"].process.poll() is not None:
            self.children.remove_ended_child(self.parts["database"])
            with self.changed_clock("database"):
                self.start_database_again()

    def restart_ended_workers(self) -> None:
        """As a supervisor does."""
        for name in (*WORKERS, "work", "scoring"):
            child = self.parts[name]
            if child.process.poll() is not None:
                self.children.remove_ended_child(child)
                self.keep_log(child)
                self.start(name)

    def clock_settings(self, name: str) -> Mapping[str, str]:
        return {
            "LD_PRELOAD": str(find_clock_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.folder / f"{name}.clock"),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "PYTHONPATH": str(PYTHON_START),
        }

    @contextmanager
    def changed_clock(self, name: str) -> Iterator[None]:
        """What is started meanwhile has the clock."""
        settings = self.clock_settings(name)
        os.environ.update(settings)
        try:
            yield
        finally:
            for each in settings:
                os.environ.pop(each, None)

    def move_clock(self, name: str, seconds: int) -> None:
        path = self.folder / f"{name}.clock"
        path.write_text(f"{seconds:+d}\n")
        path.chmod(0o644)

    def know_names(self, known: bool) -> None:
        """Whether the host name of the annotation servers can be looked up."""
        line = f"{ports.LOOPBACK} {HOST}\n" if known else ""
        Path("/etc/hosts").write_text(f"{ports.LOOPBACK} localhost\n{line}")

    def fill_disk(self) -> None:
        with (self.folder / "ballast").open("wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(bytes(1 << 20))
            except OSError:
                pass

    def free_disk(self) -> None:
        (self.folder / "ballast").unlink()


@contextmanager
def run_faulty_site(folder: Path) -> Iterator[FaultySite]:
    """Call it in a mount namespace of its own, as root."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "tmpfs", folder], check=True)
    hosts = folder / "hosts"
    hosts.touch()
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    children = ChildProcesses(folder)
    broker_port, web_port = ports.pick_free_ports(2)
    site = FaultySite(folder, children, broker_port, web_port)
    try:
        yield site
    finally:
        for name in site.parts:
            site.signal(name, signal.SIGCONT)
        children.stop_children(should_hurry=lambda: True)
        subprocess.run(["umount", "--lazy", "/etc/hosts", folder], check=True)
