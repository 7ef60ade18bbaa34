"""What is wrong with a file, told to the person who brought it."""

from collections.abc import Sequence


class FormatError(Exception):
    """One fault of a file.

    source is the file's name as its owner knows it; line and column count from 1, and 0 means the file as a whole; rule
    is a stable code (R501); message says what is wrong and, after a dash, how to mend it.
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
        """What is wrong, without how to mend it; what it quotes of the file may have dashes of its own."""
        return self.message.rpartition(" - ")[0] or self.message

    @property
    def mend(self) -> str:
        """How to mend it, empty where the message does not say."""
        return self.message.rpartition(" - ")[2] if " - " in self.message else ""


class RefusedFileError(Exception):
    """A file is refused whole; faults lists everything that is wrong with it, in the order of its lines."""

    def __init__(self, faults: Sequence[FormatError]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)
