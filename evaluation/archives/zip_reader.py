"""Read the archive of a challenge, after checking all its files against its manifest."""

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from annotations.formats.errors import quote_file_text
from bcms.lib.json_input import parse_bounded_json
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.signatures import verify_signature_returning_signer
from evaluation.archives.zip_writer import MANIFEST_NAME, READABLE_FORMATS

MAX_UNPACKED_BYTES = 8 << 30
MAX_MANIFEST_BYTES = 64 << 20
DIGEST_READ_BYTES = 1 << 20
# APPNOTE.TXT of the ZIP format, 4.4.4: bit 0 of the general purpose flags.
ENCRYPTED_FLAG = 1


@dataclass(frozen=True, slots=True)
class CheckedArchive:
    """An archive whose files were checked.

    checksum: the SHA-256 of its manifest, which identifies the archive. signer: the SHA-256 of the public key
    of who signed it; empty if nobody did.
    """

    zip: zipfile.ZipFile
    names: frozenset[str]
    checksum: str
    signer: str

    def read(self, name: str) -> bytes:
        if name not in self.names:
            raise ChallengeArchiveError(
                f"The archive has no file {name}, which its challenge.json refers to: {GET_ARCHIVE_AGAIN}."
            )
        return self.zip.read(name)

    def json(self, name: str) -> Any:
        """The value of a JSON file. Raises JsonInputError, a ValueError."""
        return parse_bounded_json(self.read(name))

    def json_lines(self, name: str) -> Iterator[Any]:
        """The value of each line of a file. Raises JsonInputError, a ValueError."""
        return map(parse_bounded_json, self.read(name).splitlines())


@contextmanager
def open_checked_archive(path: Path) -> Iterator[CheckedArchive]:
    """Open and check an archive. Raises ChallengeArchiveError if it cannot be read or was changed."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield check_archive(archive)
    except OSError as error:
        raise ChallengeArchiveError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        EOFError,
        NotImplementedError,
        zlib.error,
        lzma.LZMAError,
    ) as error:
        raise ChallengeArchiveError(f"{path} is not a complete zip archive ({error}): {GET_ARCHIVE_AGAIN}.") from None


def check_archive(archive: zipfile.ZipFile) -> CheckedArchive:
    """Check all files of an archive against its manifest, and its signature. ChallengeArchiveError if any differs."""
    entries = {entry.filename: entry for entry in archive.infolist()}
    if encrypted := [name for name, entry in entries.items() if entry.flag_bits & ENCRYPTED_FLAG]:
        raise ChallengeArchiveError(
            f"{quote_file_text(encrypted[0])} in the archive is encrypted: {GET_ARCHIVE_AGAIN}."
        )
    if len(entries) != len(archive.infolist()):
        raise ChallengeArchiveError(f"The archive has two files with the same name: {GET_ARCHIVE_AGAIN}.")
    # The signed list of checksums has a line for each file: a name with a line break would read as two files.
    if unprintable := [name for name in entries if not name.isprintable()]:
        raise ChallengeArchiveError(
            f"The name {quote_file_text(unprintable[0])} in the archive has a line break or another character that no "
            f"site writes: {GET_ARCHIVE_AGAIN}."
        )
    listed, checksum = _read_archive_manifest(archive, entries)
    if listed.keys() | {MANIFEST_NAME} != entries.keys():
        difference = sorted((listed.keys() | {MANIFEST_NAME}) ^ entries.keys())[0]
        raise ChallengeArchiveError(
            f"The archive and its manifest disagree about {quote_file_text(difference)}: {GET_ARCHIVE_AGAIN}."
        )
    if sum(entry.file_size for entry in entries.values()) > MAX_UNPACKED_BYTES:
        raise ChallengeArchiveError(
            f"The archive unpacks to more than {MAX_UNPACKED_BYTES >> 30} GiB, the most allowed: {GET_ARCHIVE_AGAIN}."
        )
    for name, expected in listed.items():
        if _compute_member_sha256(archive, name) != expected:
            raise ChallengeArchiveError(
                f"{quote_file_text(name)} in the archive was changed after the archive was made: {GET_ARCHIVE_AGAIN}."
            )
    signer = verify_signature_returning_signer(archive, listed)
    return CheckedArchive(archive, frozenset(listed), checksum, signer)


def _read_archive_manifest(archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo]) -> tuple[dict[str, str], str]:
    """Return {name of a file: its SHA-256}, and the SHA-256 of the manifest."""
    if MANIFEST_NAME not in entries or entries[MANIFEST_NAME].file_size > MAX_MANIFEST_BYTES:
        raise ChallengeArchiveError(
            f"The file has no {MANIFEST_NAME}, so it is no archive of a challenge: choose another file."
        )
    content = archive.read(MANIFEST_NAME)
    try:
        manifest = parse_bounded_json(content)
        archive_format, listed = (
            manifest["format"],
            {str(name): str(file["sha256"]) for name, file in manifest["files"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ChallengeArchiveError(f"{MANIFEST_NAME} in the archive cannot be read: {GET_ARCHIVE_AGAIN}.") from None
    if archive_format not in READABLE_FORMATS:
        readable = " and ".join(READABLE_FORMATS)
        raise ChallengeArchiveError(
            f"The archive has the format {quote_file_text(str(archive_format))}, but this version reads {readable}: "
            "update BCMS."
        )
    return listed, sha256(content).hexdigest()


def _compute_member_sha256(archive: zipfile.ZipFile, name: str) -> str:
    digest = sha256()
    with archive.open(name) as file:
        while piece := file.read(DIGEST_READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()
