"""The pictures of a challenge in its archive, where its description and its first page find them by their names."""

from collections.abc import Mapping, Sequence
from typing import Any

from bcms.lib.pictures.page_picture import PictureError
from bcms.lib.pictures.sandbox import PictureReaderError, check_page_picture_in_sandbox
from bcms.lib.writing.markdown import MarkdownPicture
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.archives.row_values import build_json_field_values, build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.archives.zip_writer import ArchiveWriter
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.queries import list_shown_pictures
from evaluation.challenges.pictures.storage import (
    MEBIBYTE,
    MOST_PICTURES,
    MOST_STORED_BYTES,
    NewPicture,
    add_pictures,
    make_picture_name,
)
from evaluation.errors import ChallengeError

PICTURE_FIELDS = ("name", "file_name", "alternative_text")
FOLDER = "pictures"


def load_pictures(challenge: Challenge) -> list[ChallengePicture]:
    """Those that its description shows: an archive is public, and others are for organizers.

    With their content, which is at most MOST_STORED_BYTES together.
    """
    return list(list_shown_pictures(challenge).defer(None))


def build_picture_documents(pictures: Sequence[ChallengePicture]) -> dict[str, Any]:
    """The part “pictures” of challenge.json; nothing without pictures, as in earlier archives."""
    rows = [build_json_field_values(picture, PICTURE_FIELDS) for picture in pictures]
    return {"pictures": rows} if rows else {}


def pack_pictures(writer: ArchiveWriter, pictures: Sequence[ChallengePicture]) -> None:
    for picture in pictures:
        writer.add(_format_picture_path(picture.name), bytes(picture.content))


def list_archived_markdown_pictures(pictures: Sequence[ChallengePicture]) -> tuple[MarkdownPicture, ...]:
    """With their addresses from boards/index.html."""
    return tuple(
        MarkdownPicture(picture.name, f"../{_format_picture_path(picture.name)}", picture.width, picture.height)
        for picture in pictures
    )


def restore_pictures(archive: CheckedArchive, document: Mapping[str, Any], challenge: Challenge) -> None:
    """document: challenge.json. ChallengeArchiveError for anything but pictures that a site has written."""
    rows = document.get("pictures", [])
    if not isinstance(rows, list) or len(rows) > MOST_PICTURES or not all(isinstance(row, dict) for row in rows):
        raise ChallengeArchiveError(f"The part “pictures” of challenge.json cannot be read: {GET_ARCHIVE_AGAIN}.")
    pictures = [build_validated_row_from_json(ChallengePicture, row, PICTURE_FIELDS) for row in rows]
    _check_paths(archive, [_format_picture_path(picture.name) for picture in pictures])
    try:
        add_pictures(challenge, [_read_picture(archive, picture) for picture in pictures])
    except ChallengeError as error:
        raise ChallengeArchiveError(str(error)) from None


def _check_paths(archive: CheckedArchive, paths: Sequence[str]) -> None:
    """Before anything is unpacked, which takes memory."""
    if len(set(paths)) < len(paths):
        raise ChallengeArchiveError(f"challenge.json in the archive names a picture twice: {GET_ARCHIVE_AGAIN}.")
    sizes = [archive.zip.getinfo(path).file_size for path in paths if path in archive.names]
    if sum(sizes) > MOST_STORED_BYTES:
        raise ChallengeArchiveError(
            f"The pictures in the archive take more than {MOST_STORED_BYTES // MEBIBYTE} MiB: {GET_ARCHIVE_AGAIN}."
        )


def _read_picture(archive: CheckedArchive, picture: ChallengePicture) -> NewPicture:
    path = _format_picture_path(picture.name)
    content = archive.read(path)
    try:
        checked = check_page_picture_in_sandbox(content)
    except PictureReaderError as error:
        raise ChallengeArchiveError(f"{path} in the archive could not be checked. {error}") from None
    except PictureError:
        raise ChallengeArchiveError(
            f"{path} in the archive is no picture of a challenge: {GET_ARCHIVE_AGAIN}."
        ) from None
    if make_picture_name(content) != picture.name:
        raise ChallengeArchiveError(f"{path} in the archive has the name of another picture: {GET_ARCHIVE_AGAIN}.")
    return NewPicture(picture.file_name, checked, picture.alternative_text)


def _format_picture_path(name: str) -> str:
    return f"{FOLDER}/{name}"
