"""A site of which every part can be killed and started again: database, broker, web server, workers, beat.

Each part leads its own process group, as on its own host; a killed part is started again at once, as by a supervisor.
The database is durable here: what it has committed is on the disk.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psutil

from bcms.local import ports, postgres, process_commands, valkey
from bcms.local.child_processes import ChildProcess, ChildProcesses, try_signal_process_group
from bcms.local.service_account import get_nobody_account_if_root, make_folder_or_reachable_counterpart
from bcms.local.services import delete_folder_and_shared_counterpart
from tests.relay import Relay

WORKERS = ("asking-1", "asking-2")
# The one that reaches database and broker through relays, which can be stopped as a network does.
BEHIND_RELAYS = "asking-1"
READY_SECONDS = 60.0


@dataclass
class Site:
    folder: Path
    children: ChildProcesses
    broker_port: int
    web_port: int
    env: dict[str, str] = field(default_factory=dict)
    parts: dict[str, ChildProcess] = field(default_factory=dict)
    relays: dict[str, Relay] = field(default_factory=dict)

    def start_services(self, settings: Mapping[str, str]) -> None:
        """Start database and broker, and put their URLs into the environment of this process, too."""
        database = postgres.start_postgres(self.children, self.folder)
        self.parts["database"] = self.children.stages[-1][-1]
        self.start_broker()
        self.env = {
            **os.environ,
            "DATABASE_URL": database,
            "REDIS_URL": f"redis://{ports.LOOPBACK}:{self.broker_port}/0",
            "SECRET_KEY": "crashes",
            "DJANGO_SETTINGS_MODULE": "bcms.settings",
            "ALLOWED_NETWORKS": "127.0.0.0/8",
            "LOG_LEVEL": "WARNING",
            "EMAIL_URL": (self.folder / "mail").as_uri(),
            "BEAT_SCHEDULE_FILE": str(self.folder / "schedule"),
            **settings,
        }
        os.environ.update(self.env)
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "-v0"], cwd=process_commands.ROOT, env=self.env, check=True
        )

    def start_relays(self) -> None:
        """One in front of the database, and one in front of the broker."""
        for name in ("DATABASE_URL", "REDIS_URL"):
            self.relays[name] = Relay(ports.LOOPBACK, urlsplit(self.env[name]).port)

    def start_processes(self) -> None:
        for name in (*WORKERS, "work", "scoring", "beat", "web"):
            self.start(name)
        wait_until(lambda: ports.is_port_listening(self.web_port), "the web server listens")

    def start_broker(self) -> None:
        given = ["--bind", ports.LOOPBACK, "--port", str(self.broker_port), "--save", "", "--appendonly", "no"]
        self.parts["broker"] = self.children.start_child("broker", [valkey.get_valkey_program(), *given])
        wait_until(lambda: ports.is_port_listening(self.broker_port), "the broker listens")

    def start(self, name: str) -> None:
        command = (
            process_commands.build_gunicorn_arguments(self.web_port)
            if name == "web"
            else process_commands.build_worker_arguments_by_process_name()[name]
        )
        through = {each: replace_port(self.env[each], relay.port) for each, relay in self.relays.items()}
        env = self.env | (through if name == BEHIND_RELAYS else {})
        self.parts[name] = self.children.start_child(
            name, [sys.executable, *command], env=env, cwd=process_commands.ROOT
        )

    def signal(self, name: str, number: signal.Signals) -> None:
        try_signal_process_group(self.parts[name].process.pid, number)

    def kill(self, name: str) -> None:
        """`kill -9` the part and all its child processes, and wait until they have ended."""
        child = self.parts[name]
        leader = psutil.Process(child.process.pid)
        gone = [leader, *leader.children(recursive=True)]
        try_signal_process_group(child.process.pid, signal.SIGKILL)
        for process in gone:
            if process.is_running():
                process.kill()
        child.process.wait()
        psutil.wait_procs(gone, READY_SECONDS)
        self.children.remove_ended_child(child)
        self.keep_log(child)

    def keep_log(self, child: ChildProcess) -> None:
        """Keep the log, which the next start overwrites."""
        with (self.folder / "killed.log").open("ab") as kept:
            kept.write(child.log.read_bytes())

    def restart_database(self) -> None:
        """As an administrator does: all sessions end, what is committed is kept."""
        child = self.parts["database"]
        child.process.send_signal(signal.SIGINT)
        child.process.wait(READY_SECONDS)
        self.children.remove_ended_child(child)
        self.start_database_again()

    def start_database_again(self) -> None:
        before, who = self.parts["database"], get_nobody_account_if_root()
        cluster = postgres.PostgresCluster(
            make_folder_or_reachable_counterpart(self.folder, who), postgres.get_or_copy_postgres_programs(who), who
        )
        # The file of a killed server says that it is ready.
        (cluster.data / "postmaster.pid").unlink(missing_ok=True)
        command = [str(part) for part in before.process.args]
        child = self.children.start_child("postgres", command, account=who, stop_signal=signal.SIGINT)
        self.parts["database"] = child
        postgres.wait_for_postgres(child, cluster)


def replace_port(url: str, port: int) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{port}"))


@contextmanager
def run_site(folder: Path) -> Iterator[Site]:
    children = ChildProcesses(folder)
    broker_port, web_port = ports.pick_free_ports(2)
    try:
        yield Site(folder, children, broker_port, web_port)
    finally:
        # Nothing has to be finished.
        children.stop_children(should_hurry=lambda: True)
        delete_folder_and_shared_counterpart(folder)


def wait_until(condition, what: str, seconds: float = READY_SECONDS) -> float:
    """Wait for the condition; returns the seconds."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise TimeoutError(f"not within {seconds:g} s: {what}")
        time.sleep(0.1)
    return time.monotonic() - began
