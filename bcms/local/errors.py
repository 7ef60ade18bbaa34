"""What stops a start: one sentence for the person at the terminal, and the last lines of the log that tells more."""

import errno
from pathlib import Path


class StartError(Exception):
    """One clear sentence, with how to mend it."""


def last_lines(log: Path, count: int = 12) -> str:
    """The end of a log, indented, empty when there is none."""
    if not log.is_file():
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
    return "".join(f"\n    {line}" for line in lines)


def sentence_for(error: OSError) -> str:
    """What the operating system refused, for a person."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full{where}: free some space and start again."
    return f"{error.strerror or error}{where}."
