"""The tables of the database, their rows, and the marker of a database that is being restored."""

from collections.abc import Iterable

from django.db import connection

# Tables whose rows are not in backups: who logged out since would be logged in again, and pasted texts are promised to
# be deleted after a day.
LEFT_OUT = ("django_session", "servers_pastedtext", "servers_pastedtextcall")
LIST_TABLES = """
SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace ORDER BY 1
"""
# A partitioned table has its rows in its partitions.
LIST_TABLES_WITH_ROWS = """
SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1
"""
MARKER_SCHEMA = "bcms_restore"


def list_tables() -> list[str]:
    """All tables, without partitions of others."""
    return _list_stored_names(LIST_TABLES)


def list_tables_with_rows() -> list[str]:
    """The tables and partitions that have rows themselves."""
    return _list_stored_names(LIST_TABLES_WITH_ROWS)


def _list_stored_names(query: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [name for (name,) in cursor.fetchall()]


def count_rows(tables: Iterable[str]) -> dict[str, int]:
    """The exact number of rows of each table."""
    rows = {}
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
            rows[table] = cursor.fetchone()[0]
    return rows


def get_server_version() -> int:
    """The major version of PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int / 10000")
        return int(cursor.fetchone()[0])


def read_restored_backup_id() -> str | None:
    """The id of the backup that is being restored into this database, or was when restoring broke off; else None."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass(%s)", [f"{MARKER_SCHEMA}.backup"])
        if cursor.fetchone()[0] is None:
            return None
        cursor.execute(f"SELECT id FROM {MARKER_SCHEMA}.backup")
        return str(cursor.fetchone()[0])


def mark_as_being_restored(backup_id: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA IF EXISTS {MARKER_SCHEMA} CASCADE; CREATE SCHEMA {MARKER_SCHEMA}")
        cursor.execute(f"CREATE TABLE {MARKER_SCHEMA}.backup AS SELECT %s::text AS id", [backup_id])


def unmark_restored_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA {MARKER_SCHEMA} CASCADE")
