"""Which attempts and which of their requests and answers are old, and which of these stay.

They are in partitions by time (bcms/database/partitions.py). A partition is dropped when all of it is old; rows that
must stay are moved to the kept ones before. They stay because something that is shown for longer is read from them:
everything else is counted in roll-ups, or stored with results. Kept rows are deleted when their reason is gone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from bcms.database.partitions import (
    Partition,
    PartitionedTable,
    PartitionUnit,
    count_unneeded_kept_rows,
    delete_unneeded_kept_rows,
    drop_partition,
    list_partitions,
)
from servers.availability.rollups import roll_up_attempts_and_delete_old_hours
from servers.calls.queries import RECENT_ATTEMPTS

BATCH = 1000
# The queues of challenges that are not archived.
OPEN_CHALLENGE_QUEUES = """
SELECT queue.id FROM servers_queue queue WHERE queue.mode <> 'live' AND NOT EXISTS (
    SELECT FROM evaluation_run run
    JOIN evaluation_phase phase ON phase.id = run.phase_id
    JOIN evaluation_challenge challenge ON challenge.id = phase.challenge_id
    WHERE run.producer_id = queue.producer_id AND challenge.state = 'archived'
)
"""
# Attempts of calls that are open or failed are counted for retries and shown with the article; those that broke rules
# are shown with the results; the latest ones are on the page of their server. Of archived challenges, the failed ones
# are counted in the matrix.
STAYING_ATTEMPTS = f"""
EXISTS (
    SELECT FROM servers_call call JOIN servers_queue queue ON queue.id = call.queue_id
    WHERE call.id = stored.call_id AND (
        call.state NOT IN ('answered', 'empty')
        OR queue.mode <> 'live' AND stored.outcome NOT IN ('answered', 'empty')
        OR queue.id IN ({OPEN_CHALLENGE_QUEUES})
        OR stored.broken_rules <> '[]' AND EXISTS (SELECT FROM annotations_result WHERE call = stored.call_id)
    )
) OR stored.id IN (
    SELECT latest.id FROM servers_server server CROSS JOIN LATERAL (
        SELECT id FROM servers_attempt WHERE server_id = server.id ORDER BY id DESC LIMIT {RECENT_ATTEMPTS}
    ) latest
)
"""
STAYING_BODIES = f"""
EXISTS (
    SELECT FROM servers_attempt attempt JOIN servers_call call ON call.id = attempt.call_id
    WHERE attempt.id = stored.attempt_id AND attempt.started = stored.started
        AND call.queue_id IN ({OPEN_CHALLENGE_QUEUES})
)
"""


@dataclass(frozen=True, slots=True)
class PartitionRetention:
    """What is dropped by partition: its name, its table, for how many days it is kept (0: for ever), and what stays."""

    name: str
    table: PartitionedTable
    get_days: Callable[[], int]
    staying: str

    def get_oldest_kept_time(self, now: datetime) -> datetime | None:
        """Rows from before this time are old; None if none ever is."""
        return now - timedelta(days=self.get_days()) if self.get_days() else None


@dataclass(frozen=True, slots=True)
class PlannedDrop:
    """A partition that will be dropped, and when."""

    name: str
    partition: Partition
    due: datetime


def get_body_days() -> int:
    """For how many days requests and answers are kept, never for longer than their attempts; 0 for ever."""
    limits = [days for days in (settings.BODY_DAYS, settings.ATTEMPT_DAYS) if days]
    return min(limits, default=0)


BODIES = PartitionRetention(
    "requests and answers of attempts",
    PartitionedTable("servers_attemptbody", PartitionUnit.WEEK, ahead=8),
    get_body_days,
    STAYING_BODIES,
)
ATTEMPTS = PartitionRetention(
    "attempts",
    PartitionedTable("servers_attempt", PartitionUnit.MONTH, ahead=3, referenced=("servers_server", "servers_call")),
    lambda: settings.ATTEMPT_DAYS,
    STAYING_ATTEMPTS,
)
# Bodies go first: which of them stay is read from the attempts.
PARTITION_RETENTIONS = (BODIES, ATTEMPTS)


def list_due_partitions(retention: PartitionRetention, now: datetime) -> list[Partition]:
    """The partitions all of whose rows are old, oldest first."""
    oldest = retention.get_oldest_kept_time(now)
    return [] if oldest is None else [each for each in list_partitions(retention.table) if each.end <= oldest]


def list_planned_drops(now: datetime) -> list[PlannedDrop]:
    """Of each table the partitions that are due or, if none is, the next one with the time at which it will be."""
    return [drop for retention in PARTITION_RETENTIONS for drop in _iterate_planned_drops(retention, now)]


def _iterate_planned_drops(retention: PartitionRetention, now: datetime) -> Iterable[PlannedDrop]:
    days = retention.get_days()
    planned = [
        PlannedDrop(retention.name, each, each.end + timedelta(days=days)) for each in list_partitions(retention.table)
    ]
    if not days:
        return []
    return [drop for drop in planned if drop.due <= now] or planned[:1]


def drop_old_partitions(retention: PartitionRetention, now: datetime) -> int:
    """Drop all partitions that are old; returns how many rows were deleted."""
    due = list_due_partitions(retention, now)
    if due and retention is ATTEMPTS:
        roll_up_attempts_and_delete_old_hours(now)
    total = 0
    for partition in due:
        deleted = drop_partition(retention.table, partition, retention.staying)
        if deleted is None:
            break
        total += deleted
    return total


def count_unneeded_rows(retention: PartitionRetention, now: datetime) -> int:
    """The number of old rows that were kept when their partitions were dropped, and need not stay any more."""
    oldest = retention.get_oldest_kept_time(now)
    return 0 if oldest is None else count_unneeded_kept_rows(retention.table, oldest, retention.staying)


def delete_batch_of_unneeded_rows(retention: PartitionRetention, now: datetime) -> int:
    """Delete a batch of them; returns its size."""
    oldest = retention.get_oldest_kept_time(now)
    return 0 if oldest is None else delete_unneeded_kept_rows(retention.table, oldest, retention.staying, BATCH)
