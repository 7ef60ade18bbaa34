"""Write zip archives with a manifest: streamed while written, and identical for identical content."""

import json
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from annotations.formats.zip.writer import FIXED_TIMESTAMP, NOT_IN_FILE_NAME, OutgoingBuffer

# The second format has tasks with settings, and annotations of open kinds.
ARCHIVE_FORMAT = "bcms-challenge-2"
READABLE_FORMATS = ("bcms-challenge-1", ARCHIVE_FORMAT)
MANIFEST_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file of an archive: its size in bytes, and its SHA-256 in hexadecimal."""

    size: int
    sha256: str


class ArchiveWriter:
    """An archive that is sent to the sink while it is written; only file names and checksums stay in memory."""

    def __init__(self, sink: Callable[[bytes], object]) -> None:
        self.sink = sink
        self.out = OutgoingBuffer()
        self.zip = zipfile.ZipFile(self.out, "w")
        self.files: dict[str, PackedFile] = {}

    def add(self, name: str, content: str | bytes) -> None:
        self.add_pieces(name, [content])

    def add_json(self, name: str, value: Any) -> None:
        self.add(name, _format_archive_json(value))

    def add_pieces(self, name: str, pieces: Iterable[str | bytes]) -> None:
        """Add a file, piece by piece. Raises ValueError if the archive has a file with this name."""
        if name in self.files:
            raise ValueError(f"The archive already has a file {name}.")
        self.files[name] = self.write(name, pieces)

    def write(self, name: str, pieces: Iterable[str | bytes]) -> PackedFile:
        digest, size = sha256(), 0
        with self.zip.open(_make_zip_entry(name), "w") as file:
            for piece in pieces:
                data = piece.encode() if isinstance(piece, str) else piece
                digest.update(data)
                size += len(data)
                file.write(data)
                self.send_written_bytes()
        self.send_written_bytes()
        return PackedFile(size, digest.hexdigest())

    def send_written_bytes(self) -> None:
        if written := self.out.take_bytes():
            self.sink(written)

    def finish(self, software: str) -> str:
        """Write the manifest and end the archive. Returns the SHA-256 of the manifest."""
        files = {name: asdict(file) for name, file in sorted(self.files.items())}
        manifest = self.write(
            MANIFEST_NAME, [_format_archive_json({"format": ARCHIVE_FORMAT, "software": software, "files": files})]
        )
        self.zip.close()
        self.send_written_bytes()
        return manifest.sha256


def _make_zip_entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, FIXED_TIMESTAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry


def _format_archive_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True) + "\n"


def clean_archive_file_name(name: str) -> str:
    """Return a file name that is valid on all systems and never leads to another folder."""
    return NOT_IN_FILE_NAME.sub("_", name).lstrip(".") or "_"
