"""Reads zip archives of texts; the sizes that an archive declares are checked before anything is unpacked."""

import zlib
from collections.abc import Iterator, Mapping
from io import SEEK_SET, BytesIO
from pathlib import PurePosixPath
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from annotations.formats.errors import FormatError, quote_file_text

BROKEN_ARCHIVE = "R401"
ARCHIVE_TOO_LARGE = "R448"
ZIP_SIGNATURE = b"PK\x03\x04"
MOST_UNPACKED = 64 * 1024 * 1024
MOST_MEMBERS = 200_000
# The list of members at the end of an archive; reading a longer one takes much time and memory.
LARGEST_DIRECTORY = 16 * 1024 * 1024
ENCRYPTED = 1
# What zipfile raises for archives that are damaged or packed in unusual ways.
DAMAGES = (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)
# macOS puts copies of attributes into folders and files of these names.
RESOURCE_FORK_FOLDER, RESOURCE_FORK_PREFIX = "__MACOSX", "._"


class TooLargeDirectoryError(Exception):
    """The list of the members of an archive is larger than LARGEST_DIRECTORY."""


class _DirectoryGuard(BytesIO):
    """Reads a seekable stream for ZipFile, which reads the whole list of members at once when it opens an archive."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self.stream, self.is_opening = stream, True

    def read(self, size: int | None = -1, /) -> bytes:
        if self.is_opening and (size or 0) > LARGEST_DIRECTORY:
            raise TooLargeDirectoryError
        return self.stream.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = SEEK_SET, /) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()


def _open_archive(stream: BinaryIO) -> ZipFile:
    """Raises one of DAMAGES, or TooLargeDirectoryError."""
    guard = _DirectoryGuard(stream)
    archive = ZipFile(guard)
    guard.is_opening = False
    return archive


def list_zip_names_or_none(stream: BinaryIO) -> list[str] | None:
    """The names of the members of a seekable stream, which is rewound; None if it is no complete archive."""
    try:
        with _open_archive(stream) as archive:
            return archive.namelist()
    except (*DAMAGES, TooLargeDirectoryError):
        return None
    finally:
        stream.seek(0)


class ZipArchiveReader:
    """Reads the members of an archive one by one; members: by their names, in the order of the archive."""

    def __init__(self, stream: BinaryIO, source: str) -> None:
        """FormatError if the archive is damaged (R401) or too large (R448)."""
        self.source = source
        stream.seek(0)
        try:
            self.archive = _open_archive(stream)
        except TooLargeDirectoryError:
            problem = f"the list of the files in the archive is larger than {LARGEST_DIRECTORY // 1024**2} MiB"
            raise FormatError(source, 0, 0, ARCHIVE_TOO_LARGE, f"{problem} - split it") from None
        except DAMAGES:
            raise self.make_damage_error("the zip archive is truncated or damaged") from None
        entries = self.archive.infolist()
        if not all(entry.filename for entry in entries):
            raise self.make_damage_error("a file in the archive has no name")
        size = sum(entry.file_size for entry in entries)
        if size > MOST_UNPACKED or len(entries) > MOST_MEMBERS:
            problem = f"the archive has {len(entries):,} files, which unpack to {size:,} bytes"
            fix = f"split it: at most {MOST_MEMBERS:,} and {MOST_UNPACKED:,} are allowed"
            raise FormatError(source, 0, 0, ARCHIVE_TOO_LARGE, f"{problem} - {fix}")
        self.members: Mapping[str, ZipInfo] = {entry.filename: entry for entry in _skip_other_entries(entries)}

    def read_member(self, name: str) -> bytes:
        """The bytes of a member. FormatError (R401) if it is damaged or encrypted."""
        entry = self.members[name]
        if entry.flag_bits & ENCRYPTED:
            problem = f"{quote_file_text(name)} has a password"
            raise FormatError(self.source, 0, 0, BROKEN_ARCHIVE, f"{problem} - pack the files without one")
        try:
            return self.archive.read(entry)
        except (*DAMAGES, RuntimeError):
            raise self.make_damage_error(f"{quote_file_text(name)} is damaged") from None

    def make_damage_error(self, problem: str) -> FormatError:
        return FormatError(self.source, 0, 0, BROKEN_ARCHIVE, f"{problem} - pack the files again")


def _skip_other_entries(entries: list[ZipInfo]) -> Iterator[ZipInfo]:
    """The files without folders and what macOS adds."""
    for entry in entries:
        path = PurePosixPath(entry.filename)
        is_resource_fork = path.parts[:1] == (RESOURCE_FORK_FOLDER,) or path.name.startswith(RESOURCE_FORK_PREFIX)
        if not entry.is_dir() and not is_resource_fork:
            yield entry
