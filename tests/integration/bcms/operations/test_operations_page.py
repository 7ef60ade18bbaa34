"""The page for those who run the site."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from bcms.health.heartbeats import HEARTBEATS_KEY, connect_to_broker, write_heartbeat
from bcms.mail.models import Mail
from bcms.operations.site_state import list_largest_tables, list_stuck_batches
from servers.availability.models import Figures
from servers.calls.models import Call
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.article_cast import read_page_words
from tests.integration.evaluation_cast import make_server
from tests.integration.server_cast import put_in_flight

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def staff(client, alice):
    type(alice).objects.update(is_staff=True)
    client.force_login(alice)
    return client


@pytest.fixture
def call(server, article):
    """A waiting call of an online server."""
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [article.pk])
    Server.objects.filter(pk=server.pk).update(state="online", state_since=Now() - 2 * HOUR)
    return Call.objects.get()


def read_words(client):
    response = client.get("/operations/")
    assert response.status_code == 200
    return read_page_words(response)


def test_only_administrators_see_it(client, as_alice):
    assert as_alice.get("/operations/").status_code == 403
    client.logout()
    assert client.get("/operations/").status_code == 302


def test_it_shows_processes_and_what_is_missing(staff):
    with connect_to_broker() as broker:
        broker.delete(HEARTBEATS_KEY)
        assert "No process has reported." in read_words(staff)
        for name in ("asking", "work"):
            write_heartbeat(f"{name}@host", [name])
        words = read_words(staff)
        broker.delete(HEARTBEATS_KEY)
    assert re.search(r"asking@host asking \d+ running", words)
    assert "Not everything works: No worker of the queue scoring is running. No scheduler is running." in words


def test_it_is_shown_without_the_broker(staff, settings):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert "Not everything works: The broker cannot be reached." in read_words(staff)


@pytest.mark.parametrize(("free", "is_named"), [(4, True), (6, False)])
def test_it_says_that_the_disk_is_nearly_full(staff, monkeypatch, free, is_named):
    monkeypatch.setattr("bcms.health.readiness.shutil.disk_usage", lambda path: SimpleNamespace(total=100, free=free))
    assert ("The disk for temporary files has less than 5 % of its space left." in read_words(staff)) == is_named


def test_it_shows_what_waits(staff, call):
    Call.objects.update(due=Now() - HOUR)
    words = read_words(staff)
    assert "live 1 0 0" in words
    assert "GeneDict 1 hour" in words
    assert "The calls of a server are more than 15 minutes late, because no worker makes them." in words


def test_it_shows_requests_whose_worker_is_gone(staff, call):
    put_in_flight(call)
    Server.objects.update(lease_until=Now() + HOUR)
    assert not list_stuck_batches().exists()
    Server.objects.update(lease_until=Now() - HOUR)
    assert "GeneDict 1 hour ago" in read_words(staff)
    Call.objects.update(state="pending")
    assert not list_stuck_batches().exists()


def test_it_shows_the_slowest_servers_first(staff, server):
    for name, p95 in (("quick", 0.25), ("slow", 3.5)):
        made = make_server(server.team, name)
        Figures.objects.create(server=made, window="24h", until=timezone.now(), p50=p95 / 2, p95=p95, slowest=9.0)
    words = read_words(staff)
    assert words.index("1.75 3.50 9.00") < words.index("0.13 0.25 9.00")


def test_it_shows_mail_that_was_given_up(staff):
    rows = {"sender": "a@example.org", "subject": "secret subject", "body": "secret body", "error": "550 no such user"}
    Mail.objects.create(recipient="gone@example.org", failed=Now() - HOUR, **rows)
    Mail.objects.create(recipient="waiting@example.org", **rows)
    words = read_words(staff)
    assert "1 mail and 0 webhook messages wait to be sent. 1 mail could not be sent after all retries." in words
    assert "gone@example.org 1 hour ago 550 no such user" in words
    assert "waiting@example.org" not in words and "secret" not in words


def test_it_shows_how_tables_grow(staff):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE a_large_table AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)")
        cursor.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
        largest = list_largest_tables(1000)
        assert "a_large_table" in [table.name for table in largest]
    assert [table.bytes for table in largest] == sorted((table.bytes for table in largest), reverse=True)
    assert "Largest tables" in read_words(staff)


def test_the_number_of_queries_is_constant(staff, call, django_assert_num_queries):
    def count():
        with django_assert_num_queries(30):
            staff.get("/operations/")

    count()
    for number in range(3):
        made = make_server(call.server.team, f"further{number}")
        Figures.objects.create(server=made, window="24h", until=timezone.now(), p50=1.0, p95=2.0, slowest=3.0)
        Mail.objects.create(sender="", recipient="gone@example.org", subject="", body="", failed=Now())
    count()
