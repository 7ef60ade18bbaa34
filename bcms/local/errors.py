"""Errors of the launcher, with a message for the terminal and the last lines of a log."""

import errno
from pathlib import Path


class StartError(Exception):
    """Why the start failed and how to fix it, in one sentence."""


def format_indented_log_tail(log_file: Path, line_count: int = 12) -> str:
    """The last lines of a log, indented; empty when there is no log."""
    if not log_file.is_file():
        return ""
    lines = log_file.read_text(encoding="utf-8", errors="replace").splitlines()[-line_count:]
    return "".join(f"\n    {line}" for line in lines)


def format_os_error(error: OSError) -> str:
    """An error of the operating system as a message for people."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"The disk is full{where}: free some space and start again."
    return f"{error.strerror or error}{where}."
