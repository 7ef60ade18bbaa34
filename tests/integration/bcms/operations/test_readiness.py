"""Whether the site does its work: `/readyz` and the heartbeats that it judges."""

import json
import shutil
import time
from datetime import timedelta
from types import SimpleNamespace
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db.models.functions import Now

from bcms.health.heartbeats import (
    FRESH_SECONDS,
    HEARTBEATS_KEY,
    KEPT_SECONDS,
    SCHEDULER,
    connect_to_broker,
    list_heartbeats,
    remove_heartbeat,
    write_heartbeat,
)
from bcms.health.readiness import LATE_SECONDS
from bcms.tasks import write_heartbeat_of_scheduler
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.worker_cast import beat, processes, wait_for_condition, worker

READY = {
    **{"database": "ok", "broker": "ok", "disk": "ok", "calls": "ok", "scheduler": "ok"},
    **{f"workers of {queue}": "ok" for queue in ("asking", "scoring", "work")},
}
LONG = timedelta(seconds=LATE_SECONDS + 60)


@pytest.fixture
def heartbeats():
    """All processes of the site are alive, and nothing else has a heartbeat."""
    with connect_to_broker() as broker:
        broker.delete(HEARTBEATS_KEY)
        for name in ("asking", "scoring", "work"):
            write_heartbeat(f"{name}@host", [name])
        write_heartbeat_of_scheduler()
        yield broker
        broker.delete(HEARTBEATS_KEY)


def write_aged_heartbeat(broker, name, seconds, queues=()):
    broker.hset(HEARTBEATS_KEY, name, json.dumps({"at": time.time() - seconds, "queues": list(queues)}))


def read_faults(client):
    response = client.get("/readyz")
    faults = {name: state for name, state in response.json().items() if state != "ok"}
    assert response.status_code == (503 if faults else 200)
    return faults


def test_it_is_ready(client, db, heartbeats):
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, READY)
    assert "no-store" in response["Cache-Control"]


def test_it_misses_the_workers_of_a_queue_and_the_scheduler(client, db, heartbeats):
    write_aged_heartbeat(heartbeats, "work@host", FRESH_SECONDS + 1, ["work"])
    remove_heartbeat(SCHEDULER)
    assert read_faults(client) == {"workers of work": "missing", "scheduler": "missing"}
    write_heartbeat("another@host", ["work", "scoring"])
    assert read_faults(client) == {"scheduler": "missing"}


def test_dead_processes_are_listed_for_a_day(heartbeats):
    write_aged_heartbeat(heartbeats, "dead@host", KEPT_SECONDS - 60)
    write_aged_heartbeat(heartbeats, "forgotten@host", KEPT_SECONDS + 60)
    assert [each.name for each in list_heartbeats() if not each.fresh] == ["dead@host"]
    assert not heartbeats.hexists(HEARTBEATS_KEY, "forgotten@host")


def test_it_says_that_the_broker_is_away(client, db, settings):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    assert read_faults(client) == {"broker": "unreachable"}


def test_it_says_that_the_disk_is_full(client, db, heartbeats, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(total=100, free=4))
    assert read_faults(client) == {"disk": "full"}


@pytest.fixture
def queue(server, article):
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [article.pk])
    Server.objects.filter(pk=server.pk).update(state="online", state_since=Now() - LONG, lease_until=None)
    return queue


def test_a_server_that_nobody_calls_is_late(client, queue, heartbeats):
    assert read_faults(client) == {}
    Call.objects.update(due=Now() - LONG)
    assert read_faults(client) == {"calls": "late"}
    Server.objects.update(lease_until=Now() + timedelta(seconds=20))
    assert read_faults(client) == {}


def test_a_server_is_not_late_that_was_called_or_started_lately_or_rests(client, queue, heartbeats):
    Call.objects.update(due=Now() - LONG)
    attempt = Attempt.objects.create(call=Call.objects.get(), server=queue.server, number=1)
    assert read_faults(client) == {}
    attempt.delete()
    Server.objects.update(state_since=Now())
    assert read_faults(client) == {}
    Server.objects.update(state_since=Now() - LONG)
    Queue.objects.update(state="resting", rest_until=Now() + LONG)
    assert read_faults(client) == {}


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_workers_and_scheduler_write_heartbeats_until_they_end(tmp_path, settings):
    settings.REDIS_URL = urlunsplit(urlsplit(settings.REDIS_URL)._replace(path="/9"))
    with processes(tmp_path) as start, connect_to_broker() as broker:
        broker.delete(HEARTBEATS_KEY)
        told = worker(start, "told")
        beat(start, tmp_path)
        wait_for_condition(lambda: len(list_heartbeats()) == 2, 120, "the worker and the scheduler have written")
        written = {each.name: each.queues for each in list_heartbeats()}
        assert written == {"told@test": ("asking", "work"), SCHEDULER: ()}
        told.terminate()
        told.wait(45)
        assert [each.name for each in list_heartbeats()] == [SCHEDULER]
        broker.delete(HEARTBEATS_KEY)
