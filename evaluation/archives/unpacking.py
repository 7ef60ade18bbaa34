"""Read an archive of a challenge, after everything in it was compared with its own list of files."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from evaluation.archives.packing import FORMAT, MANIFEST

MOST_BYTES = 8 << 30
LARGEST_LIST = 64 << 20
PIECE = 1 << 20
ANEW = "get the archive once more from where it was made"


class ArchiveError(Exception):
    """An archive cannot be restored: why, and what to do, in one sentence."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An archive whose files were checked; checksum: the SHA-256 of its list, which stands for all of it."""

    zip: zipfile.ZipFile
    names: frozenset[str]
    checksum: str

    def read(self, name: str) -> bytes:
        if name not in self.names:
            raise ArchiveError(f"The archive has no file {name}, which its challenge.json names; {ANEW}.")
        return self.zip.read(name)

    def json(self, name: str) -> Any:
        return json.loads(self.read(name))

    def json_lines(self, name: str) -> Iterator[Any]:
        return map(json.loads, self.read(name).decode().splitlines())


@contextmanager
def opened(path: Path) -> Iterator[Unpacked]:
    """The archive in a file. ArchiveError when it cannot be read, or is not what it was when it was made."""
    try:
        with zipfile.ZipFile(path) as found:
            yield checked(found)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError) as error:
        raise ArchiveError(f"{path} is no whole zip archive ({error}): {ANEW}.") from None


def checked(found: zipfile.ZipFile) -> Unpacked:
    entries = {entry.filename: entry for entry in found.infolist()}
    if len(entries) != len(found.infolist()):
        raise ArchiveError(f"The archive has two files of one name: {ANEW}.")
    listed, checksum = list_of(found, entries)
    if listed.keys() | {MANIFEST} != entries.keys():
        odd = sorted((listed.keys() | {MANIFEST}) ^ entries.keys())[0]
        raise ArchiveError(f"The archive and its list of files do not agree about {odd}: {ANEW}.")
    if sum(entry.file_size for entry in entries.values()) > MOST_BYTES:
        raise ArchiveError(f"The archive unpacks to more than {MOST_BYTES >> 30} GiB, which no challenge has: {ANEW}.")
    for name, told in listed.items():
        if digest_of(found, name) != told:
            raise ArchiveError(f"{name} in the archive is not what it was when the archive was made: {ANEW}.")
    return Unpacked(found, frozenset(listed), checksum)


def list_of(found: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo]) -> tuple[dict[str, str], str]:
    """{name: SHA-256}, and the SHA-256 of the list itself."""
    if MANIFEST not in entries or entries[MANIFEST].file_size > LARGEST_LIST:
        raise ArchiveError(f"The archive has no {MANIFEST}, so it is none of a challenge: choose another file.")
    content = found.read(MANIFEST)
    try:
        told = json.loads(content)
        form, listed = told["format"], {str(name): str(own["sha256"]) for name, own in told["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ArchiveError(f"{MANIFEST} in the archive cannot be read: {ANEW}.") from None
    if form != FORMAT:
        raise ArchiveError(f"The archive has the format {form}, and this software reads {FORMAT}: use the newest one.")
    return listed, sha256(content).hexdigest()


def digest_of(found: zipfile.ZipFile, name: str) -> str:
    digest = sha256()
    with found.open(name) as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()
