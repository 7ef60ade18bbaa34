"""Run the reader of hostile files in a process of its own, so that a malicious file cannot harm the site.

The process has limits of time and memory, writes no file, and is given no settings or passwords. Until it forbids
itself files, code that takes it over could read what its account can.
"""

import os
import resource
import selectors
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

EXIT_REFUSED = 3
# Below the threads that answer requests, which share the processors.
NICENESS = 10
PIECE_BYTES = 1 << 16
ROOT = Path(__file__).resolve().parents[2]


class ReaderFailedError(Exception):
    """The reader exceeded a limit or crashed."""


@dataclass(frozen=True, slots=True)
class ReaderReply:
    """What the reader wrote to standard output. refused: whether it ended with EXIT_REFUSED, because of the file."""

    output: bytes
    refused: bool


def run_reader(
    module: str,
    argument: str,
    content: bytes,
    seconds: int,
    most_bytes: int,
    environment: Mapping[str, str] | None = None,
) -> ReaderReply:
    """Run `python -m MODULE ARGUMENT` with the content as its input. ReaderFailedError if it fails.

    seconds: of CPU time, to which the module restricts itself; it is killed after twice as many on the clock.
    most_bytes: of output, above which it is killed: code that takes it over must not fill the memory of this process.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", module, argument],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        cwd=ROOT,
        env={"LC_ALL": "C.UTF-8", **(environment or {})},
        start_new_session=True,
    )
    deadline = monotonic() + 2 * seconds
    try:
        output = _exchange_bytes(process, content, most_bytes, deadline)
        status = process.wait(max(deadline - monotonic(), 0))
    except subprocess.TimeoutExpired:
        raise ReaderFailedError from None
    finally:
        # With the processes that it has started.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in filter(None, (process.stdin, process.stdout)):
            stream.close()
    if status not in (0, EXIT_REFUSED):
        raise ReaderFailedError
    return ReaderReply(output, status == EXIT_REFUSED)


def _exchange_bytes(process: "subprocess.Popen[bytes]", content: bytes, most_bytes: int, deadline: float) -> bytes:
    """Send the content to a process while reading its output to the end.

    ReaderFailedError for more output than most_bytes, and at the deadline by the monotonic clock: other processes, too,
    may keep the output open.
    """
    unsent, output = memoryview(content), bytearray()
    with selectors.DefaultSelector() as selector:
        for stream, event in ((process.stdin, selectors.EVENT_WRITE), (process.stdout, selectors.EVENT_READ)):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                selector.register(stream.fileno(), event, stream)
        while selector.get_map():
            ready = selector.select(max(deadline - monotonic(), 0))
            for key, _ in ready:
                if key.events == selectors.EVENT_READ:
                    piece = os.read(key.fd, PIECE_BYTES)
                    output += piece
                    is_done = not piece
                else:
                    unsent = _send_piece(key.fd, unsent)
                    is_done = not unsent
                if is_done:
                    selector.unregister(key.fd)
                    key.data.close()
            if not ready or len(output) > most_bytes:
                raise ReaderFailedError
    return bytes(output)


def _send_piece(pipe: int, unsent: memoryview) -> memoryview:
    """Send as much as fits into a pipe; returns the rest, which is nothing if nobody reads it."""
    try:
        return unsent[os.write(pipe, unsent[:PIECE_BYTES]) :]
    except BrokenPipeError:
        return unsent[:0]


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
