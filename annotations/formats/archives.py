"""Zip archives that are sent while they are written: what was packed is taken from them, and never held."""

import re
import zipfile
from io import RawIOBase

NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
# Archives made of the same texts are the same, byte for byte.
MOMENT = (1980, 1, 1, 0, 0, 0)


class Outgoing(RawIOBase):
    """Keeps what is written to it until it is taken."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.pieces.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        taken = b"".join(self.pieces)
        self.pieces.clear()
        return taken


class Archive:
    """A zip archive of texts in UTF-8; in memory stay the names of its files."""

    def __init__(self) -> None:
        self.out = Outgoing()
        self.zip = zipfile.ZipFile(self.out, "w")

    def add(self, name: str, suffix: str, text: str) -> None:
        """A file; of its name stay letters, digits, `.`, `_` and `-`."""
        entry = zipfile.ZipInfo(f"{NOT_IN_A_NAME.sub('_', name)}.{suffix}", MOMENT)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self.zip.writestr(entry, text.encode())

    def taken(self) -> bytes:
        """What was packed since it was last taken."""
        return self.out.taken()

    def finished(self) -> bytes:
        """The rest, with the list of files at its end."""
        self.zip.close()
        return self.out.taken()
