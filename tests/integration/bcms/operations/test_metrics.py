"""`/metrics`: what Prometheus reads, and who may."""

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from datetime import timedelta
from ipaddress import ip_network
from types import SimpleNamespace

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from bcms.health.heartbeats import HEARTBEATS_KEY, connect_to_broker, write_heartbeat
from bcms.local.ports import pick_free_ports
from bcms.local.process_commands import build_gunicorn_arguments
from bcms.mail.models import Mail
from bcms.metrics.site import DOWN, IN_MAINTENANCE, PENDING, UP
from servers.availability.models import DayTally, Downtime, Figures, Maintenance
from servers.calls.models import Call
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import make_server
from tests.integration.server_cast import put_in_flight
from tests.integration.worker_cast import ROOT, wait_for_condition, worker_environment

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def network(settings):
    settings.METRICS_NETWORKS = [ip_network(each) for each in ("127.0.0.0/8", "::1/128")]


def parse_metrics(text):
    """{(name, labels as a sorted tuple): value}"""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read_metrics(client):
    response = client.get("/metrics")
    assert response.status_code == 200 and response["Content-Type"].startswith("text/plain; version=")
    return parse_metrics(response.content.decode())


def get_metric(metrics, name, **labels):
    return metrics.get((name, tuple(sorted(labels.items()))))


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("::ffff:127.0.0.1", {}, 200),
        ("192.0.2.7", {}, 404),
        ("::ffff:192.0.2.7", {}, 404),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 404),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, 404),
        ("", {}, 404),
    ],
)
def test_only_the_operators_network_reads_them(client, address, headers, status):
    assert client.get("/metrics", headers=headers, REMOTE_ADDR=address).status_code == status


@pytest.fixture
def server_states(server):
    """The servers with the names of their states."""
    names = {"up": UP, "stopped": PENDING, "failed": DOWN, "unreachable": DOWN, "maintained": IN_MAINTENANCE}
    made = {name: make_server(server.team, name) for name in names}
    online = [made[name].pk for name in ("up", "unreachable", "maintained")]
    Server.objects.filter(pk__in=online).update(state="online")
    Server.objects.filter(pk=made["stopped"].pk).update(state="offline")
    Server.objects.filter(pk=made["failed"].pk).update(state="fail")
    Downtime.objects.create(server=made["unreachable"], sort="down", started=Now())
    hour = timedelta(hours=1)
    Maintenance.objects.create(server=made["maintained"], starts=Now() - hour, ends=Now() + hour)
    return {made[name].slug: status for name, status in names.items()}


def test_they_have_the_state_of_each_server(client, server_states):
    metrics = read_metrics(client)
    assert {slug: get_metric(metrics, "monitor_status", monitor_name=slug) for slug in server_states} == server_states


def test_they_have_the_figures_of_each_server(client, server):
    now = timezone.now()
    Figures.objects.create(server=server, window="24h", until=now, observed=100.0, down=25.0, p50=0.5)
    Figures.objects.create(server=server, window="7d", until=now, observed=0.0, p50=0.7)
    for days, answered in ((0, 3), (1, 4)):
        DayTally.objects.create(server=server, begins=now - timedelta(days=days), answered=answered, no_answer=1)
    metrics, name = read_metrics(client), server.slug
    assert get_metric(metrics, "monitor_uptime_ratio", monitor_name=name, window="24h") == 0.75
    assert get_metric(metrics, "monitor_uptime_ratio", monitor_name=name, window="7d") is None
    assert get_metric(metrics, "monitor_response_time_seconds", monitor_name=name) == 0.5
    assert get_metric(metrics, "bcms_attempts_total", server=name, outcome="answered") == 7
    assert get_metric(metrics, "bcms_attempts_total", server=name, outcome="no_answer") == 2


def test_they_have_what_waits_and_what_is_alive(client, server, article):
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [article.pk])
    for failed in (None, Now()):
        Mail.objects.create(sender="a@example.org", recipient="b@example.org", subject="", body="", failed=failed)
    with connect_to_broker() as broker:
        broker.delete(HEARTBEATS_KEY)
        write_heartbeat("one@host", ["asking", "work"])
        metrics = read_metrics(client)
        broker.delete(HEARTBEATS_KEY)
    assert get_metric(metrics, "bcms_open_calls", mode="live", state="waiting") == 1
    assert get_metric(metrics, "bcms_open_calls", mode="test", state="asking") == 0
    assert [get_metric(metrics, "bcms_mail", state=state) for state in ("waiting", "failed")] == [1, 1]
    assert [get_metric(metrics, "bcms_workers", queue=queue) for queue in ("asking", "scoring")] == [1, 0]
    assert get_metric(metrics, "bcms_heartbeat_age_seconds", process="one@host") < 60
    assert get_metric(metrics, "bcms_broker_up") == 1
    assert get_metric(metrics, "bcms_longest_wait_seconds") == 0
    assert (
        get_metric(metrics, "bcms_database_bytes") > get_metric(metrics, "bcms_table_bytes", table="servers_call") > 0
    )
    assert 0 < get_metric(metrics, "bcms_database_connections") < get_metric(metrics, "bcms_database_connections_limit")


def test_they_have_what_is_stuck_and_the_free_share_of_the_disk(client, server, article, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(total=100, free=4))
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [article.pk])
    put_in_flight(Call.objects.get())
    for lease_until, stuck in ((Now() + timedelta(minutes=1), 0), (Now() - timedelta(minutes=1), 1)):
        Server.objects.filter(pk=server.pk).update(lease_until=lease_until)
        assert get_metric(read_metrics(client), "bcms_stuck_requests") == stuck
    assert get_metric(read_metrics(client), "bcms_temporary_disk_free_ratio") == 0.04


def test_they_say_that_the_broker_is_away(client, settings):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert get_metric(read_metrics(client), "bcms_broker_up") == 0


def test_the_number_of_queries_does_not_depend_on_the_servers(client, server, django_assert_num_queries):
    with django_assert_num_queries(12):
        client.get("/metrics")
    for number in range(3):
        make_server(server.team, f"further{number}")
    with django_assert_num_queries(12):
        client.get("/metrics")


def test_requests_are_counted_by_labels_that_no_client_can_choose(client):
    def count(**labels):
        return get_metric(read_metrics(client), "bcms_http_requests_total", **labels) or 0

    names = [
        {"method": "GET", "route": "manual", "status": "200"},
        {"method": "GET", "route": "server", "status": "404"},
        {"method": "other", "route": "other", "status": "404"},
    ]
    before = [count(**labels) for labels in names]
    client.get("/manual/")
    for slug in ("one", "two"):
        client.get(f"/servers/{slug}/")
    client.generic("BREW", "/no/such/page")
    assert [count(**labels) for labels in names] == [
        number + more for number, more in zip(before, (1, 2, 1), strict=True)
    ]
    assert not [name for name, labels in read_metrics(client) if "BREW" in str(labels)]


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_processes_of_a_web_server_add_up(tmp_path):
    (port,) = pick_free_ports(1)
    environment = {**worker_environment(), "TMPDIR": str(tmp_path), "METRICS_NETWORKS": "127.0.0.0/8"}
    command = [sys.executable, *build_gunicorn_arguments(port)]
    site = f"http://127.0.0.1:{port}"

    def count_home_pages():
        with urllib.request.urlopen(f"{site}/metrics", timeout=30) as reply:
            metrics = parse_metrics(reply.read().decode())
        return get_metric(metrics, "bcms_http_requests_total", method="GET", route="manual", status="200") or 0

    def get_child_pids():
        return re.findall(
            r"\d+", subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout
        )

    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            wait_for_condition(lambda: is_answering(f"{site}/healthz"), 60, "the web server answers")
            for _ in range(20):
                urllib.request.urlopen(f"{site}/manual/", timeout=30).close()
            # Whichever of the two processes answers, it knows what both have counted.
            assert [count_home_pages() for _ in range(6)] == [20] * 6
            first = get_child_pids()[0]
            os.kill(int(first), 9)
            wait_for_condition(
                lambda: first not in get_child_pids() and len(get_child_pids()) == 2, 60, "it is replaced"
            )
            assert count_home_pages() == 20
        finally:
            process.terminate()
            process.wait(30)
    assert list(tmp_path.glob("bcms-metrics-*")) == []


def is_answering(url):
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except OSError:
        return False
    return True
