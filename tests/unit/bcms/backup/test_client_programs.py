"""pg_dump and pg_restore: the one that fits the server is found, and what went wrong is said in one sentence."""

import pytest

from bcms.backup import client_programs
from bcms.backup.client_programs import does_client_fit_server, find_client_program, format_program_failure
from bcms.backup.errors import BackupError


def make_program(folder, version):
    folder.mkdir()
    path = folder / "pg_dump"
    path.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version}'\n")
    path.chmod(0o755)
    return folder


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """15, 16 and 18, in no order, and two that cannot be asked."""
    folders = [make_program(tmp_path / name, name) for name in ("18.1", "15.18 (Debian 15.18-0)", "16.4", "unknown")]
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/pg_dump").write_text("not a program")
    (tmp_path / "broken/pg_dump").chmod(0o755)
    monkeypatch.setattr(
        client_programs, "_list_program_folders", lambda: [tmp_path / "broken", tmp_path / "none", *folders]
    )


@pytest.mark.parametrize(
    ("client", "server", "fits"),
    [(15, 15, True), (16, 15, True), (17, 15, False), (18, 16, False), (18, 17, True), (15, 16, False), (18, 18, True)],
)
def test_it_knows_which_versions_work_with_each_other(client, server, fits):
    assert does_client_fit_server(client, server) is fits


@pytest.mark.parametrize(
    ("server", "oldest", "found"), [(15, 0, 15), (15, 16, 16), (16, 0, 16), (17, 0, 18), (18, 0, 18)]
)
def test_it_finds_the_program_that_fits_best(programs, server, oldest, found):
    assert find_client_program("pg_dump", server, oldest).major == found


def test_it_says_which_versions_there_are(programs):
    expected = r"pg_dump of PostgreSQL 19 is needed, but this machine has only 15, 16, 18\. .* postgresql-client-19\)"
    with pytest.raises(BackupError, match=expected):
        find_client_program("pg_dump", 19)
    with pytest.raises(BackupError, match="pg_dump of PostgreSQL 18 is needed"):
        find_client_program("pg_dump", 15, oldest=18)


def test_it_says_that_there_is_none(monkeypatch):
    monkeypatch.setattr(client_programs, "_list_program_folders", list)
    with pytest.raises(BackupError, match="pg_restore of PostgreSQL 18 is needed, but this machine has none"):
        find_client_program("pg_restore", 18)


def test_it_leaves_debians_wrapper_alone(tmp_path, monkeypatch):
    wrapper = make_program(tmp_path / "wrapper", "18.1") / "pg_dump"
    wrapper.rename(tmp_path / "pg_wrapper")
    wrapper.symlink_to(tmp_path / "pg_wrapper")
    monkeypatch.setattr(client_programs, "_list_program_folders", lambda: [tmp_path / "wrapper"])
    with pytest.raises(BackupError, match="this machine has none"):
        find_client_program("pg_dump", 15)


def test_it_looks_in_path_first(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(make_program(tmp_path / "mine", "99.1")))
    assert find_client_program("pg_dump", 99).path == tmp_path / "mine/pg_dump"


def test_it_says_what_to_do_about_a_full_disk():
    full = "pg_dump: error: could not write to file: No space left on device"
    ended = "pg_dump: error: a worker process died unexpectedly"
    assert format_program_failure("pg_dump", 1, [full, full, ended]) == (
        "pg_dump failed: could not write to file: No space left on device; a worker process died unexpectedly. "
        "Free some space on the disk, or choose another one."
    )


def test_it_says_how_a_silent_program_ended():
    assert format_program_failure("pg_dump", -9, []) == "pg_dump failed: it ended with status -9."
