"""Run the reader of hostile files in a process of its own, so that a malicious file cannot harm the site.

The process has limits of time and memory, writes no file, and is given no settings or passwords. Until it forbids
itself files, code that takes it over could read what its account can.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EXIT_REFUSED = 3
# Below the threads that answer requests, which share the processors.
NICENESS = 10
ROOT = Path(__file__).resolve().parents[2]


class ReaderFailedError(Exception):
    """The reader exceeded a limit or crashed."""


@dataclass(frozen=True, slots=True)
class ReaderReply:
    """What the reader wrote to standard output. refused: whether it ended with EXIT_REFUSED, because of the file."""

    output: bytes
    refused: bool


def run_reader(
    module: str, argument: str, content: bytes, seconds: int, environment: Mapping[str, str] | None = None
) -> ReaderReply:
    """Run `python -m MODULE ARGUMENT` with the content as its input. ReaderFailedError if it fails.

    seconds: of CPU time, to which the module restricts itself; it is killed after twice as many on the clock.
    """
    try:
        completed = subprocess.run(
            [sys.executable, "-m", module, argument],
            input=content,
            capture_output=True,
            timeout=2 * seconds,
            cwd=ROOT,
            env={"LC_ALL": "C.UTF-8", **(environment or {})},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ReaderFailedError from None
    if completed.returncode not in (0, EXIT_REFUSED):
        raise ReaderFailedError
    return ReaderReply(completed.stdout, completed.returncode == EXIT_REFUSED)


def restrict_process(seconds: int, memory: int) -> None:
    """Limit this process to so many seconds of CPU time and bytes of memory, let it write no files, and let others go
    first.
    """
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def forbid_files_and_processes() -> None:
    """Let this process open no file and no connection from now on, import nothing, and start no process, which could
    outlive it. It has its three streams.
    """
    streams = 3
    resource.setrlimit(resource.RLIMIT_NOFILE, (streams, streams))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
