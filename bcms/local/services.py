"""The services that the site needs: those that DATABASE_URL and REDIS_URL name, or private ones from wheels."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bcms.local import postgres, valkey
from bcms.local.child_processes import ChildProcesses, stop_orphaned_children
from bcms.local.errors import StartError
from bcms.local.service_account import get_service_account, make_reachable_folder

TEMPORARY_PREFIX = "bcms-temporary-"


def start_missing_services(children: ChildProcesses, folder: Path, *, is_disposable: bool = False) -> dict[str, str]:
    """Start the services that the environment does not name; returns DATABASE_URL and REDIS_URL of both."""
    url = os.environ.get("DATABASE_URL")
    return {
        "DATABASE_URL": url or postgres.start_postgres(children, folder, is_disposable=is_disposable),
        "REDIS_URL": os.environ.get("REDIS_URL") or valkey.start_valkey(children),
    }


@contextlib.contextmanager
def lock_launcher_folder(folder: Path) -> Iterator[None]:
    """Lock the folder against a second launcher. The lock is released when the process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as lock:
        if not try_lock_file(lock):
            lock.seek(0)
            raise StartError(
                f"Another launcher (process {lock.read().strip() or 'unknown'}) already uses {folder}: "
                "stop it first, with Ctrl-C in its terminal."
            )
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        stop_orphaned_children(folder)
        yield


def try_lock_file(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def run_temporary_services() -> Iterator[dict[str, str]]:
    """Run services for tests in a temporary folder, after cleaning up after killed launchers."""
    delete_abandoned_folders(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
    try:
        with lock_launcher_folder(folder):
            children = ChildProcesses(folder)
            try:
                yield start_missing_services(children, folder, is_disposable=True)
            finally:
                children.stop_children()
    finally:
        delete_service_folders(folder)


def delete_service_folders(folder: Path) -> None:
    """Delete the folder and its counterpart in /var/tmp, if there is one."""
    for each in {folder, make_reachable_folder(folder, get_service_account())}:
        shutil.rmtree(each, ignore_errors=True)


def delete_abandoned_folders(parent: Path) -> None:
    """Delete temporary folders of dead launchers; a lock that is still empty may belong to one that is starting."""
    for lock in parent.glob(f"{TEMPORARY_PREFIX}*/lock"):
        folder = lock.parent
        with contextlib.suppress(StartError, PermissionError, FileNotFoundError):
            if lock.read_text():
                with lock_launcher_folder(folder):
                    delete_service_folders(folder)
