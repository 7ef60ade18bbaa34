"""The oldest PostgreSQL that the site supports, as Debian 12 has it: it migrates, imports, searches and sorts alike."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.debian_postgres import run_debian_postgres
from tests.integration.bcms.database.sorted_lists import TITLES
from tests.migrated_database import build_database_url, create_migrated_database, execute

ROOT = Path(__file__).resolve().parents[4]
DATABASE = "sorted_lists"


def run_python(database_url, *arguments):
    finished = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_url},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def print_sorted_lists(database_url, folder):
    folder.mkdir()
    return json.loads(run_python(database_url, "-m", "tests.integration.bcms.database.sorted_lists", folder))


@pytest.fixture
def database_of_wheel(shared_folder):
    create_migrated_database(DATABASE, shared_folder)
    yield build_database_url(DATABASE)
    execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")


@pytest.mark.long
def test_it_does_the_same_on_the_oldest_postgresql(tmp_path, database_of_wheel):
    with run_debian_postgres(tmp_path / "debian") as url:
        run_python(url, "manage.py", "migrate", "--verbosity", "0")
        older = print_sorted_lists(url, tmp_path / "older")
    newer = print_sorted_lists(database_of_wheel, tmp_path / "newer")

    assert older["imported"][0].endswith(f": {len(TITLES)} new")
    assert [version for _, version in older["by text"]] == [2] * len(TITLES)
    assert older == newer
