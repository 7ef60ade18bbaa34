"""Read an archive of a challenge that somebody uploaded: a hostile file until all of it is checked.

Nothing is unpacked to disk. The limits are those of all uploaded zip archives (annotations/formats/zip/reader.py).
"""

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipInfo

from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.zip.reader import BROKEN_ARCHIVE, DAMAGES, ZIP_SIGNATURE, ZipArchiveReader
from bcms.lib.json_input import JsonInputError
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.zip_reader import CheckedArchive, check_archive

ARCHIVE_RULE = "R763"
CHALLENGE_FILE = "challenge.json"
# A document of JSON takes many times as much memory, and forms make an error of each value in challenge.json.
MOST_JSON_BYTES = 32 << 20
MOST_CHALLENGE_BYTES = 4 << 20


def is_zip_archive(content: bytes) -> bool:
    return content.startswith(ZIP_SIGNATURE)


def make_archive_fault(path: str, problem: str, line: int = 0) -> FormatError:
    """A fault of a file in the archive; path: its name there, or that of the archive."""
    return FormatError(path, line, min(line, 1), ARCHIVE_RULE, f"{problem} - {GET_ARCHIVE_AGAIN}")


def refuse_archive(path: str, problem: str) -> RefusedFileError:
    return RefusedFileError([make_archive_fault(path, problem)])


@contextmanager
def open_uploaded_archive(content: bytes, file_name: str) -> Iterator[CheckedArchive]:
    """The archive, all of it checked against its manifest. RefusedFileError if it is not as a site made it."""
    try:
        reader = ZipArchiveReader(BytesIO(content), file_name)
    except FormatError as error:
        remedy = GET_ARCHIVE_AGAIN if error.rule == BROKEN_ARCHIVE else "ask the administrator to restore it"
        message = f"{error.wrong} - {remedy}"
        raise RefusedFileError([FormatError(file_name, 0, 0, error.rule, message)]) from None
    with reader.archive as archive:
        for entry in archive.infolist():
            if problem := _find_problem_of_member(entry):
                raise refuse_archive(file_name, f"{quote_file_text(entry.filename)} in the archive {problem}")
        try:
            checked = check_archive(archive)
        except ChallengeArchiveError as error:
            raise refuse_with_sentence(file_name, error) from None
        except (*DAMAGES, RuntimeError):
            raise refuse_archive(file_name, "the zip archive is damaged") from None
        yield checked


def _find_problem_of_member(entry: ZipInfo) -> str:
    """Why no site would pack the member so; empty if there is nothing wrong with it."""
    path = PurePosixPath(entry.filename)
    if entry.is_dir() or stat.S_ISLNK(entry.external_attr >> 16):
        return "is a folder or a link"
    if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename:
        return "has a path that leads out of it"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "is packed in an unusual way"
    return ""


def refuse_with_sentence(path: str, error: ChallengeArchiveError) -> RefusedFileError:
    """The error of an archive as a fault of the file."""
    return RefusedFileError([FormatError(path, 0, 0, ARCHIVE_RULE, _split_sentence(error))])


def _split_sentence(error: ChallengeArchiveError) -> str:
    """The message of the error with a dash before what to do, as faults have it."""
    problem, colon, remedy = str(error).rstrip(".").rpartition(": ")
    return f"{problem} - {remedy}" if colon else remedy


def read_json_member(archive: CheckedArchive, path: str, max_bytes: int = MOST_JSON_BYTES) -> Any:
    """RefusedFileError if the archive has no such file, or it is large or not JSON."""
    if path in archive.names and archive.zip.getinfo(path).file_size > max_bytes:
        raise refuse_archive(path, f"the file is larger than {max_bytes >> 20} MiB")
    try:
        return archive.json(path)
    except ChallengeArchiveError:
        raise refuse_archive(path, "the archive has no such file") from None
    except JsonInputError as error:
        raise refuse_archive(path, str(error).rstrip(".")) from None


def iter_json_lines(archive: CheckedArchive, path: str) -> Iterator[dict[str, Any]]:
    """The object of each line, one at a time; none if the archive has no such file. RefusedFileError if a line is not
    one.
    """
    if path not in archive.names:
        return
    try:
        for value in archive.json_lines(path):
            yield get_dict(value, path, "a line")
    except JsonInputError as error:
        raise refuse_archive(path, str(error).rstrip(".")) from None


def read_text_member(archive: CheckedArchive, path: str) -> str:
    """RefusedFileError if the archive has no such file, or it is not UTF-8."""
    if path not in archive.names:
        raise refuse_archive(path, "the archive has no such file")
    try:
        return archive.read(path).decode()
    except UnicodeDecodeError:
        raise refuse_archive(path, "the file is not text in UTF-8") from None


def get_dict(value: Any, path: str, what: str) -> dict[str, Any]:
    """The value. RefusedFileError if it is not an object of JSON."""
    if not isinstance(value, dict):
        raise refuse_archive(path, f"{what} is not an object")
    return value


def get_dicts(value: Any, path: str, what: str) -> list[dict[str, Any]]:
    """The values. RefusedFileError if it is not a list of objects of JSON."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise refuse_archive(path, f"{what} is not a list of objects")
    return value
