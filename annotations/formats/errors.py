"""Faults of files: what is wrong, where, and how to fix it, for the person who sent the file."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileRule:
    """One rule about files. title states the rule, mend says how to fix a file that breaks it; both are sentences."""

    code: str
    title: str
    mend: str


class FormatError(Exception):
    """One fault of a file.

    source is the file's name as its owner knows it; line and column count from 1, and 0 means the file as a whole; rule
    is a stable code (R501); message says what is wrong and, after a dash, how to fix it.
    """

    def __init__(self, source: str, line: int, column: int, rule: str, message: str) -> None:
        super().__init__(source, line, column, rule, message)
        self.source = source
        self.line = line
        self.column = column
        self.rule = rule
        self.message = message

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.rule} {self.message}"

    @property
    def wrong(self) -> str:
        """What is wrong, without how to fix it. Only the last dash counts, because quoted text may have dashes too."""
        return self.message.rpartition(" - ")[0] or self.message

    @property
    def mend(self) -> str:
        """How to fix it, empty if the message does not say."""
        return self.message.rpartition(" - ")[2] if " - " in self.message else ""


class RefusedFileError(Exception):
    """A file is rejected as a whole; faults lists every error in it, usually in the order of its lines."""

    def __init__(self, faults: Sequence[FormatError]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


# A file that breaks one rule more often than this has one cause for all of them; listing the rest would hide others.
MAX_FAULTS_PER_RULE = 1000
MAX_QUOTE_LENGTH = 60


def replace_unprintable(text: str) -> str:
    """The text with U+FFFD for each character that is not printable, such as a line break."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def quote_file_text(value: str, max_length: int = MAX_QUOTE_LENGTH) -> str:
    """Text from a file in quotation marks for one line of a message, truncated to max_length characters."""
    shown = replace_unprintable(value[:max_length])
    return f"“{shown if len(value) <= max_length else shown + '…'}”"
