"""Make a backup: one snapshot of the database, while the site goes on.

pg_dump and the counts of rows read the same exported snapshot, so what is counted is what is stored.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from bcms.backup.backup_folder import (
    DUMP,
    MANIFEST,
    make_folder_or_remove_partial,
    write_checksums,
    write_private_file,
)
from bcms.backup.client_programs import ClientProgram, find_client_program, run_client_program
from bcms.backup.errors import BackupError, convert_database_errors, convert_file_errors
from bcms.backup.key_fingerprints import compute_key_fingerprints
from bcms.backup.manifest import BackupManifest, format_manifest
from bcms.backup.progress import ItemProgress
from bcms.backup.stored_tables import (
    LEFT_OUT,
    count_rows,
    get_server_version,
    list_tables,
    list_tables_with_rows,
    read_restored_backup_id,
)
from bcms.lib.version import VERSION

# Tables that are saved at the same time, and connections beside the one with the snapshot.
JOBS = 2
# The first level of gzip takes a third of the time of the default, and 15 % more space.
COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class CreatedBackup:
    """What was saved: tables and rows of the database, and the size of all files in bytes."""

    tables: int
    rows: int
    size: int


def create_backup(target: Path, report: Callable[[str], None]) -> CreatedBackup:
    """Save the database into the new folder; BackupError if that fails, and then nothing is left."""
    with make_folder_or_remove_partial(target) as (folder, lock), convert_database_errors():
        _check_database_is_whole()
        server = get_server_version()
        program = find_client_program("pg_dump", server)
        with _export_snapshot() as snapshot:
            report("Counting the rows.")
            manifest = _describe_snapshot(server, program.major)
            rows = sum(manifest.rows.values())
            report(f"Saving {len(manifest.rows)} tables with {rows:,} rows.")
            _dump_snapshot(program, snapshot, folder, lock, ItemProgress("Saved", len(manifest.rows), report))
        report("Writing checksums.")
        with convert_file_errors(folder):
            write_private_file(folder / MANIFEST, format_manifest(manifest))
            size = write_checksums(folder)
    return CreatedBackup(len(manifest.rows), rows, size)


def _check_database_is_whole() -> None:
    if read_restored_backup_id() is not None:
        raise BackupError("This database was restored only in part: finish that with `manage.py restore` first.")
    if "django_migrations" not in list_tables():
        raise BackupError("This database has no tables of the site: is DATABASE_URL right?")


@contextmanager
def _export_snapshot() -> Iterator[str]:
    """A transaction that sees the database as it is now; yields the name by which pg_dump finds the same snapshot."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]


def _describe_snapshot(server: int, client: int) -> BackupManifest:
    rows = count_rows(list_tables_with_rows())
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        created = cursor.fetchone()[0].isoformat(timespec="seconds")
    applied = MigrationRecorder(connection).applied_migrations()
    return BackupManifest(
        id=str(uuid.uuid4()),
        created=created,
        software=VERSION,
        site=settings.SITE_URL,
        server=server,
        client=client,
        migrations=sorted(f"{app}.{name}" for app, name in applied),
        rows=rows | dict.fromkeys(LEFT_OUT, 0),
        keys=compute_key_fingerprints(),
    )


def _dump_snapshot(program: ClientProgram, snapshot: str, folder: Path, lock: int, progress: ItemProgress) -> None:
    """Write the dump in pg_dump's directory format."""
    arguments = [f"--snapshot={snapshot}", "--format=directory", f"--jobs={JOBS}", f"--compress={COMPRESSION}"]
    arguments += ["--no-owner", "--no-privileges", f"--file={folder / DUMP}"]
    arguments += [f"--exclude-table-data=*.{table}" for table in LEFT_OUT]
    run_client_program(program, arguments, progress.read_line, kept_file=lock)
