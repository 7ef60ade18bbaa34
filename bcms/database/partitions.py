"""Tables whose rows are in partitions by time: which there are, how they are made ahead and how old ones are dropped.

Such a table has a partition for each month or week (UTC), named by its first day; one before them for old rows that
stay (`_kept`); and one for rows of a time for which none was made (`_default`), so that no row is ever refused.

Making and dropping partitions locks the table and those that its foreign keys name, for milliseconds. Who needs them
waits for LOCK_TIMEOUT at most: if others use the tables for longer, we try again, and at last leave it to the next run.
LOCK_TIMEOUT is shorter than PostgreSQL's deadlock_timeout of a second, so that nobody else fails because of us.
DETACH PARTITION CONCURRENTLY would not lock readers out, but refuses tables with a default partition.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from django.db import OperationalError, connection, transaction

LOCK_TIMEOUT = "500ms"
LOCK_NOT_AVAILABLE = "55P03"
TRIES = 5
SECONDS_BETWEEN_TRIES = 1.0
STAYING = "staying_rows"
LIST_PARTITIONS = """
SELECT child.relname, greatest(child.reltuples, 0)::bigint, pg_total_relation_size(child.oid)
FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
WHERE inhparent = %s::regclass ORDER BY child.relname
"""


class PartitionUnit(StrEnum):
    """The time that one partition covers; weeks begin on Monday."""

    WEEK = "week"
    MONTH = "month"

    def get_start(self, moment: datetime) -> datetime:
        """When the week or month of this moment begins, in UTC."""
        day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return day.replace(day=1) if self is PartitionUnit.MONTH else day - timedelta(days=day.weekday())

    def get_end(self, start: datetime) -> datetime:
        """When the week or month that begins at this time ends."""
        return self.get_start(start + timedelta(days=32)) if self is PartitionUnit.MONTH else start + timedelta(days=7)


@dataclass(frozen=True, slots=True)
class PartitionedTable:
    """A table with a column `started`, by which its rows are in partitions.

    ahead: how many partitions are made beyond the current one. referenced: the tables that its foreign keys name, in
    the order in which calls lock them.
    """

    name: str
    unit: PartitionUnit
    ahead: int
    referenced: tuple[str, ...] = ()

    @property
    def kept(self) -> str:
        return f"{self.name}_kept"

    @property
    def default(self) -> str:
        return f"{self.name}_default"

    @property
    def locked(self) -> list[str]:
        """What is locked while partitions are made and dropped, in this order."""
        return [*self.referenced, self.name]


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition for the time from start to before end; rows: an estimate; bytes: with indexes and long values."""

    name: str
    start: datetime
    end: datetime
    rows: int
    bytes: int

    @property
    def last_day(self) -> datetime:
        return self.end - timedelta(days=1)


def list_partitions(table: PartitionedTable) -> list[Partition]:
    """The partitions for months or weeks in order of time: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(LIST_PARTITIONS, [table.name])
        rows = cursor.fetchall()
    return [
        Partition(name, start := _parse_start(name), table.unit.get_end(start), number, size)
        for name, number, size in rows
        if re.fullmatch(rf"{table.name}_\d{{8}}", name)
    ]


class TableInPartitions(Protocol):
    """A table with a partition for rows for which no other one was made."""

    @property
    def name(self) -> str: ...

    @property
    def default(self) -> str: ...


def count_rows_outside_partitions(table: TableInPartitions) -> int:
    """The number of rows for which no partition was made."""
    return execute_statement(f"SELECT count(*) FROM {table.default}")


def create_partitions_ahead(table: PartitionedTable, now: datetime) -> int:
    """Make the partitions that are missing up to `ahead` beyond now, and move the rows there that had none.

    Returns how many were made: fewer than are missing if the table is in use by something long.
    """
    existing = list_partitions(table)
    start = existing[-1].end if existing else table.unit.get_start(now)
    last, number = _get_last_start(table, now), 0
    while start <= last and _create_partition(table, start):
        start, number = table.unit.get_end(start), number + 1
    return number


def _get_last_start(table: PartitionedTable, now: datetime) -> datetime:
    start = table.unit.get_start(now)
    for _ in range(table.ahead):
        start = table.unit.get_end(start)
    return start


def _create_partition(table: PartitionedTable, start: datetime) -> bool:
    """Make the partition that begins at this time; False if the table could not be locked."""
    name, end = f"{table.name}_{start:%Y%m%d}", table.unit.get_end(start)
    moved = f"DELETE FROM {table.default} WHERE started >= %(start)s AND started < %(end)s RETURNING *"

    def create() -> None:
        execute_statement(f"CREATE TABLE {name} (LIKE {table.name} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)")
        execute_statement(f"WITH moved AS ({moved}) INSERT INTO {name} SELECT * FROM moved", start=start, end=end)
        bounds = "FOR VALUES FROM (%(start)s) TO (%(end)s)"
        execute_statement(f"ALTER TABLE {table.name} ATTACH PARTITION {name} {bounds}", start=start, end=end)

    return run_with_tables_locked(table.locked, create)


def drop_partition(table: PartitionedTable, partition: Partition, staying: str) -> int | None:
    """Drop the oldest partition; returns how many rows were deleted, None if the table could not be locked.

    staying: an SQL condition on `stored`, a row; those rows are moved to the kept ones. They are chosen before the
    tables are locked.
    """
    rows = execute_statement(f"SELECT count(*) FROM {partition.name}")
    execute_statement(f"CREATE TEMPORARY TABLE {STAYING} AS SELECT * FROM {partition.name} stored WHERE {staying}")
    try:
        kept = execute_statement(f"SELECT count(*) FROM {STAYING}")
        dropped = run_with_tables_locked(
            table.locked, lambda: _replace_partition(table, partition, moves_rows=kept > 0)
        )
    finally:
        execute_statement(f"DROP TABLE {STAYING}")
    return rows - kept if dropped else None


def _replace_partition(table: PartitionedTable, partition: Partition, *, moves_rows: bool) -> None:
    execute_statement(f"ALTER TABLE {table.name} DETACH PARTITION {partition.name}")
    if moves_rows:
        execute_statement(f"ALTER TABLE {table.name} DETACH PARTITION {table.kept}")
        execute_statement(f"INSERT INTO {table.kept} SELECT * FROM {STAYING}")
        bounds = "FOR VALUES FROM (MINVALUE) TO (%(end)s)"
        execute_statement(f"ALTER TABLE {table.name} ATTACH PARTITION {table.kept} {bounds}", end=partition.end)
    execute_statement(f"DROP TABLE {partition.name}")


def count_unneeded_kept_rows(table: PartitionedTable, before: datetime, staying: str) -> int:
    """The number of kept rows from before this time that need not stay any more."""
    unneeded = f"stored.started < %(before)s AND ({staying}) IS NOT TRUE"
    return execute_statement(f"SELECT count(*) FROM {table.kept} stored WHERE {unneeded}", before=before)


def delete_unneeded_kept_rows(table: PartitionedTable, before: datetime, staying: str, batch: int) -> int:
    """Delete a batch of them; returns how many."""
    chosen = f"SELECT ctid FROM {table.kept} stored WHERE stored.started < %(before)s AND ({staying}) IS NOT TRUE"
    deleted = f"DELETE FROM {table.kept} WHERE ctid = ANY(ARRAY({chosen} LIMIT %(batch)s)) RETURNING 1"
    return execute_statement(f"WITH deleted AS ({deleted}) SELECT count(*) FROM deleted", before=before, batch=batch)


def run_with_tables_locked(names: Sequence[str], change: Callable[[], None]) -> bool:
    """Run the change in a transaction with the locks that it needs; False if others held them for too long."""
    for remaining in reversed(range(TRIES)):
        try:
            with transaction.atomic():
                _lock_tables(names)
                change()
            return True
        except OperationalError as error:
            if getattr(error.__cause__, "pgcode", None) != LOCK_NOT_AVAILABLE:
                raise
        if remaining:
            time.sleep(SECONDS_BETWEEN_TRIES)
    return False


def _lock_tables(names: Sequence[str]) -> None:
    # Foreign keys are checked at the end of a transaction, and a table with checks to come cannot be altered.
    execute_statement("SET CONSTRAINTS ALL IMMEDIATE")
    execute_statement(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
    execute_statement(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")


def _parse_start(name: str) -> datetime:
    return datetime.strptime(name[-8:], "%Y%m%d").replace(tzinfo=UTC)


def execute_statement(statement: str, **values: datetime | int | str) -> int:
    """Run a statement; the number in its only row, 0 if it has none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return int(cursor.fetchone()[0]) if cursor.description else 0
