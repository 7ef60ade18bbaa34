"""The account that PostgreSQL runs as, and folders for its files: it refuses root, and `nobody` cannot read root's."""

import hashlib
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bcms.local.errors import StartError

SHARED_ROOT = Path("/var/tmp")  # noqa: S108 - survives a reboot, and each folder in it is checked for its owner


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """The account that PostgreSQL runs as; uid and gid are None for the current account."""

    uid: int | None = None
    gid: int | None = None

    def popen_options(self) -> dict[str, Any]:
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def change_owner(self, path: Path) -> None:
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def can_read_path(self, path: Path) -> bool:
        """Whether the account may enter every parent folder of path and read path itself."""
        if self.uid is None:
            return True
        path = path.resolve()
        return bool(path.stat().st_mode & stat.S_IROTH) and all(p.stat().st_mode & stat.S_IXOTH for p in path.parents)


def get_nobody_account_if_root() -> ServiceAccount:
    if os.geteuid() != 0:
        return ServiceAccount()
    nobody = pwd.getpwnam("nobody")
    return ServiceAccount(nobody.pw_uid, nobody.pw_gid)


def derive_hashed_folder_name(folder: Path) -> str:
    """The name of the counterpart of a folder in SHARED_ROOT."""
    return "bcms-" + hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:12]


def _make_shared_folder(name: str) -> Path:
    """Create a folder in SHARED_ROOT. Raises StartError when somebody else owns it or can write to it."""
    folder = SHARED_ROOT / name
    folder.mkdir(mode=0o711, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise StartError(f"{folder} belongs to another user or is writable for others: remove it and start again.")
    return folder


def make_folder_or_reachable_counterpart(folder: Path, account: ServiceAccount) -> Path:
    """The folder itself if the account can enter it, else its counterpart in /var/tmp."""
    folder.mkdir(parents=True, exist_ok=True)
    if account.uid is None:
        return folder
    folder.chmod(folder.stat().st_mode | 0o011)
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.resolve().parents):
        return folder
    return _make_shared_folder(derive_hashed_folder_name(folder))


def copy_folders_if_account_cannot_read(
    source_folders: list[Path], probe_file: Path, version: str, account: ServiceAccount
) -> Path:
    """The parent folder of the sources, or a folder with a copy of them if the account cannot read them.

    source_folders have the same parent; probe_file is one of their files and has the same permissions as the others.
    """
    parent = source_folders[0].parent
    if account.can_read_path(probe_file):
        return parent
    folder = _make_shared_folder(derive_hashed_versioned_folder_name(parent, version))
    for source in source_folders:
        if not (folder / source.name).exists():
            partial = folder / f"{source.name}.{os.getpid()}"
            shutil.copytree(source, partial)
            _make_tree_readable(partial)
            partial.rename(folder / source.name)
    return folder


def derive_hashed_versioned_folder_name(folder: Path, version: str) -> str:
    return f"{derive_hashed_folder_name(folder)}-{version}"


def _make_tree_readable(tree: Path) -> None:
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
