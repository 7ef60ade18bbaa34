"""Metrics of the whole site, read from the database and the broker: all but the disk are the same on every web host.

Names of servers' metrics follow those of Uptime Kuma, the rest is in base units as Prometheus wants it. No label is an
id of an article or an account.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import redis
from django.db import connection
from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Now
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from bcms.health.heartbeats import list_heartbeats
from bcms.health.readiness import QUEUES, get_longest_wait_seconds, measure_free_share_of_disk
from bcms.mail.models import Mail
from bcms.operations.retention import count_all_rows_outside_partitions
from bcms.operations.site_state import list_stuck_batches
from servers.availability.measures.windows import Window
from servers.availability.models import DayTally, Downtime, Figures, Maintenance
from servers.calls.models import Call
from servers.calls.states import OPEN_CALLS, CallState, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState

DOWN, UP, PENDING, IN_MAINTENANCE = range(4)
OUTCOMES = ("answered", "empty", "invalid", "connection", "communication", "no_answer")
# Of the tables that grow with use, the size with indexes and long values, partitions included.
TABLE_SIZES = """
SELECT coalesce(pg_partition_root(oid), oid)::regclass::text, sum(pg_total_relation_size(oid))::bigint FROM pg_class
WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20
"""
DATABASE_FIGURES = """
SELECT pg_database_size(current_database()),
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    current_setting('max_connections')::int
"""


class SiteCollector(Collector):
    """Reads the metrics in a constant number of queries each time it is asked."""

    def collect(self) -> Iterable[Metric]:
        yield from _collect_server_states()
        yield from _collect_server_figures()
        yield _collect_attempts()
        yield _collect_open_calls()
        yield _make_gauge(
            "bcms_longest_wait_seconds",
            "For how long a server with due calls has not been called although it could be",
            get_longest_wait_seconds(),
        )
        yield _make_gauge(
            "bcms_stuck_requests",
            "Requests to servers whose worker is gone",
            list_stuck_batches().count(),
        )
        yield _make_gauge(
            "bcms_temporary_disk_free_ratio",
            "Free share of the disk for temporary files of this host",
            measure_free_share_of_disk(),
        )
        yield _collect_mail()
        yield from _collect_heartbeats()
        yield from _collect_database()


def format_site_metrics() -> bytes:
    """The metrics in Prometheus's text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(SiteCollector())
    return generate_latest(registry)


def _make_gauge(name: str, description: str, value: float) -> Metric:
    gauge = GaugeMetricFamily(name, description)
    gauge.add_metric([], value)
    return gauge


def _collect_server_states() -> Iterator[Metric]:
    states = GaugeMetricFamily(
        "monitor_status",
        "State of a server: 0 down, 1 up, 2 stopped or pending, 3 in maintenance",
        labels=["monitor_name"],
    )
    for slug, status in _list_servers_with_status().values_list("slug", "status"):
        states.add_metric([slug], status)
    yield states


def _list_servers_with_status() -> QuerySet[Any]:
    maintained = Maintenance.objects.filter(server=OuterRef("pk"), starts__lte=Now(), ends__gt=Now())
    down = Downtime.objects.filter(server=OuterRef("pk"), sort=Downtime.Type.DOWN, ended__isnull=True)
    status = Case(
        When(Exists(maintained), then=Value(IN_MAINTENANCE)),
        When(Q(state=ServerState.FAIL) | Q(Exists(down), state=ServerState.ONLINE), then=Value(DOWN)),
        When(state=ServerState.ONLINE, then=Value(UP)),
        default=Value(PENDING),
        output_field=IntegerField(),
    )
    return Server.objects.annotate(status=status).order_by("slug")


def _collect_server_figures() -> Iterator[Metric]:
    uptime = GaugeMetricFamily(
        "monitor_uptime_ratio", "Share of the observed time in which a server was up", labels=["monitor_name", "window"]
    )
    times = GaugeMetricFamily(
        "monitor_response_time_seconds",
        "Median of the response times of a server in 24 hours",
        labels=["monitor_name"],
    )
    for figures in Figures.objects.select_related("server").order_by("server__slug", "window"):
        if figures.observed:
            uptime.add_metric([figures.server.slug, figures.window], 1 - figures.down / figures.observed)
        if figures.p50 is not None and figures.window == Window.DAY:
            times.add_metric([figures.server.slug], figures.p50)
    yield from (uptime, times)


def _collect_attempts() -> Metric:
    attempts = CounterMetricFamily(
        "bcms_attempts_total", "Attempts of calls that ended, of one article each", labels=["server", "outcome"]
    )
    sums = map(Sum, OUTCOMES)
    of_servers = DayTally.objects.values("server__slug").order_by("server__slug")
    for slug, *numbers in of_servers.values_list("server__slug", *sums):
        for outcome, number in zip(OUTCOMES, numbers, strict=True):
            attempts.add_metric([slug, outcome], number)
    return attempts


def _collect_open_calls() -> Metric:
    calls = GaugeMetricFamily("bcms_open_calls", "Calls that have not ended", labels=["mode", "state"])
    rows = Call.objects.filter(state__in=sorted(OPEN_CALLS)).values_list("queue__mode", "state")
    numbers = {(mode, state): number for mode, state, number in rows.annotate(number=Count("pk")).order_by()}
    for mode in QueueMode:
        for state in CallState:
            if state in OPEN_CALLS:
                calls.add_metric([mode, state], numbers.get((mode, state), 0))
    return calls


def _collect_mail() -> Metric:
    mail = GaugeMetricFamily("bcms_mail", "Messages in the outbox", labels=["state"])
    failed = Count("pk", filter=Q(failed__isnull=False))
    for state, number in Mail.objects.aggregate(waiting=Count("pk") - failed, failed=failed).items():
        mail.add_metric([state], number)
    return mail


def _collect_heartbeats() -> Iterator[Metric]:
    seen = GaugeMetricFamily("bcms_heartbeat_age_seconds", "Since a worker or the scheduler wrote", labels=["process"])
    workers = GaugeMetricFamily("bcms_workers", "Workers that are alive", labels=["queue"])
    try:
        heartbeats = list_heartbeats()
    except redis.RedisError:
        yield _make_gauge("bcms_broker_up", "Whether the broker answers", 0)
        return
    yield _make_gauge("bcms_broker_up", "Whether the broker answers", 1)
    for each in heartbeats:
        seen.add_metric([each.name], each.seconds)
    for queue in QUEUES:
        workers.add_metric([queue], sum(each.fresh and queue in each.queues for each in heartbeats))
    yield from (seen, workers)


def _collect_database() -> Iterator[Metric]:
    tables = GaugeMetricFamily("bcms_table_bytes", "Size of a table with its indexes", labels=["table"])
    with connection.cursor() as cursor:
        cursor.execute(DATABASE_FIGURES)
        size, connections, most = cursor.fetchone()
        cursor.execute(TABLE_SIZES)
        for name, table_bytes in cursor.fetchall():
            tables.add_metric([name], table_bytes)
    outside = GaugeMetricFamily(
        "bcms_rows_outside_partitions", "Rows for which no partition was made", labels=["table"]
    )
    for name, number in count_all_rows_outside_partitions().items():
        outside.add_metric([name], number)
    yield _make_gauge("bcms_database_bytes", "Size of the database", size)
    yield _make_gauge("bcms_database_connections", "Open connections to the database's server", connections)
    yield _make_gauge("bcms_database_connections_limit", "Connections that it allows", most)
    yield from (tables, outside)
