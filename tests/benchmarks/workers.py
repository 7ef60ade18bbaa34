"""The worker processes of a deployment: those that call servers, one for the other work, and beat."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bcms.local import process_commands

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("work", "beat")


@contextmanager
def run_process(command: Sequence[str | Path]) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of this project until the block ends."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(25)


@contextmanager
def run_workers(calling: int = 2) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run the workers and wait until they are ready; yields those that call servers."""
    asking = [f"asking-{number}" for number in range(1, calling + 1)]
    names = [*asking, *(OTHERS if calling > 1 else ())]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.environ["BEAT_SCHEDULE_FILE"] = str(folder / "beat")
        commands = process_commands.build_worker_arguments_by_process_name()
        commands |= {name: process_commands.build_asking_arguments(name) for name in asking}
        processes = {name: stack.enter_context(run_process([sys.executable, *commands[name]])) for name in names}
        wait_for_workers(len(names) - ("beat" in names))
        yield [processes[name] for name in asking]


def wait_for_workers(number: int) -> None:
    """Wait until so many workers answer."""
    from bcms.celery import app

    while len(app.control.ping(timeout=0.5)) < number:
        pass
