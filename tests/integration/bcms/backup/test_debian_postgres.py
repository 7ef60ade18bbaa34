"""The oldest PostgreSQL that the site supports: backups of it can be restored there and in newer ones."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest
from django.core.management import CommandError

from annotations.articles.models import Article
from tests.debian_postgres import run_debian_postgres
from tests.integration.backup_cast import create_database, read_tables, run_command, use_database

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[4]


def create_debian_database(url, name):
    connection = psycopg2.connect(url)
    connection.autocommit = True
    connection.cursor().execute(f"CREATE DATABASE {name}")
    connection.close()
    parts = urlsplit(url)
    return {"name": name, "HOST": parts.hostname, "PORT": parts.port, "USER": parts.username, "PASSWORD": "none"}


def test_it_backs_up_and_restores_on_the_oldest_postgresql(
    django_db_setup, django_db_blocker, empty_site_backup, tmp_path
):
    with django_db_blocker.unblock(), run_debian_postgres(tmp_path / "debian") as url:
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
            cwd=ROOT,
            env={**os.environ, "DATABASE_URL": url},
            check=True,
        )
        second = create_debian_database(url, "second")
        with use_database(**(second | {"name": "postgres"})):
            Article.objects.create(passages=[], text="β-catenin", content_hash="0" * 64)
            run_command("backup", tmp_path / "backup")
            expected = read_tables()
        with use_database(**second):
            with pytest.raises(CommandError, match="is of PostgreSQL 18, but this database is PostgreSQL 15"):
                run_command("restore", empty_site_backup)
            run_command("restore", tmp_path / "backup")
            assert read_tables() == expected
        with create_database("newer") as name, use_database(name):
            run_command("restore", tmp_path / "backup")
            assert read_tables() == expected
    assert any("β-catenin" in row for row in expected["annotations_article"])
