"""Fixtures that the tests of this folder share."""

import json
import time

import pytest
from django.utils import timezone

from bcms.health.heartbeats import HEARTBEATS_KEY, SCHEDULER, connect_to_broker
from bcms.health.readiness import QUEUES
from evaluation.challenges.setup import creation
from tests.integration.backup_cast import create_database, use_database
from tests.integration.evaluation_cast import make_corpus, make_server
from tests.migrated_database import create_migrated_database


@pytest.fixture
def site_at_work():
    """Heartbeats of all processes, which stay fresh for an hour: /readyz answers 200."""
    beats = {f"{queue}@host": [queue] for queue in QUEUES} | {SCHEDULER: []}
    with connect_to_broker() as broker:
        for name, queues in beats.items():
            broker.hset(HEARTBEATS_KEY, name, json.dumps({"at": time.time() + 3600, "queues": queues}))
        yield
        broker.delete(HEARTBEATS_KEY)


@pytest.fixture
def stopped_clock(monkeypatch):
    """A clock that stands still, for tests that read pages twice: charts of "hours before now" move by the minute."""
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    return now


@pytest.fixture
def own_database(django_db_setup, django_db_blocker, shared_folder):
    """A migrated database that this process uses for one test, which may leave it at any migration: a table from which
    a column was once removed is never quite like a new one.
    """
    with django_db_blocker.unblock(), create_database("own") as name:
        create_migrated_database(name, shared_folder)
        with use_database(name):
            yield


@pytest.fixture
def training(challenge):
    """The training phase of the challenge."""
    return challenge.phases.get(sort="training")


@pytest.fixture
def reader(team):
    """A second server of the team."""
    return make_server(team, "reader")


@pytest.fixture
def testing(challenge):
    """A test phase over a blind corpus."""
    return creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
