"""Migrated databases for the processes that share the tests: one process migrates, and all restore what it wrote."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg2

from bcms.local.postgres import get_or_copy_postgres_programs
from bcms.local.service_account import get_nobody_account_if_root

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "migrated"


def create_migrated_database(name: str, folder: Path) -> None:
    """Create the database, in place of one of that name. folder: where the processes keep what is restored."""
    dump = write_dump_once(folder)
    execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    run_postgres_program("psql", name, "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", f"--file={dump}")


def start_writing_dump(folder: Path) -> subprocess.Popen:
    """A process that writes the dump into the folder, in a session of its own: its migration ends with it."""
    command = [sys.executable, "-m", "tests.migrated_database", str(folder)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True)


def stop_writing_dump(process: subprocess.Popen) -> None:
    """Stop the process and its migration; nothing happens if it has ended."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def write_dump_once(folder: Path) -> Path:
    """The dump of a migrated database; whoever comes while it is written waits."""
    dump = folder / "migrated.sql"
    with (folder / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not dump.exists():
            execute(f"DROP DATABASE IF EXISTS {SOURCE} WITH (FORCE)", f"CREATE DATABASE {SOURCE}")
            environment = {**os.environ, "DATABASE_URL": build_database_url(SOURCE)}
            migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
            partial = dump.with_suffix(".partial")
            run_postgres_program("pg_dump", SOURCE, "--no-owner", f"--file={partial}")
            # pg_dump 17 and newer write a setting that older servers do not know.
            dump_text = partial.read_text().replace("SET transaction_timeout = 0;\n", "")
            partial.write_text(dump_text)
            partial.rename(dump)
            execute(f"DROP DATABASE {SOURCE} WITH (FORCE)")
    return dump


def run_postgres_program(program: str, database: str, *options: str) -> None:
    folder = get_or_copy_postgres_programs(get_nobody_account_if_root())
    command = [folder / program, *options, f"--dbname={build_database_url(database)}"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def build_database_url(name: str) -> str:
    """The URL of another database of the same server."""
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def execute(*statements: str) -> None:
    """Run statements outside of transactions, in a database that no test uses."""
    connection = psycopg2.connect(build_database_url("postgres"))
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    finally:
        connection.close()


if __name__ == "__main__":
    write_dump_once(Path(sys.argv[1]))
