"""Zip archives with a list of what is in them: sent while they are written, and the same bytes for the same content."""

import json
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from annotations.formats.archives import MOMENT, NOT_IN_A_NAME, Outgoing

FORMAT = "bcms-challenge-1"
MANIFEST = "manifest.json"
LEVEL = 6


@dataclass(frozen=True, slots=True)
class Packed:
    """A file of an archive: its size in bytes, and its SHA-256 in hex."""

    size: int
    sha256: str


class Packer:
    """An archive whose bytes go to the sink as they come; in memory stay the names and checksums of its files."""

    def __init__(self, sink: Callable[[bytes], object]) -> None:
        self.sink = sink
        self.out = Outgoing()
        self.zip = zipfile.ZipFile(self.out, "w")
        self.files: dict[str, Packed] = {}

    def add(self, name: str, content: str | bytes) -> None:
        self.add_pieces(name, [content])

    def add_json(self, name: str, value: Any) -> None:
        self.add(name, as_json(value))

    def add_pieces(self, name: str, pieces: Iterable[str | bytes]) -> None:
        """A file, piece by piece. ValueError when the archive has one of that name."""
        if name in self.files:
            raise ValueError(f"The archive has a file {name} already.")
        self.files[name] = self.write(name, pieces)

    def write(self, name: str, pieces: Iterable[str | bytes]) -> Packed:
        digest, size = sha256(), 0
        with self.zip.open(entry_of(name), "w") as file:
            for piece in pieces:
                data = piece.encode() if isinstance(piece, str) else piece
                digest.update(data)
                size += len(data)
                file.write(data)
                self.send()
        self.send()
        return Packed(size, digest.hexdigest())

    def send(self) -> None:
        if taken := self.out.taken():
            self.sink(taken)

    def finish(self, software: str) -> str:
        """Write the list of files and end the archive; the SHA-256 of the list, which stands for all of it."""
        files = {name: asdict(own) for name, own in sorted(self.files.items())}
        told = self.write(MANIFEST, [as_json({"format": FORMAT, "software": software, "files": files})])
        self.zip.close()
        self.send()
        return told.sha256


def entry_of(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, MOMENT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n"


def file_name(name: str) -> str:
    """A name that every system takes as that of a file; never one that leads elsewhere."""
    return NOT_IN_A_NAME.sub("_", name).lstrip(".") or "_"
