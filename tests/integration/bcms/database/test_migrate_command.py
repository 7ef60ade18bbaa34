"""`manage.py migrate` does not hold up others who use the tables."""

from types import SimpleNamespace

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.core.management.commands import migrate as django_migrate
from django.db import OperationalError, connection, transaction

from bcms.management.commands import migrate
from tests.module_time import replace_time

LOCKED = "auth_group"


@pytest.fixture
def reader():
    """Another connection that reads a table in a transaction."""
    other = psycopg2.connect(**connection.get_connection_params())
    with other.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {LOCKED}")
    yield other
    other.close()


@pytest.fixture
def runs(monkeypatch):
    """The lock_timeout of each run of a migration that needs the table for itself."""
    seen = []

    def run(command, *args, **options):
        command.verbosity, command.style = 1, SimpleNamespace(SUCCESS=str)
        with transaction.atomic(), connection.cursor() as cursor:
            command.migration_progress_callback("apply_start", SimpleNamespace(atomic=True), False)
            cursor.execute("SHOW lock_timeout")
            seen.extend(cursor.fetchone())
            cursor.execute(f"LOCK TABLE {LOCKED} IN ACCESS EXCLUSIVE MODE")
        command.migration_progress_callback("apply_success", SimpleNamespace(atomic=True), False)

    monkeypatch.setattr(django_migrate.Command, "handle", run)
    return seen


@pytest.mark.django_db
def test_it_tries_again_until_others_have_left_the_table(reader, runs, monkeypatch, capsys):
    replace_time(monkeypatch, migrate, sleep=lambda _: reader.rollback())
    call_command("migrate")

    assert runs == ["500ms", "500ms"]
    out = capsys.readouterr().out
    assert "others use its tables; trying again" in out
    assert out.rstrip().endswith("OK")


@pytest.mark.django_db
def test_it_says_when_others_do_not_leave(reader, runs, monkeypatch):
    replace_time(monkeypatch, migrate, sleep=lambda _: None)
    monkeypatch.setattr(migrate, "TRIES", 2)

    with pytest.raises(CommandError, match="Run the command again"):
        call_command("migrate")
    assert len(runs) == 2


@pytest.mark.django_db
def test_other_errors_end_it(monkeypatch):
    def fail(*args, **options):
        raise OperationalError("no space")

    monkeypatch.setattr(django_migrate.Command, "handle", fail)
    with pytest.raises(OperationalError, match="no space"):
        call_command("migrate")


@pytest.mark.django_db
def test_outside_of_a_transaction_it_waits():
    command = migrate.Command()
    command.database, command.verbosity = "default", 0
    command.migration_progress_callback("apply_start", SimpleNamespace(atomic=False), False)

    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
