"""Partitions by time: made ahead, rows outside of them, and what happens while others use the tables."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from itertools import pairwise

import psycopg2
import pytest
from django.core.checks import run_checks
from django.db import connection
from django.test import Client
from django.utils import timezone

from bcms.database import partitions
from bcms.database.partitions import (
    PartitionUnit,
    count_rows_outside_partitions,
    create_partitions_ahead,
    drop_partition,
    list_partitions,
)
from bcms.operations.old_attempts import ATTEMPTS, BODIES
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from tests.integration.partition_cast import make_attempt, read_attempt_partition, read_partition_names

TABLES = [ATTEMPTS.table, BODIES.table]


@pytest.mark.parametrize(
    ("unit", "moment", "start", "end"),
    [
        ("month", (2026, 1, 31, 23), (2026, 1, 1), (2026, 2, 1)),
        ("month", (2026, 12, 1, 0), (2026, 12, 1), (2027, 1, 1)),
        ("week", (2027, 1, 3, 23), (2026, 12, 28), (2027, 1, 4)),
        ("week", (2026, 11, 30, 0), (2026, 11, 30), (2026, 12, 7)),
    ],
)
def test_months_and_weeks_begin_at_midnight(unit, moment, start, end):
    start, end = (datetime(*day, tzinfo=UTC) for day in (start, end))
    assert PartitionUnit(unit).get_start(datetime(*moment, tzinfo=UTC)) == start
    assert PartitionUnit(unit).get_end(start) == end


@pytest.mark.django_db
@pytest.mark.parametrize("table", TABLES)
def test_partitions_are_made_ahead_without_a_gap(table):
    later = timezone.now() + timedelta(days=200)
    made = create_partitions_ahead(table, later)
    existing = list_partitions(table)
    assert made > 0 and create_partitions_ahead(table, later) == 0
    assert all(each.end == following.start for each, following in pairwise(existing))
    assert existing[-1 - table.ahead].start <= later < existing[-1 - table.ahead].end


@pytest.fixture
def call(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    return Call.objects.select_related("server").get()


@pytest.mark.django_db
def test_a_row_without_a_partition_is_stored_and_reported_and_moved_to_its_partition(call, settings):
    settings.METRICS_NETWORKS = [ip_network("127.0.0.0/8")]
    far = make_attempt(call, -200)
    assert read_attempt_partition(far) == ATTEMPTS.table.default
    assert [each.id for each in run_checks(databases=["default"])].count("bcms.W013") == 2
    shown = Client().get("/metrics", REMOTE_ADDR="127.0.0.1").content.decode()
    assert 'bcms_rows_outside_partitions{table="servers_attempt"} 1.0' in shown
    for table in TABLES:
        create_partitions_ahead(table, far.started)
        assert count_rows_outside_partitions(table) == 0
    assert read_attempt_partition(far) == f"servers_attempt_{far.started:%Y%m}01"
    assert bytes(Attempt.objects.get(pk=far.pk).body.request) == b"sent"
    assert not [each for each in run_checks(databases=["default"]) if each.id == "bcms.W013"]


@pytest.mark.django_db(transaction=True)
def test_who_uses_the_tables_for_long_keeps_a_partition_from_being_dropped_and_nobody_else_waits(monkeypatch):
    monkeypatch.setattr(partitions, "TRIES", 2)
    monkeypatch.setattr(partitions, "SECONDS_BETWEEN_TRIES", 0)
    monkeypatch.setattr(partitions, "LOCK_TIMEOUT", "50ms")
    table, last = ATTEMPTS.table, list_partitions(ATTEMPTS.table)[-1]
    create_partitions_ahead(table, last.start)
    before, extra = read_partition_names(table), list_partitions(table)[-1]
    reader = psycopg2.connect(**connection.get_connection_params())
    try:
        reader.cursor().execute("SELECT count(*) FROM servers_call")
        assert create_partitions_ahead(table, extra.end) == 0
        assert drop_partition(table, extra, "false") is None
        assert read_partition_names(table) == before
    finally:
        reader.close()
    for each in list_partitions(table):
        if each.start > last.start:
            assert drop_partition(table, each, "false") == 0
    assert read_partition_names(table)[-1] == last.name
