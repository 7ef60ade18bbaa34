"""System checks of the database; `manage.py migrate` and `manage.py check --database default` run them."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from bcms.backup.stored_tables import read_restored_backup_id
from bcms.database.base import UnsupportedDatabaseError
from bcms.operations.retention import count_all_rows_outside_partitions
from servers.calls.models import AttemptBody

APPS = frozenset({"annotations", "servers", "evaluation", "bcms"})
# Connections beside those of requests, calls and tasks: heartbeats of leases, commands, backups, people.
OTHER_CONNECTIONS = 20
CLOCK_SECONDS = 2.0
# The second value is true where upper case sorts before lower case, as in C and C.UTF-8.
DESCRIBE_DATABASE = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0),
       'Z' < 'a', clock_timestamp()
"""


@register(Tags.database)
def check_database_version(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a PostgreSQL that is too old."""
    errors: list[CheckMessage] = []
    for alias in databases or ():
        try:
            connections[alias].ensure_connection()
        except UnsupportedDatabaseError as error:
            errors.append(Error(str(error), id="bcms.E004"))
    return errors


@register(Tags.database)
def check_applied_migrations_exist_in_code(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a database with migrations that this version does not have: its tables are not the ones expected here."""
    errors: list[CheckMessage] = []
    for alias in databases or ():
        loader = MigrationLoader(connections[alias], ignore_no_migrations=True)
        applied = (key for key in loader.applied_migrations if key[0] in APPS)
        unknown = sorted(key for key in applied if key not in loader.disk_migrations)
        if unknown:
            first = ".".join(unknown[0])
            errors.append(
                Error(
                    f"The database was made by another version of this software: it has the migration {first}, "
                    "which this version does not have.",
                    hint="Name an empty database in DATABASE_URL and run `manage.py migrate`; "
                    "for the demo, run `make clean` first.",
                    id="bcms.E001",
                )
            )
    return errors


@register(Tags.database)
def check_restoring_has_finished(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a database into which a backup was restored only in part."""
    if not databases or read_restored_backup_id() is None:
        return []
    message = "A backup was restored into this database only in part."
    return [Error(message, hint="Run `manage.py restore` again with the same folder: it continues.", id="bcms.E010")]


@register(Tags.database)
def check_database_settings(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn of too few connections, of an order that depends on a language, and of clocks that differ."""
    warnings: list[CheckMessage] = []
    for alias in databases or ():
        before = timezone.now()
        with connections[alias].cursor() as cursor:
            cursor.execute(DESCRIBE_DATABASE)
            most_connections, has_code_point_order, database_now = cursor.fetchone()
        after = timezone.now()
        # The database has read its clock between the two.
        ahead = (database_now - after).total_seconds()
        behind = (before - database_now).total_seconds()
        warnings += find_connection_shortage(most_connections)
        warnings += find_language_order(has_code_point_order)
        warnings += find_clock_difference(max(ahead, behind))
    return warnings


@register(Tags.database)
def check_partitions(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Warn of rows for which no partition was made: the task that makes them has not run for long."""
    if not databases or AttemptBody._meta.db_table not in connection.introspection.table_names():
        return []
    outside = count_all_rows_outside_partitions()
    return [
        Warning(
            f"{number} rows of {table} are in no partition of their own, so they are not deleted when they are old.",
            hint="Start the scheduler and a worker of the queue work: each hour, they make partitions for such rows.",
            id="bcms.W013",
        )
        for table, number in outside.items()
        if number
    ]


def find_connection_shortage(most_connections: int) -> list[CheckMessage]:
    """Compare what the processes of the site and its pooler may open with what the database accepts."""
    web = "POOL_SLOTS" if settings.POOL_SLOTS else "WEB_SLOTS"
    slots = {name: getattr(settings, name) for name in (web, "ASKING_SLOTS", "WORK_SLOTS", "SCORING_SLOTS")}
    needed = sum(slots.values()) + OTHER_CONNECTIONS
    if needed <= most_connections:
        return []
    listed = ", ".join(f"{name} {number}" for name, number in slots.items())
    return [
        Warning(
            f"The site may open {needed} connections to the database ({listed}, and {OTHER_CONNECTIONS} others), "
            f"which accepts {most_connections}.",
            hint="Raise max_connections of PostgreSQL, or start fewer processes and lower the settings.",
            id="bcms.W005",
        )
    ]


def find_language_order(has_code_point_order: bool) -> list[CheckMessage]:
    if has_code_point_order:
        return []
    return [
        Warning(
            "The database sorts texts by the rules of a language, so lists are in another order than the manual says.",
            hint="Create the database with --locale=C.UTF-8.",
            id="bcms.W006",
        )
    ]


def find_clock_difference(seconds: float) -> list[CheckMessage]:
    if seconds <= CLOCK_SECONDS:
        return []
    return [
        Warning(
            f"The clocks of the database and of this machine differ by {seconds:.0f} s: deadlines and retries are "
            "off by as much.",
            hint="Synchronize both with NTP.",
            id="bcms.W007",
        )
    ]
