"""Restore a backup into an empty database, in steps that can be repeated after the command broke off.

1. In one transaction, empty the database and store the id of the backup in a schema of its own, the marker.
2. In one transaction, create tables and functions.
3. Load rows: each table in one COPY, so it has all of its rows or none. A repetition loads the empty ones.
4. Create indexes, keys and triggers; a repetition drops them first.
5. Hold waiting mail, collect statistics, and remove the marker.
"""

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from bcms.backup.backup_folder import DUMP
from bcms.backup.client_programs import (
    ClientProgram,
    find_client_program,
    list_archive_entries,
    run_client_program,
)
from bcms.backup.errors import BackupError, convert_database_errors, convert_file_errors
from bcms.backup.manifest import BackupManifest
from bcms.backup.progress import ItemProgress
from bcms.backup.restored_work import (
    check_copy_sends_no_mail,
    forget_news_to_mail,
    hold_waiting_mail,
    stop_servers_and_webhooks,
)
from bcms.backup.stored_tables import count_rows, get_server_version, list_tables, unmark_restored_database
from bcms.backup.target_database import (
    check_database_is_free,
    check_versions_fit,
    drop_indexes_and_keys,
    empty_and_mark_database_unless_begun,
)
from bcms.backup.verification import TABLE_DATA, verify_backup

# Tables that are loaded, and indexes that are made, at the same time.
JOBS = 2
ROWS = re.compile(r"\d+; \d+ \d+ (TABLE DATA|SEQUENCE SET) ")
INDEXES = re.compile(r"\d+; \d+ \d+ (INDEX|CONSTRAINT|FK CONSTRAINT) ")


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """What was restored, how many mails are held, and whether migrations have to follow."""

    manifest: BackupManifest
    held_mail: int
    needs_migrations: bool


@dataclass(frozen=True, slots=True)
class ArchiveReader:
    """pg_restore, the dump that it reads, the lines of its table of contents, and where progress is reported."""

    program: ClientProgram
    dump: Path
    entries: list[str]
    report: Callable[[str], None]

    def restore(self, progress: ItemProgress, *arguments: str) -> None:
        """Run pg_restore with these arguments, which stops at the first error."""
        common = ["--no-owner", "--no-privileges", "--exit-on-error"]
        run_client_program(self.program, [*common, *arguments, str(self.dump)], progress.read_line)


def restore_backup(folder: Path, report: Callable[[str], None], *, is_copy: bool = False) -> RestoredBackup:
    """Restore the backup into the database of this site; BackupError if that fails, and then it can be repeated.

    is_copy: it is not the site itself, so nothing may be sent to anybody.
    """
    if is_copy:
        check_copy_sends_no_mail()
    manifest = verify_backup(folder, report)
    with convert_database_errors():
        check_versions_fit(manifest)
        check_database_is_free()
        reader = _open_backup(folder, manifest, report)
        if empty_and_mark_database_unless_begun(manifest):
            report("Restoring this backup has begun before and continues.")
        _create_tables_unless_there(reader)
        _load_empty_tables(reader, manifest.rows)
        _create_indexes(reader)
        return _finish_restoring(manifest, report, is_copy=is_copy)


def _open_backup(folder: Path, manifest: BackupManifest, report: Callable[[str], None]) -> ArchiveReader:
    program = find_client_program("pg_restore", get_server_version(), manifest.client)
    dump = folder / DUMP
    return ArchiveReader(program, dump, list_archive_entries(program, dump), report)


def _create_tables_unless_there(reader: ArchiveReader) -> None:
    if not list_tables():
        reader.report("Creating the tables.")
        progress = ItemProgress("Created", 0, reader.report)
        reader.restore(progress, "--section=pre-data", "--single-transaction")


def _load_empty_tables(reader: ArchiveReader, rows: Mapping[str, int]) -> None:
    """Load the tables that have no rows yet, and compare the numbers of rows of all with those that were saved."""
    present = count_rows(rows)
    missing = {table for table, number in rows.items() if number and not present[table]}
    reader.report(f"Loading {sum(rows[table] for table in missing):,} rows of {len(missing)} tables.")
    kept = [entry for entry in reader.entries if ROWS.match(entry) and _is_missing(entry, missing)]
    with convert_file_errors(Path(tempfile.gettempdir())), tempfile.NamedTemporaryFile("w", suffix=".list") as chosen:
        chosen.write("\n".join(kept))
        chosen.flush()
        progress = ItemProgress("Loaded", len(missing), reader.report)
        reader.restore(progress, "--section=data", f"--jobs={JOBS}", f"--use-list={chosen.name}")
    _check_rows(rows)


def _is_missing(entry: str, missing: set[str]) -> bool:
    """Whether an entry of the dump's table of contents has to be restored; sequences always have."""
    match = TABLE_DATA.match(entry)
    return match is None or match[1] in missing


def _check_rows(expected: Mapping[str, int]) -> None:
    present = count_rows(expected)
    wrong = sorted(table for table, number in expected.items() if present[table] != number)
    if wrong:
        table = wrong[0]
        raise BackupError(
            f"{table} has {present[table]:,} rows, but {expected[table]:,} were saved: another process has changed "
            "this database. Stop it, create a new database, and restore into that."
        )


def _create_indexes(reader: ArchiveReader) -> None:
    number = sum(bool(INDEXES.match(entry)) for entry in reader.entries)
    reader.report(f"Creating {number} indexes and keys.")
    progress = ItemProgress("Created", number, reader.report)
    drop_indexes_and_keys()
    reader.restore(progress, "--section=post-data", f"--jobs={JOBS}")


def _finish_restoring(manifest: BackupManifest, report: Callable[[str], None], *, is_copy: bool) -> RestoredBackup:
    held = hold_waiting_mail()
    forget_news_to_mail()
    if is_copy:
        stop_servers_and_webhooks()
    report("Collecting statistics.")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    unmark_restored_database()
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    return RestoredBackup(manifest, held, needs_migrations=not known <= set(manifest.migrations))
