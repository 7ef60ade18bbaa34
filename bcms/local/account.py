"""Who PostgreSQL runs as, and where its files can be: it refuses root, and `nobody` cannot enter root's folders."""

import hashlib
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bcms.local.errors import StartError

SHARED = Path("/var/tmp")  # noqa: S108 - kept over a restart, and each folder in it is checked for its owner


@dataclass(frozen=True, slots=True)
class Account:
    """The account that PostgreSQL runs as; uid is None when that is simply who we are."""

    uid: int | None = None
    gid: int | None = None

    def popen_options(self) -> dict[str, Any]:
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def reaches(self, path: Path) -> bool:
        """Whether the account may pass through every folder above path and read path itself."""
        if self.uid is None:
            return True
        path = path.resolve()
        return bool(path.stat().st_mode & stat.S_IROTH) and all(p.stat().st_mode & stat.S_IXOTH for p in path.parents)


def account() -> Account:
    if os.geteuid() != 0:
        return Account()
    nobody = pwd.getpwnam("nobody")
    return Account(nobody.pw_uid, nobody.pw_gid)


def name_for(path: Path) -> str:
    """A name for another place that stands for this one."""
    return "bcms-" + hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]


def shared_folder(name: str) -> Path:
    """A folder of ours outside our own folders, refused when somebody else could have prepared it."""
    folder = SHARED / name
    folder.mkdir(mode=0o711, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise StartError(f"{folder} belongs to somebody else: remove it, or let its owner do so, and start again.")
    return folder


def reachable_folder(wanted: Path, who: Account) -> Path:
    """wanted itself where the account can get at it, else a folder of the same meaning in /var/tmp."""
    wanted.mkdir(parents=True, exist_ok=True)
    if who.uid is None:
        return wanted
    wanted.chmod(wanted.stat().st_mode | 0o011)
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in wanted.resolve().parents):
        return wanted
    return shared_folder(name_for(wanted))


def reachable_copy(sources: list[Path], probe: Path, version: str, who: Account) -> Path:
    """The folder that holds sources, or a copy of them, made once, where the account can run them.

    sources lie side by side; probe is one file in them, as reachable as the rest.
    """
    beside = sources[0].parent
    if who.reaches(probe):
        return beside
    folder = shared_folder(name_for_copy(beside, version))
    for source in sources:
        if not (folder / source.name).exists():
            half = folder / f"{source.name}.{os.getpid()}"
            shutil.copytree(source, half)
            open_to_read(half)
            half.rename(folder / source.name)
    return folder


def name_for_copy(beside: Path, version: str) -> str:
    return f"{name_for(beside)}-{version}"


def open_to_read(tree: Path) -> None:
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
