"""Backups and databases that the tests of this folder share."""

import pytest

from tests.integration.backup_cast import create_database, run_command, use_database


@pytest.fixture(scope="session")
def empty_site_backup(django_db_setup, django_db_blocker, tmp_path_factory):
    """A backup of a site that has just been migrated."""
    folder = tmp_path_factory.mktemp("backups") / "empty"
    with django_db_blocker.unblock():
        run_command("backup", folder)
    return folder


@pytest.fixture
def new_database(django_db_setup, django_db_blocker):
    """A new database, which this process uses."""
    with django_db_blocker.unblock(), create_database("restored") as name, use_database(name):
        yield name
