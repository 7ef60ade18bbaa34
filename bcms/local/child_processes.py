"""Child processes of one launcher: each has a log and a record in a file, and they are stopped in order.

Every child has a process group of its own, so that Ctrl-C reaches only the launcher. The records let the next launcher
stop the processes that a killed one left behind.
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

from bcms.local.errors import StartError, format_indented_log_tail
from bcms.local.service_account import ServiceAccount

STOP_SECONDS = 20.0
ORPHAN_STOP_SECONDS = 5.0


@dataclass(slots=True)
class ChildProcess:
    """A running child; may_end says whether it may exit with status 0 when its work is done."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM
    may_end: bool = False

    def has_died(self) -> bool:
        status = self.process.poll()
        return status is not None and not (self.may_end and status == 0)

    def make_exit_error(self) -> StartError:
        if self.has_full_disk():
            return StartError(f"The disk is full: {self.name} could not write. Free some space and start again.")
        return StartError(
            f"{self.name} exited unexpectedly (exit status {self.process.returncode}). "
            f"The end of its log, {self.log}:{format_indented_log_tail(self.log)}"
        )

    def has_full_disk(self) -> bool:
        return os.strerror(errno.ENOSPC) in format_indented_log_tail(self.log, 40)


@dataclass
class ChildProcesses:
    """All children of this launcher; folder keeps the logs and the records, also after the launcher has ended."""

    folder: Path
    stages: list[list[ChildProcess]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.logs = self.folder / "log"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.records = self.folder / "children"

    def start_child(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path = Path("/"),
        stdin: str = "",
        shows_output: bool = False,
        may_end: bool = False,
        account: ServiceAccount | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> ChildProcess:
        """Start a child in the current stage; its output goes to its log, or to ours if shows_output."""
        log = self.logs / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=None if shows_output else output,
                stderr=None if shows_output else subprocess.STDOUT,
                env=env,
                cwd=cwd,
                start_new_session=True,
                **(account or ServiceAccount()).popen_options(),
            )
        child = ChildProcess(name, process, log, stop_signal, may_end)
        if not self.stages:
            self.begin_stage()
        self.stages[-1].append(child)
        self.record_child(child)
        if process.stdin:
            with process.stdin:
                process.stdin.write(stdin.encode())
        return child

    def begin_stage(self) -> None:
        """Begin a new stage: later stages are stopped before earlier ones."""
        self.stages.append([])

    def record_child(self, child: ChildProcess) -> None:
        with contextlib.suppress(psutil.NoSuchProcess), self.records.open("a") as records:
            pid = child.process.pid
            record = ProcessRecord(pid, psutil.Process(pid).create_time(), child.stop_signal, len(self.stages))
            records.write(json.dumps(asdict(record)) + "\n")

    def check_children(self) -> None:
        """Raises StartError for a child that has exited unexpectedly."""
        for child in (child for stage in self.stages for child in stage):
            if child.has_died():
                raise child.make_exit_error()

    def check_disk_space(self) -> None:
        """Raises StartError if any child had no disk space: when the database stops, other children may fail first."""
        for child in (child for stage in self.stages for child in stage):
            if child.has_full_disk():
                raise child.make_exit_error()

    def remove_ended_child(self, child: ChildProcess) -> None:
        """Forget a child that has ended as expected."""
        for stage in self.stages:
            if child in stage:
                stage.remove(child)

    def stop_children(self, should_hurry: Callable[[], bool] = lambda: False) -> None:
        """Stop all children, the last stage first; kill those that still run after 20 s, or when should_hurry()."""
        while self.stages:
            _stop_stage(self.stages[-1], should_hurry)
            self.stages.pop()
        self.records.unlink(missing_ok=True)


def _stop_stage(children: Sequence[ChildProcess], should_hurry: Callable[[], bool]) -> None:
    for child in children:
        if child.process.poll() is None:
            try_signal_process_group(child.process.pid, child.stop_signal)
    deadline = time.monotonic() + STOP_SECONDS
    while any(child.process.poll() is None for child in children):
        if time.monotonic() > deadline or should_hurry():
            break
        time.sleep(0.02)
    for child in children:
        # Also after a clean exit, since a grandchild may still run.
        try_signal_process_group(child.process.pid, signal.SIGKILL)
        child.process.wait()


def try_signal_process_group(pid: int, signal_number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal_number)


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """The record of a child; its start time distinguishes it from a later process with the same number."""

    pid: int
    began: float
    stop_signal: int
    stage: int

    def find_living_process(self) -> psutil.Process | None:
        try:
            process = psutil.Process(self.pid)
            return process if process.create_time() == self.began else None
        except psutil.NoSuchProcess:
            return None


def stop_children_of_killed_launcher(launcher_folder: Path) -> None:
    """Stop the processes that a killed launcher left running, by its records, the last stage first."""
    path = launcher_folder / "children"
    lines = path.read_text().splitlines() if path.is_file() else []
    records = [ProcessRecord(**json.loads(line)) for line in lines]
    for stage in sorted({record.stage for record in records}, reverse=True):
        stop_then_kill_recorded_processes([record for record in records if record.stage == stage])
    path.unlink(missing_ok=True)


def stop_then_kill_recorded_processes(records: Sequence[ProcessRecord]) -> None:
    living = [process for record in records if (process := record.find_living_process())]
    for record in records:
        if record.find_living_process():
            try_signal_process_group(record.pid, record.stop_signal)
    psutil.wait_procs(living, ORPHAN_STOP_SECONDS)
    for process in living:
        try_signal_process_group(process.pid, signal.SIGKILL)
    psutil.wait_procs(living, ORPHAN_STOP_SECONDS)
