"""Tables whose rows are in partitions by the id of what they belong to: the newest rows are in the last ones.

A partition is for so many ids: a small site has one, and what indexes or vacuums a large one takes it part by part.
None is dropped. One more (`_default`) is for ids for which none was made, so that no row is ever refused. See
bcms/database/partitions.py for the locks.
"""

from dataclasses import dataclass

from django.db import connection

from bcms.database.partitions import execute_statement, run_with_tables_locked

READ_LAST_END = """
SELECT max(substring(pg_get_expr(relpartbound, child.oid) FROM 'TO \\(''(\\d+)''\\)')::bigint)
FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = %(table)s::regclass
"""
READ_LAST_ID = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(%(table)s, 'id')), 0)"
# Autovacuum looks after partitions and not after the whole, of which the planner wants to know how many rows there are.
HAS_GROWN = """
SELECT (rows > greatest(reltuples, 0) * 1.2 + 1000)::int FROM pg_class, (
    SELECT coalesce(sum(n_live_tup), 0) AS rows FROM pg_inherits JOIN pg_stat_all_tables ON relid = inhrelid
    WHERE inhparent = %(table)s::regclass
) AS counted WHERE oid = %(table)s::regclass
"""


@dataclass(frozen=True, slots=True)
class NumberedTable:
    """A table in partitions by its column with ids of another table; size: how many ids a partition is for.

    statistics: {name: expression} of which PostgreSQL keeps statistics in each partition.
    """

    name: str
    column: str
    owner: str
    size: int
    statistics: dict[str, str]

    @property
    def default(self) -> str:
        return f"{self.name}_default"


def create_numbered_partitions_ahead(table: NumberedTable) -> int:
    """Make partitions until a whole one is free, and move the rows there that had none.

    Returns how many were made: fewer than are missing if the table is in use by something long.
    """
    last_id, number = execute_statement(READ_LAST_ID, table=table.owner), 0
    while (start := execute_statement(READ_LAST_END, table=table.name)) < last_id + table.size:
        if not _create_numbered_partition(table, start):
            break
        number += 1
    return number


def _create_numbered_partition(table: NumberedTable, start: int) -> bool:
    """Make the partition that begins with this id; False if the tables could not be locked."""
    name, end = f"{table.name}_{start // table.size}", start + table.size
    moved = f"DELETE FROM {table.default} WHERE {table.column} >= {start} AND {table.column} < {end} RETURNING *"

    def create() -> None:
        execute_statement(f"CREATE TABLE {name} (LIKE {table.name} INCLUDING CONSTRAINTS)")
        execute_statement(f"WITH moved AS ({moved}) INSERT INTO {name} SELECT * FROM moved")
        execute_statement(f"ALTER TABLE {table.name} ATTACH PARTITION {name} FOR VALUES FROM ({start}) TO ({end})")
        for statistics, expression in table.statistics.items():
            execute_statement(f"CREATE STATISTICS {statistics}_{start // table.size} ON {expression} FROM {name}")

    return run_with_tables_locked([table.owner, table.name], create)


def analyze_if_grown(name: str) -> bool:
    """Analyze a table as a whole if its partitions have a fifth more rows than last time; returns whether it did."""
    if not execute_statement(HAS_GROWN, table=name):
        return False
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {name}")
    return True
