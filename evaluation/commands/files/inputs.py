"""The files that a command reads, and their errors."""

import hashlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import (
    SNIFFED_BYTES,
    check_result_file_is_text_or_archive,
    is_parquet,
)
from evaluation.commands.errors import UsageError

ReadResult = TypeVar("ReadResult")

# Only `check` prints all warnings; other commands print this many for each file and rule.
MAX_WARNINGS_PER_RULE = 3


class InputFiles:
    """Reads files and collects their errors, and notes on valid files.

    every_warning: whether all warnings are noted, or only the first of each file and rule.
    """

    def __init__(self, *, every_warning: bool = False) -> None:
        self.every_warning = every_warning
        self.faults: list[FormatError] = []
        self.notes: list[str] = []

    def read_input(self, path: str, reader: Callable[[BinaryIO, str], ReadResult]) -> ReadResult | None:
        """The result of the reader, or None when the file is invalid."""
        with open_regular_input_file(path) as stream:
            try:
                if not _is_parquet(stream):
                    check_result_file_is_text_or_archive(stream, path)
                return reader(stream, path)
            except RefusedFileError as refusal:
                self.faults += refusal.faults
                return None

    def refuse_text(self, path: str, rule: str, message: str) -> None:
        """Collect this error of a file; if it is compressed or otherwise not text, that error instead."""

        def refuse(_: BinaryIO, source: str) -> None:
            raise RefusedFileError([FormatError(source, 0, 0, rule, message)])

        self.read_input(path, refuse)

    def add_warnings(self, path: str, warnings: Sequence[FormatError]) -> None:
        """Add the warnings of a file to the notes."""
        counts: Counter[str] = Counter()
        for warning in warnings:
            counts[warning.rule] += 1
            if self.every_warning or counts[warning.rule] <= MAX_WARNINGS_PER_RULE:
                self.notes.append(
                    f"{warning.source}:{warning.line}:{warning.column}: {warning.rule} warning: {warning.message}"
                )
        if not self.every_warning:
            more = ", ".join(rule for rule, count in counts.items() if count > MAX_WARNINGS_PER_RULE)
            self.notes += [f"{path}: more warnings of {more}; the command check lists all of them"] if more else []

    def raise_faults_or_print_notes(self) -> None:
        """Raise RefusedFileError with the errors of all files if there are any; otherwise print the notes."""
        if self.faults:
            raise RefusedFileError(self.faults)
        print_to_stderr(self.notes)


def _is_parquet(stream: BinaryIO) -> bool:
    head = stream.read(SNIFFED_BYTES)
    stream.seek(0)
    return is_parquet(head)


def open_regular_input_file(path: str) -> BinaryIO:
    """Open a file. UsageError when it cannot be read or is a pipe, as files are read more than once."""
    try:
        if not Path(path).is_file():
            raise UsageError(f"{path} is not a file; give the name of an existing file.")
        return Path(path).open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); check its name.") from None


def format_short_file_sha256(path: str) -> str:
    """The checksum of a file in signatures: the first eight digits of its SHA-256."""
    digest = hashlib.sha256()
    with open_regular_input_file(path) as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return f"sha256:{digest.hexdigest()[:8]}"


def print_to_stderr(lines: Iterable[object]) -> None:
    for line in lines:
        print(line, file=sys.stderr)
