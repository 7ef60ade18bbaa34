"""What the operators' page shows: the parts of the site, what waits, what is stuck and what grows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import redis
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from bcms.health.heartbeats import Heartbeat, list_heartbeats
from bcms.health.readiness import OK, explain_fault, probe_readiness
from bcms.mail.models import Mail
from bcms.operations.old_attempts import PlannedDrop, list_planned_drops
from bcms.operations.retention import count_all_rows_outside_partitions, count_due_rows
from servers.availability.measures.windows import Window
from servers.availability.models import Figures
from servers.calls.models import Batch, Call
from servers.calls.queues.wake_ups import list_waiting_servers_by_time
from servers.calls.states import OPEN_CALLS, CallState, QueueMode
from servers.notifications.events import DeliveryState
from servers.notifications.models import Delivery
from servers.registry.models import Server

ROWS = 10
# Partitions are summed up. PostgreSQL counts rows since its statistics were reset or, if they never were, since the
# site was installed.
TABLES = """
WITH counted AS (
    SELECT greatest(
        extract(epoch FROM now() - coalesce(
            (SELECT stats_reset FROM pg_stat_database WHERE datname = current_database()),
            (SELECT min(applied) FROM django_migrations)
        )) / 86400, 1 / 24.0
    ) AS days
)
SELECT relname, bytes, rows, added / days * bytes / greatest(rows, 1) AS bytes_per_day
FROM counted CROSS JOIN (
    SELECT coalesce(pg_partition_root(relid), relid)::regclass::text AS relname,
        sum(pg_total_relation_size(relid))::bigint AS bytes, sum(n_live_tup)::bigint AS rows,
        sum(n_tup_ins - n_tup_del)::bigint AS added
    FROM pg_stat_user_tables WHERE schemaname = current_schema()
    GROUP BY 1
) tables
ORDER BY bytes DESC, relname LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class TableSize:
    """bytes: with indexes and long values; bytes_per_day: by which it grew on average, negative if it shrank."""

    name: str
    bytes: int
    rows: int
    bytes_per_day: float


@dataclass(frozen=True, slots=True)
class QueueRow:
    """The open calls of all queues of a mode by state."""

    mode: QueueMode
    waiting: int
    asking: int
    pending: int


@dataclass(frozen=True, slots=True)
class SiteState:
    """parts: {name: "ok" or a word for what is wrong}; lists have at most ROWS rows, numbers count all."""

    parts: dict[str, str]
    heartbeats: Sequence[Heartbeat]
    queues: Sequence[QueueRow]
    waiting: Sequence[Server]
    slowest: Sequence[Figures]
    stuck: Sequence[Batch]
    failed_mail: Sequence[Mail]
    waiting_mail: int
    failed_mail_count: int
    waiting_deliveries: int
    tables: Sequence[TableSize]
    # {what is deleted within the hour: the number of rows}, without what has none
    due_deletions: dict[str, int]
    planned_drops: Sequence[PlannedDrop]
    # {table: the number of rows for which no partition was made}
    outside_partitions: dict[str, int]
    now: datetime

    @property
    def faults(self) -> list[str]:
        """What does not work, a sentence for each part."""
        return [explain_fault(name, state) for name, state in self.parts.items() if state != OK]


def load_site_state(now: datetime) -> SiteState:
    """The state of the site in a constant number of queries."""
    mail = Mail.objects.aggregate(waiting=Count("pk", filter=Q(failed__isnull=True)), failed=Count("failed"))
    return SiteState(
        parts=probe_readiness(),
        heartbeats=_list_heartbeats_if_reachable(),
        queues=_list_queues(),
        waiting=list(list_waiting_servers_by_time()[:ROWS]),
        slowest=list(_list_slowest_servers()[:ROWS]),
        stuck=list(list_stuck_batches()[:ROWS]),
        failed_mail=list(Mail.objects.filter(failed__isnull=False).order_by("-failed", "-pk")[:ROWS]),
        waiting_mail=mail["waiting"],
        failed_mail_count=mail["failed"],
        waiting_deliveries=Delivery.objects.filter(state=DeliveryState.WAITING).count(),
        tables=list_largest_tables(ROWS),
        due_deletions={name: rows for name, rows in count_due_rows(now).items() if rows},
        planned_drops=list_planned_drops(now),
        outside_partitions={name: rows for name, rows in count_all_rows_outside_partitions().items() if rows},
        now=now,
    )


def _list_heartbeats_if_reachable() -> list[Heartbeat]:
    """None without the broker, which the parts of the site say."""
    try:
        return list_heartbeats()
    except redis.RedisError:
        return []


def _list_queues() -> list[QueueRow]:
    rows = Call.objects.filter(state__in=sorted(OPEN_CALLS)).values_list("queue__mode", "state")
    numbers = {(mode, state): number for mode, state, number in rows.annotate(number=Count("pk")).order_by()}
    return [
        QueueRow(
            mode,
            waiting=numbers.get((mode, CallState.WAITING), 0),
            asking=numbers.get((mode, CallState.ASKING), 0),
            pending=numbers.get((mode, CallState.PENDING), 0),
        )
        for mode in QueueMode
    ]


def _list_slowest_servers() -> QuerySet[Figures]:
    """By the time within which 95 % of the answers of the last day came."""
    measured = Figures.objects.filter(window=Window.DAY, p95__isnull=False)
    return measured.select_related("server").order_by("-p95", "server__slug")


def list_stuck_batches() -> QuerySet[Batch]:
    """Requests in flight whose worker is gone: nobody holds the server's lease and no answer is awaited."""
    pending = Call.objects.filter(batch=OuterRef("pk"), state=CallState.PENDING)
    lost = Batch.objects.filter(~Exists(pending), server__lease_until__lt=Now())
    return lost.select_related("server").order_by("server__lease_until", "pk")


def list_largest_tables(number: int) -> list[TableSize]:
    """The largest tables first, with how fast they grow."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES, [number])
        return [TableSize(name, size, rows, float(growth)) for name, size, rows, growth in cursor.fetchall()]
