"""A database of another version is refused in one sentence, before anything in it is changed."""

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db


def test_it_refuses_a_database_with_unknown_migrations():
    MigrationRecorder(connection).record_applied("servers", "0002_of_another_version")
    with pytest.raises(SystemCheckError, match=r"migration servers\.0002_of_another_version") as refused:
        call_command("migrate", verbosity=0, skip_checks=False)
    assert "bcms.E001" in str(refused.value)
    assert "make clean" in str(refused.value)


def test_it_accepts_a_database_of_this_version():
    call_command("check", databases=["default"])


def test_the_models_are_in_the_migrations():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
