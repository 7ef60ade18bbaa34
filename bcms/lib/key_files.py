"""New files with keys, which commands write once and never over another key."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError


def write_new_key_file(path: Path, line: str) -> None:
    """Write the line to a new file that only its owner can read. FileExistsError if there is a file."""
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(f"{line}\n", encoding="ascii")


@contextmanager
def convert_key_file_errors(if_exists: str) -> Iterator[None]:
    """CommandError if a file exists, with what follows from that, or if one cannot be written."""
    try:
        yield
    except FileExistsError as error:
        raise CommandError(f"{error.filename} exists{if_exists}") from None
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be written: {error.strerror}.") from None
