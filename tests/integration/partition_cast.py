"""Attempts of the past, in the partitions that were made for them then."""

from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from bcms.database import partitions
from bcms.database.partitions import PartitionedTable, list_partitions
from bcms.operations.old_attempts import ATTEMPTS, BODIES
from servers.calls.models import Attempt, AttemptBody, Call


def make_past_partitions(table: PartitionedTable, first: datetime) -> None:
    """Partitions from the one with this time up to those that exist, as if the site had run since then."""
    start, end = table.unit.get_start(first), list_partitions(table)[0].start
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(f"ALTER TABLE {table.name} DETACH PARTITION {table.kept}")
        bounds = "FOR VALUES FROM (MINVALUE) TO (%s)"
        cursor.execute(f"ALTER TABLE {table.name} ATTACH PARTITION {table.kept} {bounds}", [start])
    while start < end:
        assert partitions._create_partition(table, start)
        start = table.unit.get_end(start)


def make_past_partitions_of_attempts(now: datetime, *, months: int = 14, weeks: int = 7) -> None:
    make_past_partitions(ATTEMPTS.table, now - timedelta(days=30 * months))
    make_past_partitions(BODIES.table, now - timedelta(days=7 * weeks))


def make_attempt(call: Call, days: int, outcome: str = "answered", **fields: object) -> Attempt:
    """An attempt of so many days ago, with its body."""
    started = timezone.now() - timedelta(days=days)
    attempt = Attempt.objects.create(
        **{"call": call, "server": call.server, "number": 1, "started": started, "outcome": outcome},
        **{"finished": started + timedelta(seconds=2), "phases": {"wait": 0.5}, **fields},
    )
    AttemptBody.objects.create(attempt=attempt, started=started, request=b"sent", answer=b"received")
    return attempt


def read_partition_names(table: PartitionedTable) -> list[str]:
    return [each.name for each in list_partitions(table)]


def read_attempt_partition(attempt: Attempt) -> str:
    """The name of the partition that has the attempt."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text FROM servers_attempt WHERE id = %s", [attempt.pk])
        return cursor.fetchone()[0]
