"""The services that the site needs: those that DATABASE_URL and REDIS_URL name, or private ones from wheels."""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bcms.local import postgres, valkey
from bcms.local.child_processes import ChildProcesses, stop_children_of_killed_launcher
from bcms.local.errors import StartError
from bcms.local.service_account import get_nobody_account_if_root, make_folder_or_reachable_counterpart

TEMPORARY_PREFIX = "bcms-temporary-"
ROOT = Path(__file__).resolve().parents[2]


def start_services_missing_from_environment(
    children: ChildProcesses, folder: Path, *, is_disposable: bool = False
) -> dict[str, str]:
    """Start the services that the environment does not name; returns DATABASE_URL and REDIS_URL of both."""
    url = os.environ.get("DATABASE_URL")
    return {
        "DATABASE_URL": url or postgres.start_postgres(children, folder, is_disposable=is_disposable),
        "REDIS_URL": os.environ.get("REDIS_URL") or valkey.start_valkey_without_storage(children),
    }


@contextlib.contextmanager
def lock_launcher_folder_stopping_orphans(folder: Path) -> Iterator[None]:
    """Lock the folder against a second launcher. The lock is released when the process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as lock:
        if not _try_lock_file(lock):
            lock.seek(0)
            raise StartError(
                f"Another launcher (process {lock.read().strip() or 'unknown'}) already uses {folder}: "
                "stop it first, with Ctrl-C in its terminal."
            )
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        stop_children_of_killed_launcher(folder)
        yield


def _try_lock_file(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def run_temporary_services() -> Iterator[dict[str, str]]:
    """Run services for tests in a temporary folder; they end with this process, even if it is killed."""
    _delete_abandoned_folders(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
    # A session of its own: Ctrl-C must not reach it.
    command = [sys.executable, "-m", "bcms.local.guardian", str(folder)]
    guardian = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=ROOT, start_new_session=True)
    try:
        with lock_launcher_folder_stopping_orphans(folder):
            children = ChildProcesses(folder)
            try:
                yield start_services_missing_from_environment(children, folder, is_disposable=True)
            finally:
                children.stop_children()
    finally:
        delete_folder_and_shared_counterpart(folder)
        guardian.communicate()


def delete_folder_and_shared_counterpart(folder: Path) -> None:
    """Delete the folder and its counterpart in /var/tmp, if there is one."""
    for each in {folder, make_folder_or_reachable_counterpart(folder, get_nobody_account_if_root())}:
        shutil.rmtree(each, ignore_errors=True)


def _delete_abandoned_folders(parent: Path) -> None:
    """Delete temporary folders of dead launchers, which a machine that stopped may have left."""
    for lock in parent.glob(f"{TEMPORARY_PREFIX}*/lock"):
        stop_services_and_delete_folder_if_abandoned(lock.parent)


def stop_services_and_delete_folder_if_abandoned(folder: Path) -> None:
    """Stop the services in a folder whose launcher has ended, and delete it; a folder in use stays.

    A lock that is still empty may belong to a launcher that is starting.
    """
    with contextlib.suppress(StartError, PermissionError, FileNotFoundError):
        if (folder / "lock").read_text():
            with lock_launcher_folder_stopping_orphans(folder):
                delete_folder_and_shared_counterpart(folder)
