"""Check a backup without a database: that it is whole, unchanged, and that pg_restore can read it."""

import re
from collections.abc import Callable
from pathlib import Path

from bcms.backup.backup_folder import DUMP, verify_checksums
from bcms.backup.client_programs import ClientProgram, find_client_program, list_archive_entries
from bcms.backup.errors import BackupError
from bcms.backup.manifest import BackupManifest, read_manifest
from bcms.backup.stored_tables import LEFT_OUT

TABLE_DATA = re.compile(r"\d+; \d+ \d+ TABLE DATA \S+ (\S+)")


def verify_backup(folder: Path, report: Callable[[str], None]) -> BackupManifest:
    """Read all files; returns the manifest of a backup that can be restored. BackupError if it cannot."""
    verify_checksums(folder, report)
    manifest = read_manifest(folder)
    check_dump_has_all_tables(folder, manifest, find_client_program("pg_restore", manifest.server, manifest.client))
    return manifest


def check_dump_has_all_tables(folder: Path, manifest: BackupManifest, program: ClientProgram) -> None:
    """BackupError unless the tables in the dump are those whose rows were counted."""
    entries = list_archive_entries(program, folder / DUMP)
    dumped = {match[1] for entry in entries if (match := TABLE_DATA.match(entry))}
    missing = sorted(manifest.rows.keys() - dumped - set(LEFT_OUT))
    if missing:
        raise BackupError(f"{folder} has no rows of the table {missing[0]}, which were counted: use another backup.")
