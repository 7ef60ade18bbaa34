"""What a backup is on the disk: whole or not there, closed to others, without keys, and checked by every byte."""

import fcntl
import json
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError
from django.db import OperationalError, connection

from bcms.backup import creation
from bcms.backup.client_programs import ClientProgram
from bcms.lib import sealing
from tests.integration.backup_cast import change_manifest, copy_backup, run_command, use_database

pytestmark = pytest.mark.django_db(transaction=True)


def use_program(monkeypatch, path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setattr(creation, "find_client_program", lambda name, server: ClientProgram(path, server))


def list_files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_it_says_what_is_in_it_and_what_is_not(tmp_path):
    printed = run_command("backup", tmp_path / "new")

    assert re.search(r"new: \d{3} tables, [\d,]+ rows, [\d,]+ bytes\.", printed)
    assert "keep a copy of them elsewhere: SECRET_KEY, GOLD_PRIVATE_KEY, CREDENTIALS_PRIVATE_KEY." in printed
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_nobody_else_can_read_it(empty_site_backup):
    modes = {stat.S_IMODE(path.stat().st_mode) for path in list_files(empty_site_backup)}
    folders = [empty_site_backup, empty_site_backup / "database"]

    assert modes == {0o600}
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in folders] == [0o700, 0o700]


def test_it_has_no_keys(empty_site_backup):
    content = b"".join(path.read_bytes() for path in list_files(empty_site_backup))
    private = [sealing.encode_private_key(settings.GOLD_PRIVATE_KEY), settings.SECRET_KEY]
    manifest = json.loads((empty_site_backup / "manifest.json").read_text())

    assert [key for key in private if key.encode() in content] == []
    assert {name: len(digits) for name, digits in manifest["keys"].items()} == {
        "SECRET_KEY": 4,
        "GOLD_PUBLIC_KEY": 64,
        "CREDENTIALS_PUBLIC_KEY": 64,
    }


def test_sha256sum_can_check_it(empty_site_backup):
    command = ["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"]
    assert subprocess.run(command, cwd=empty_site_backup, check=True, capture_output=True).stdout == b""


def test_the_password_is_in_no_command_line(tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    use_program(monkeypatch, tmp_path / "pg_dump", f'echo "$@" > {seen}; env > {seen}.env; exit 1')
    monkeypatch.setenv("GOLD_PRIVATE_KEY", "a-private-key")
    with pytest.raises(CommandError, match="pg_dump failed: it ended with status 1"):
        run_command("backup", tmp_path / "new")
    password = connection.settings_dict["PASSWORD"]

    assert "--snapshot=" in seen.read_text() and password not in seen.read_text()
    environment = Path(f"{seen}.env").read_text()
    assert f"PGPASSWORD={password}\n" in environment
    assert "a-private-key" not in environment and settings.SECRET_KEY not in environment


def test_nothing_is_left_of_a_backup_that_fails(tmp_path, monkeypatch):
    script = "echo 'pg_dump: error: could not write to file: No space left on device' >&2; exit 1"
    use_program(monkeypatch, tmp_path / "pg_dump", script)
    with pytest.raises(CommandError, match=r"No space left on device\. Free some space on the disk"):
        run_command("backup", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["pg_dump"]


def test_what_a_killed_backup_left_is_no_backup_and_is_replaced(tmp_path):
    (tmp_path / "new.partial/database").mkdir(parents=True)
    (tmp_path / "new.partial/database/1.dat.gz").touch()
    with pytest.raises(CommandError, match=r"no whole backup: it has no SHA256SUMS, which is written last"):
        run_command("check_backup", tmp_path / "new.partial")
    run_command("backup", tmp_path / "new")

    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert "new is whole: " in run_command("check_backup", tmp_path / "new")


def test_it_waits_for_nobody(tmp_path):
    """A process that still writes holds the lock."""
    (tmp_path / "new.partial").mkdir()
    descriptor = os.open(tmp_path / "new.partial", os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        with pytest.raises(CommandError, match=r"Another backup into .*new\.partial is under way"):
            run_command("backup", tmp_path / "new")
    finally:
        os.close(descriptor)


def test_it_overwrites_nothing(tmp_path, empty_site_backup):
    (tmp_path / "file").touch()
    (tmp_path / "mine.partial").mkdir()
    (tmp_path / "mine.partial/thesis.tex").touch()
    for target, refusal in (
        (empty_site_backup, "exists: name a folder that does not"),
        (tmp_path / "file", "exists: name a folder that does not"),
        (tmp_path / "mine", "is not what a broken-off backup left"),
        (tmp_path / "no/such", "The folder .*/no does not exist: create it first"),
        (tmp_path / "file/new", "The folder .*/file does not exist: create it first"),
        (Path("/proc/new"), "/proc/new.partial: "),
    ):
        with pytest.raises(CommandError, match=refusal):
            run_command("backup", target)
    assert (tmp_path / "mine.partial/thesis.tex").exists()


def test_it_saves_no_other_database(tmp_path):
    with use_database("template1"), pytest.raises(CommandError, match="no tables of the site: is DATABASE_URL right"):
        run_command("backup", tmp_path / "new")


def test_a_database_that_is_away_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")
    connection.close()
    with pytest.raises(CommandError, match=r"The database answered: .*port 1 failed: Connection refused"):
        run_command("backup", tmp_path / "new")
    connection.close()


def test_a_flipped_bit_is_noticed_in_every_kind_of_file(tmp_path, empty_site_backup):
    damaged = copy_backup(empty_site_backup, tmp_path / "damaged")
    data, *_ = sorted((damaged / "database").glob("*.gz"))
    for path in (damaged / "SHA256SUMS", damaged / "manifest.json", damaged / "database/toc.dat", data):
        content = path.read_bytes()
        for position in {0, len(content) // 2, len(content) - 1}:
            path.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
            with pytest.raises(CommandError, match="is damaged"):
                run_command("check_backup", damaged)
        path.write_bytes(content)
    assert "is whole" in run_command("check_backup", damaged)


def test_missing_and_shortened_files_are_noticed(tmp_path, empty_site_backup):
    damaged = copy_backup(empty_site_backup, tmp_path / "damaged")
    first, second, *_ = sorted((damaged / "database").glob("*.gz"))
    first.unlink()
    second.write_bytes(second.read_bytes()[:-1])
    expected = f"is damaged: database/{first.name}, database/{second.name} changed, went missing"
    with pytest.raises(CommandError, match=expected):
        run_command("check_backup", damaged)


def test_tables_that_are_not_in_the_dump_are_noticed(tmp_path, empty_site_backup):
    damaged = copy_backup(empty_site_backup, tmp_path / "damaged")
    change_manifest(damaged, rows={"annotations_article": 1, "annotations_forgotten": 1})
    with pytest.raises(CommandError, match="has no rows of the table annotations_forgotten"):
        run_command("check_backup", damaged)


def test_backups_of_another_format_are_refused(tmp_path, empty_site_backup):
    other = copy_backup(empty_site_backup, tmp_path / "other")
    change_manifest(other, format=2, software="9.0")
    with pytest.raises(
        CommandError, match=r"made by version 9\.0 of this software, whose backups this version does not"
    ):
        run_command("check_backup", other)


def test_it_says_which_keys_are_others(empty_site_backup, settings):
    assert run_command("check_backup", empty_site_backup).count("here is that of the site that was backed up.") == 3

    public, _ = sealing.generate_public_and_private_key(key_bits=2048)
    settings.GOLD_PUBLIC_KEY = sealing.parse_optional_public_key(public, "GOLD_PUBLIC_KEY", "make_gold_key")
    settings.CREDENTIALS_PUBLIC_KEY = None
    settings.SECRET_KEY = "another"
    printed = run_command("check_backup", empty_site_backup)

    assert "SECRET_KEY is another one here. Set that of the site that was backed up: it is needed for links" in printed
    assert "GOLD_PUBLIC_KEY is another one here." in printed
    assert "CREDENTIALS_PUBLIC_KEY is not set here." in printed


def test_a_connection_that_breaks_is_one_sentence(tmp_path, monkeypatch):
    def fail():
        raise OperationalError("server closed the connection unexpectedly\n\tThis probably means")

    monkeypatch.setattr(creation, "get_server_version", fail)
    with pytest.raises(CommandError, match=r"^The database answered: server closed the connection unexpectedly$"):
        run_command("backup", tmp_path / "new")
