"""Writes zip archives that are sent in pieces while they are written, so they are never held in memory."""

import re
import zipfile
from io import RawIOBase

NOT_IN_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
# With a fixed time, archives of the same texts are identical.
FIXED_TIMESTAMP = (1980, 1, 1, 0, 0, 0)


class OutgoingBuffer(RawIOBase):
    """Keeps written bytes until they are taken."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.pieces.append(bytes(data))
        return len(data)

    def take_bytes(self) -> bytes:
        content = b"".join(self.pieces)
        self.pieces.clear()
        return content


class ZipArchiveWriter:
    """Writes a zip archive of texts in UTF-8; only the names of its files are kept in memory."""

    def __init__(self) -> None:
        self.out = OutgoingBuffer()
        self.zip = zipfile.ZipFile(self.out, "w")

    def add(self, name: str, suffix: str, text: str) -> None:
        """Add a file. Runs of other characters than letters, digits, `.`, `_` and `-` in its name become `_`."""
        entry = zipfile.ZipInfo(f"{NOT_IN_FILE_NAME.sub('_', name)}.{suffix}", FIXED_TIMESTAMP)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self.zip.writestr(entry, text.encode())

    def take_bytes(self) -> bytes:
        """The bytes written since the last call."""
        return self.out.take_bytes()

    def finish(self) -> bytes:
        """The remaining bytes of the archive, including its directory."""
        self.zip.close()
        return self.out.take_bytes()
