"""Backups and the databases that they are restored into."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from bcms.backup.backup_folder import CHECKSUMS, MANIFEST, write_checksums
from bcms.backup.stored_tables import list_tables
from tests.migrated_database import execute


@contextmanager
def use_database(name: str, **others: object) -> Iterator[None]:
    """Let everything in this process use another database. others: other settings, such as that of the port."""
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update({"NAME": name, **others})
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


@contextmanager
def create_database(name: str) -> Iterator[str]:
    execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
    try:
        yield name
    finally:
        execute(f"DROP DATABASE {name} WITH (FORCE)")


def run_command(*words: str | Path, **options: object) -> str:
    """What the command prints; it gives the database back as a process that ends does."""
    output = StringIO()
    try:
        call_command(*map(str, words), stdout=output, **options)
    finally:
        connection.close()
    return output.getvalue()


def copy_backup(folder: Path, target: Path) -> Path:
    return Path(shutil.copytree(folder, target))


def change_manifest(folder: Path, **changes: object) -> None:
    """Change what the manifest says, with the checksums of a whole backup."""
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    (folder / CHECKSUMS).unlink()
    write_checksums(folder)


def read_tables() -> dict[str, list[str]]:
    """Every row of every table as text, sorted."""
    rows = {}
    with connection.cursor() as cursor:
        for table in list_tables():
            cursor.execute(f'SELECT t::text FROM "{table}" t ORDER BY 1')
            rows[table] = [row for (row,) in cursor.fetchall()]
    return rows


def describe_schema() -> dict[str, list[object]]:
    """Columns, indexes, constraints, triggers, functions and sequences, without the numbers that PostgreSQL gives."""
    queries = {
        "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, is_identity "
        "FROM information_schema.columns WHERE table_schema = 'public'",
        "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated "
        "FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
        "triggers": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
        "functions": "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
        "statistics": "SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext",
        "storage": "SELECT attrelid::regclass::text, attname, attstorage FROM pg_attribute "
        "WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) AND attnum > 0 "
        "AND NOT attisdropped",
        "options": "SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace",
        "sequences": "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'",
        "schemas": "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'",
    }
    found: dict[str, list[object]] = {}
    with connection.cursor() as cursor:
        for name, query in queries.items():
            cursor.execute(query)
            found[name] = sorted(cursor.fetchall(), key=str)
    return found
