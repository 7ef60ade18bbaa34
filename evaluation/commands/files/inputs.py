"""The files that a command reads, and what is wrong with any of them."""

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.sniffing import check_text
from evaluation.commands.errors import UsageError

Read = TypeVar("Read")

# Who scores is told so many warnings of a file and rule; who checks, all of them.
FEW_WARNINGS = 3


class Inputs:
    """Reads files and gathers their faults, and notes on files without faults.

    every_warning: whether all warnings are noted, or only the first of each rule of a file.
    """

    def __init__(self, *, every_warning: bool = False) -> None:
        self.every_warning = every_warning
        self.faults: list[FormatError] = []
        self.notes: list[str] = []

    def read(self, path: str, reader: Callable[[BinaryIO, str], Read]) -> Read | None:
        """What the reader makes of the file, None when it refuses it."""
        with opened(path) as stream:
            try:
                check_text(stream, path)
                return reader(stream, path)
            except RefusedFileError as refusal:
                self.faults += refusal.faults
                return None

    def warn(self, path: str, warnings: Sequence[FormatError]) -> None:
        """Note what is worth a warning in the file."""
        numbers: Counter[str] = Counter()
        for own in warnings:
            numbers[own.rule] += 1
            if self.every_warning or numbers[own.rule] <= FEW_WARNINGS:
                self.notes.append(f"{own.source}:{own.line}:{own.column}: {own.rule} warning: {own.message}")
        if not self.every_warning:
            more = ", ".join(rule for rule, number in numbers.items() if number > FEW_WARNINGS)
            self.notes += [f"{path}: more warnings of {more}; the command check tells them"] if more else []

    def finish(self) -> None:
        """RefusedFileError with the faults of all files, if there is one; else the notes are told."""
        if self.faults:
            raise RefusedFileError(self.faults)
        tell(self.notes)


def opened(path: str) -> BinaryIO:
    """The file as a stream. UsageError when it cannot be read, or is a pipe: files are read more than once."""
    try:
        if not Path(path).is_file():
            raise UsageError(f"{path} is not a file; give the name of a file that is there.")
        return Path(path).open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name.") from None


def checksum(path: str) -> str:
    """What a signature names a file by: the first eight digits of its SHA-256."""
    digest = hashlib.sha256()
    with opened(path) as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return f"sha256:{digest.hexdigest()[:8]}"


def tell(lines: Iterable[object]) -> None:
    for line in lines:
        print(line, file=sys.stderr)
