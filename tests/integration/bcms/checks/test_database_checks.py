"""What the system checks find in the database: its version, connections, order and clock."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from bcms.checks import database
from bcms.database import base

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[4]


def list_check_ids(check, **options):
    return [message.id for message in check(None, databases=["default"], **options)]


def test_it_finds_nothing_in_the_database_of_the_tests():
    assert list_check_ids(database.check_database_version) == []
    assert list_check_ids(database.check_database_settings) == []


@pytest.fixture
def requiring_a_newer_version(monkeypatch):
    monkeypatch.setattr(base, "OLDEST_VERSION", 99)


def test_it_refuses_a_version_that_is_too_old(requiring_a_newer_version, monkeypatch):
    monkeypatch.setattr(connection, "ensure_connection", connection.check_database_version_supported)

    (error,) = database.check_database_version(None, databases=["default"])

    assert error.id == "bcms.E004"
    assert error.msg.startswith("The database is PostgreSQL ")
    assert error.msg.endswith("but this site needs PostgreSQL 99 or newer: name another one in DATABASE_URL.")


def test_it_ends_a_command_with_one_sentence():
    script = (
        "import runpy, sys; from bcms.database import base; base.OLDEST_VERSION = 99; "
        "sys.argv = ['manage.py', 'migrate']; runpy.run_path('manage.py', run_name='__main__')"
    )
    finished = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)

    assert finished.returncode == 1
    assert "needs PostgreSQL 99 or newer" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_it_counts_the_connections_that_the_site_may_open(settings):
    settings.WEB_SLOTS, settings.ASKING_SLOTS, settings.WORK_SLOTS, settings.SCORING_SLOTS = 16, 200, 2, 1

    assert database.find_connection_shortage(239) == []
    (warning,) = database.find_connection_shortage(238)
    assert warning.id == "bcms.W005"
    assert "WEB_SLOTS 16, ASKING_SLOTS 200, WORK_SLOTS 2, SCORING_SLOTS 1, and 20 others" in warning.msg


def test_it_counts_the_connections_of_a_pooler_instead_of_those_of_web_threads(settings):
    settings.WEB_SLOTS, settings.ASKING_SLOTS, settings.WORK_SLOTS, settings.SCORING_SLOTS = 160, 200, 2, 1
    settings.POOL_SLOTS = 16

    assert database.find_connection_shortage(239) == []
    assert "POOL_SLOTS 16, ASKING_SLOTS 200" in database.find_connection_shortage(238)[0].msg


def test_it_warns_of_too_few_connections(settings):
    settings.ASKING_SLOTS = 100_000

    assert list_check_ids(database.check_database_settings) == ["bcms.W005"]


def test_it_warns_of_the_order_of_a_language(monkeypatch):
    other_order = database.DESCRIBE_DATABASE.replace("'Z' < 'a'", "'a' < 'Z'")
    monkeypatch.setattr(database, "DESCRIBE_DATABASE", other_order)

    assert list_check_ids(database.check_database_settings) == ["bcms.W006"]


@pytest.mark.parametrize("hours", [-1, 1])
def test_it_warns_of_a_clock_that_differs(monkeypatch, hours):
    now = timezone.now
    monkeypatch.setattr(database.timezone, "now", lambda: now() + timedelta(hours=hours))

    (warning,) = database.check_database_settings(None, databases=["default"])

    assert (warning.id, "differ by 3600 s" in warning.msg) == ("bcms.W007", True)
