"""Why a backup could not be made, checked or restored."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)


class BackupError(Exception):
    """What is wrong and how to fix it, for the person at the terminal."""


@contextmanager
def convert_file_errors(folder: Path) -> Iterator[None]:
    """BackupError for an error of the operating system about a file in the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL_DISK:
            raise BackupError(f"The disk of {folder} is full: free some space, or choose another disk.") from None
        raise BackupError(f"{error.filename or folder}: {error.strerror or error}.") from None


@contextmanager
def convert_database_errors() -> Iterator[None]:
    """BackupError for an error of the database, with the first line of what it answered."""
    try:
        yield
    except DatabaseError as error:
        answer = str(error).strip().partition("\n")[0] or type(error).__name__
        raise BackupError(f"The database answered: {answer}") from None
