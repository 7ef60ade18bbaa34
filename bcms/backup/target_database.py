"""The database that a backup is restored into: check that nothing in it would be lost, and empty it."""

import time

from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader

from bcms.backup.errors import BackupError
from bcms.backup.manifest import BackupManifest
from bcms.backup.stored_tables import (
    count_rows,
    get_server_version,
    list_tables,
    mark_as_being_restored,
    read_restored_backup_id,
)

# The tables that `manage.py migrate` fills.
FILLED_BY_MIGRATIONS = frozenset({"django_migrations", "django_content_type", "auth_permission"})
# Extensions bring functions of their own, which stay.
LIST_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
"""
LEAVING_SECONDS = 3.0
LIST_CONNECTIONS = """
SELECT coalesce(nullif(application_name, ''), 'unnamed'), count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND coalesce(backend_type, '') IN ('', 'client backend')
GROUP BY 1 ORDER BY 1
"""


def check_versions_fit(manifest: BackupManifest) -> None:
    """BackupError if the database or this software is older than what was backed up."""
    server = get_server_version()
    if server < manifest.server:
        raise BackupError(
            f"The backup is of PostgreSQL {manifest.server}, but this database is PostgreSQL {server}: name a "
            f"database of version {manifest.server} or newer in DATABASE_URL."
        )
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    labels = {config.label for config in apps.get_app_configs()}
    unknown = [name for name in manifest.migrations if name not in known and name.partition(".")[0] in labels]
    if unknown:
        raise BackupError(
            f"The backup was made by version {manifest.software} of this software and has the migration "
            f"{unknown[0]}, which this version does not have: install that version or a newer one."
        )


def check_database_is_free() -> None:
    """BackupError if other processes are connected: they would read, and send, what is only there in part.

    Programs that have just been ended leave connections, which go within a moment.
    """
    deadline = time.monotonic() + LEAVING_SECONDS
    while (connected := _list_connections()) and time.monotonic() < deadline:
        time.sleep(0.1)
    if connected:
        named = ", ".join(f"{name}: {number}" for name, number in connected)
        raise BackupError(
            f"{sum(number for _, number in connected)} other connections use this database ({named}). Stop the web "
            "server, the workers and the scheduler, and wait for another `manage.py restore`, if one is under way."
        )


def _list_connections() -> list[tuple[str, int]]:
    """The names of the other programs that are connected, each with the number of its connections."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(LIST_CONNECTIONS)
        return list(cursor.fetchall())


def empty_and_mark_database_unless_begun(manifest: BackupManifest) -> bool:
    """Prepare the database, unless restoring this backup has begun before; whether it has. BackupError if rows in it
    would be lost.
    """
    begun = read_restored_backup_id()
    if begun == manifest.id:
        return True
    # What another backup has left here is in that backup.
    if begun is None:
        _check_nothing_would_be_lost(manifest)
    with transaction.atomic():
        _drop_tables_and_functions()
        mark_as_being_restored(manifest.id)
    return False


def _check_nothing_would_be_lost(manifest: BackupManifest) -> None:
    tables = set(list_tables())
    ours = {*connection.introspection.django_table_names(), "django_migrations", *manifest.rows}
    foreign = sorted(tables - ours)
    if foreign:
        raise BackupError(f"This database has the table {foreign[0]} of another program: {NEW_DATABASE}")
    filled = [(name, number) for name, number in count_rows(sorted(tables - FILLED_BY_MIGRATIONS)).items() if number]
    if filled:
        name, number = max(filled, key=lambda each: each[1])
        raise BackupError(
            f"This database is not empty: {len(filled)} tables have rows, most of them {name} ({number:,}). Nothing "
            f"was changed. {NEW_DATABASE[0].upper()}{NEW_DATABASE[1:]}"
        )


# What partitions inherit goes with that of their table. Checks are part of the tables.
DROP_CONSTRAINTS = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) FROM pg_constraint
WHERE connamespace = current_schema()::regnamespace AND conparentid = 0 AND contype IN ('p', 'u', 'f', 'x')
ORDER BY contype = 'f' DESC, 1
"""
DROP_INDEXES = """
SELECT format('DROP INDEX %s CASCADE', indexrelid::regclass) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT relispartition ORDER BY 1
"""
DROP_STATISTICS = """
SELECT format('DROP STATISTICS %I', stxname) FROM pg_statistic_ext
WHERE stxnamespace = current_schema()::regnamespace ORDER BY 1
"""
DROP_TRIGGERS = """
SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass)
FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal AND tgparentid = 0 ORDER BY 1
"""
NEW_DATABASE = "create a new one (`createdb`), and name it in DATABASE_URL."


def _drop_tables_and_functions() -> None:
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        if tables := list_tables():
            cursor.execute(f"DROP TABLE {', '.join(map(quote, tables))} CASCADE")
        cursor.execute(LIST_FUNCTIONS)
        if functions := [name for (name,) in cursor.fetchall()]:
            cursor.execute(f"DROP FUNCTION {', '.join(functions)} CASCADE")


def drop_indexes_and_keys() -> None:
    """Drop what an earlier try has created after loading the rows: constraints, indexes, statistics, triggers.

    pg_restore's own way (--clean) fails on constraints that partitions inherit.
    """
    with connection.cursor() as cursor:
        for query in (DROP_CONSTRAINTS, DROP_INDEXES, DROP_STATISTICS, DROP_TRIGGERS):
            cursor.execute(query)
            for (statement,) in cursor.fetchall():
                cursor.execute(statement)
