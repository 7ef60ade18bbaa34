"""Child processes of one launcher: started with a log each, noted in a file, stopped in order.

Every child leads a process group of its own, so that Ctrl-C reaches the launcher alone. The file of notes lets the
next launcher end what a killed one left behind.
"""

import contextlib
import errno
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from bcms.local.account import Account
from bcms.local.errors import StartError, last_lines

PATIENCE = 20.0
ORPHAN_PATIENCE = 5.0


@dataclass(slots=True)
class Child:
    name: str
    process: subprocess.Popen[bytes]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM
    passing: bool = False
    """Whether it may end by itself, when its work is done."""

    def has_died(self) -> bool:
        status = self.process.poll()
        return status is not None and not (self.passing and status == 0)

    def died(self) -> StartError:
        if self.lacks_space():
            return StartError(f"The disk is full: {self.name} could not write; free some space and start again.")
        return StartError(
            f"{self.name} ended by itself (exit status {self.process.returncode}). "
            f"The end of its log, {self.log}:{last_lines(self.log)}"
        )

    def lacks_space(self) -> bool:
        return os.strerror(errno.ENOSPC) in last_lines(self.log, 40)


@dataclass
class Children:
    """All children of this launcher. folder keeps the logs and the notes, and outlives the launcher."""

    folder: Path
    stages: list[list[Child]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.logs = self.folder / "log"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.notes = self.folder / "children"

    def start(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = Path("/"),
        given: str = "",
        shown: bool = False,
        passing: bool = False,
        who: Account | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> Child:
        """Start one child of the present stage; given goes to its standard input; shown goes to ours."""
        log = self.logs / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE if given else subprocess.DEVNULL,
                stdout=None if shown else output,
                stderr=None if shown else subprocess.STDOUT,
                env=env,
                cwd=cwd,
                start_new_session=True,
                **(who or Account()).popen_options(),
            )
        child = Child(name, process, log, stop_signal, passing)
        if not self.stages:
            self.next_stage()
        self.stages[-1].append(child)
        self.note(child)
        if process.stdin:
            with process.stdin:
                process.stdin.write(given.encode())
        return child

    def next_stage(self) -> None:
        """What is started from now on is stopped before everything started until now."""
        self.stages.append([])

    def note(self, child: Child) -> None:
        with contextlib.suppress(psutil.NoSuchProcess), self.notes.open("a") as notes:
            pid = child.process.pid
            note = Note(pid, psutil.Process(pid).create_time(), child.stop_signal, len(self.stages))
            notes.write(json.dumps(asdict(note)) + "\n")

    def check(self) -> None:
        """Raises StartError for a child that has ended."""
        for child in (child for stage in self.stages for child in stage):
            if child.has_died():
                raise child.died()

    def check_space(self) -> None:
        """Raises StartError when one, dead or not, could not write: others fail first when the database has stopped."""
        for child in (child for stage in self.stages for child in stage):
            if child.lacks_space():
                raise child.died()

    def forget(self, child: Child) -> None:
        """A child that was meant to end, and has."""
        for stage in self.stages:
            if child in stage:
                stage.remove(child)

    def stop(self, hurry: Callable[[], bool] = lambda: False) -> None:
        """Stop every child, the last stage first; whoever is not gone after 20 s, or when hurried, is killed."""
        while self.stages:
            stop_all(self.stages[-1], hurry)
            self.stages.pop()
        self.notes.unlink(missing_ok=True)


def stop_all(children: Sequence[Child], hurry: Callable[[], bool]) -> None:
    for child in children:
        if child.process.poll() is None:
            signal_group(child.process.pid, child.stop_signal)
    until = time.monotonic() + PATIENCE
    while any(child.process.poll() is None for child in children):
        if time.monotonic() > until or hurry():
            break
        time.sleep(0.02)
    for child in children:
        # Also after a good end: a grandchild may have outlived its parent.
        signal_group(child.process.pid, signal.SIGKILL)
        child.process.wait()


def signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


@dataclass(frozen=True, slots=True)
class Note:
    """What is written down of a child: a process number alone may be another process's by now."""

    pid: int
    began: float
    stop_signal: int
    stage: int

    def living(self) -> psutil.Process | None:
        try:
            process = psutil.Process(self.pid)
            return process if process.create_time() == self.began else None
        except psutil.NoSuchProcess:
            return None


def stop_orphans(folder: Path) -> None:
    """End what a killed launcher left running, by its file of notes, the last stage first."""
    path = folder / "children"
    lines = path.read_text().splitlines() if path.is_file() else []
    notes = [Note(**json.loads(line)) for line in lines]
    for stage in sorted({note.stage for note in notes}, reverse=True):
        end_orphans([note for note in notes if note.stage == stage])
    path.unlink(missing_ok=True)


def end_orphans(notes: Sequence[Note]) -> None:
    living = [process for note in notes if (process := note.living())]
    for note in notes:
        if note.living():
            signal_group(note.pid, note.stop_signal)
    psutil.wait_procs(living, ORPHAN_PATIENCE)
    for process in living:
        signal_group(process.pid, signal.SIGKILL)
    psutil.wait_procs(living, ORPHAN_PATIENCE)
