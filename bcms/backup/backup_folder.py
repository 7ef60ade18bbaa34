"""The folder of a backup: the dump, the manifest, and SHA256SUMS, which is there only if the backup is whole.

While a backup is made, its folder has another name. It gets its own when every file and its checksum are on the disk.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bcms.backup.errors import BackupError, convert_file_errors

DUMP = "database"
MANIFEST = "manifest.json"
# In the format of coreutils: `sha256sum --check SHA256SUMS` compares it, too.
CHECKSUMS = "SHA256SUMS"
NAMED_FILES = 5


def get_partial_folder(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial")


@contextmanager
def make_folder_or_remove_partial(target: Path) -> Iterator[tuple[Path, int]]:
    """A new folder beside the target that becomes the target at the end of the block, and a descriptor that locks it.

    What an earlier backup left when it broke off is deleted. If the block raises, the partial folder is deleted.
    """
    target = target.absolute()
    partial = get_partial_folder(target)
    with convert_file_errors(target.parent):
        _check_target_is_free(target)
        descriptor = _lock_new_folder(partial)
    try:
        yield partial, descriptor
        with convert_file_errors(target.parent):
            partial.rename(target)
            _sync_to_disk(target.parent)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    finally:
        os.close(descriptor)


def _check_target_is_free(target: Path) -> None:
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() or target.is_symlink():
        raise BackupError(f"{target} exists: name a folder that does not, such as one with the date.")
    if not target.parent.is_dir():
        raise BackupError(f"The folder {target.parent} does not exist: create it first.")


def _lock_new_folder(partial: Path) -> int:
    """Create the folder in place of one that no process works on; returns the descriptor that locks it."""
    if partial.is_dir():
        os.close(_lock_folder(partial))
        if not (partial / DUMP).is_dir() and any(partial.iterdir()):
            raise BackupError(f"{partial} is not what a broken-off backup left: delete it, or name another folder.")
        shutil.rmtree(partial)
    partial.mkdir(mode=0o700)
    return _lock_folder(partial)


def _lock_folder(folder: Path) -> int:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise BackupError(f"Another backup into {folder} is under way: wait for it, or name another folder.") from None
    return descriptor


def write_private_file(path: Path, content: str) -> None:
    """Write a new file that only its owner can read, and wait until it is on the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def write_checksums(folder: Path) -> int:
    """Write the checksum of every file; returns the bytes of all. The files are on the disk already."""
    paths = _list_files(folder)
    lines = [f"{_compute_checksum(path)}  {path.relative_to(folder)}\n" for path in paths]
    write_private_file(folder / CHECKSUMS, "".join(lines))
    _sync_to_disk(folder)
    return sum(path.stat().st_size for path in paths)


def _list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _sync_to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _compute_checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify_checksums(folder: Path, report: Callable[[str], None]) -> None:
    """Read every file. BackupError if the backup is not whole, or if a file is missing or is not as it was written."""
    with convert_file_errors(folder):
        checksums = _read_checksums(folder)
        report(f"Reading {len(checksums)} files of {folder}.")
        damaged = [name for name, checksum in checksums.items() if not _has_checksum(folder / name, checksum)]
        damaged += sorted({str(path.relative_to(folder)) for path in _list_files(folder)} - {*checksums, CHECKSUMS})
    if damaged:
        named = ", ".join(damaged[:NAMED_FILES]) + (", ..." if len(damaged) > NAMED_FILES else "")
        raise BackupError(f"{folder} is damaged: {named} changed, went missing or was added. Use another backup.")


def _read_checksums(folder: Path) -> dict[str, str]:
    """The checksum of each file by its name in the folder."""
    if not folder.is_dir():
        raise BackupError(f"There is no folder {folder}.")
    path = folder / CHECKSUMS
    if not path.is_file():
        raise BackupError(f"{folder} is no whole backup: it has no {CHECKSUMS}, which is written last.")
    *lines, rest = path.read_text(encoding="utf-8", errors="replace").split("\n")
    checksums = {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}
    if rest or MANIFEST not in checksums or f"{DUMP}/toc.dat" not in checksums:
        raise BackupError(f"{folder} is damaged: {CHECKSUMS} does not list all files. Use another backup.")
    return checksums


def _has_checksum(path: Path, checksum: str) -> bool:
    return path.is_file() and _compute_checksum(path) == checksum
