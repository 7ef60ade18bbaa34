"""A backup is restored into an empty database or not at all, and goes on after it broke off."""

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.articles.models import Article
from bcms.backup import creation, restoration, target_database
from bcms.lib.version import VERSION
from bcms.mail.models import Mail
from tests.integration.backup_cast import (
    change_manifest,
    copy_backup,
    create_database,
    describe_schema,
    read_tables,
    run_command,
    use_database,
)
from tests.migrated_database import build_database_url, create_migrated_database

STEPS = ("_create_tables_unless_there", "_load_empty_tables", "_create_indexes", "_finish_restoring")


def count(table):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]


def test_a_new_database_is_a_site_afterwards(new_database, empty_site_backup):
    printed = run_command("restore", empty_site_backup)

    assert "Creating the tables." in printed
    assert "Restored http://127.0.0.1:8000 as of " in printed
    assert "manage.py migrate" not in printed
    call_command("migrate", "--check", verbosity=0)
    Article.objects.create(passages=[], text="", content_hash="0" * 64)
    with pytest.raises(CommandError, match=r"not empty: 1 tables have rows, most of them annotations_article \(1\)"):
        run_command("restore", empty_site_backup)
    assert count("annotations_article") == 1


@pytest.mark.long
def test_a_migrated_database_is_replaced(django_db_setup, django_db_blocker, shared_folder, empty_site_backup):
    with django_db_blocker.unblock(), create_database("restored") as name:
        create_migrated_database(name, shared_folder)
        with use_database(name):
            before = describe_schema()
            run_command("restore", empty_site_backup)
            after = describe_schema()
    # Those of the database that was backed up were used before.
    del before["sequences"], after["sequences"]
    assert after == before


def break_off_before(function):
    def broken(*arguments, **options):
        raise KeyboardInterrupt

    return broken


def break_off_after(function):
    def broken(*arguments, **options):
        function(*arguments, **options)
        raise KeyboardInterrupt

    return broken


def restore_in_part(folder, step, break_off):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(restoration, step, break_off(getattr(restoration, step)))
        with pytest.raises(KeyboardInterrupt):
            run_command("restore", folder)


def test_a_table_that_was_not_loaded_is_loaded_when_it_goes_on(new_database, empty_site_backup, tmp_path):
    restore_in_part(empty_site_backup, "_load_empty_tables", break_off_after)
    loaded = count("auth_permission")
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE auth_permission")
    printed = run_command("restore", empty_site_backup)

    assert f"Restoring this backup has begun before and continues.\nLoading {loaded:,} rows of 1 tables." in printed
    assert count("auth_permission") == loaded > 0


def test_nothing_takes_a_half_restored_database_for_a_whole_one(new_database, empty_site_backup, tmp_path):
    restore_in_part(empty_site_backup, "_load_empty_tables", break_off_before)

    for words, options in ((("check", "--database", "default"), {}), (("migrate",), {"skip_checks": False})):
        with pytest.raises(CommandError, match=r"(?s)restored into this database only in part.*with the same folder"):
            run_command(*words, **options)
    with pytest.raises(CommandError, match=r"restored only in part: finish that with `manage.py restore` first"):
        run_command("backup", tmp_path / "new")


@pytest.mark.long
def test_another_backup_replaces_a_half_restored_one(new_database, empty_site_backup, tmp_path):
    restore_in_part(empty_site_backup, "_create_indexes", break_off_before)
    other = copy_backup(empty_site_backup, tmp_path / "other")
    change_manifest(other, id="another")

    assert "has begun before" not in run_command("restore", other)
    call_command("migrate", "--check", verbosity=0)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("step", "break_off"),
    [*((step, break_off_before) for step in STEPS), *((step, break_off_after) for step in STEPS[:-1])],
)
def test_it_goes_on_where_it_broke_off(step, break_off, article, alice, server, tmp_path):
    run_command("backup", tmp_path / "backup")
    expected, schema = read_tables(), describe_schema()
    with create_database("restored") as name, use_database(name):
        restore_in_part(tmp_path / "backup", step, break_off)
        assert "has begun before and continues" in run_command("restore", tmp_path / "backup")
        assert (read_tables(), describe_schema()) == (expected, schema)


def test_a_damaged_backup_changes_nothing(new_database, empty_site_backup, tmp_path):
    damaged = copy_backup(empty_site_backup, tmp_path / "damaged")
    (damaged / "database/toc.dat").write_bytes(b"")
    with pytest.raises(CommandError, match=r"is damaged: database/toc\.dat"):
        run_command("restore", damaged)
    assert describe_schema()["columns"] == []


def test_it_refuses_tables_of_another_program(new_database, empty_site_backup):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE wiki_page ()")
    with pytest.raises(CommandError, match="has the table wiki_page of another program: create a new one"):
        run_command("restore", empty_site_backup)


def test_it_refuses_a_database_that_others_use(new_database, empty_site_backup):
    other = psycopg2.connect(build_database_url(new_database), application_name="worker")
    try:
        with pytest.raises(CommandError, match=r"1 other connections use this database \(worker: 1\)\. Stop the web"):
            run_command("restore", empty_site_backup)
    finally:
        other.close()
    assert describe_schema()["columns"] == []


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"server": 99}, r"pg_restore of PostgreSQL 99 is needed"),
        (
            {"software": "9.0", "migrations": ["servers.0999_new"]},
            r"version 9\.0 .* has the migration servers\.0999_new",
        ),
    ],
)
def test_it_refuses_backups_of_newer_versions(changes, refusal, new_database, empty_site_backup, tmp_path):
    newer = copy_backup(empty_site_backup, tmp_path / "newer")
    change_manifest(newer, **changes)
    with pytest.raises(CommandError, match=refusal):
        run_command("restore", newer)
    assert describe_schema()["columns"] == []


def test_it_refuses_an_older_database(new_database, empty_site_backup, monkeypatch):
    monkeypatch.setattr(target_database, "get_server_version", lambda: 15)
    with pytest.raises(CommandError, match=r"The backup is of PostgreSQL 18, but this database is PostgreSQL 15: name"):
        run_command("restore", empty_site_backup)


@pytest.mark.long
def test_it_says_that_migrations_have_to_follow(new_database, empty_site_backup, tmp_path):
    older = copy_backup(empty_site_backup, tmp_path / "older")
    change_manifest(older, migrations=["servers.0001_initial"])

    assert f"of version {VERSION}. Run `manage.py migrate` before you start the site." in run_command("restore", older)


def test_it_notices_rows_of_another_process(new_database, empty_site_backup, monkeypatch):
    load = restoration._check_rows

    def add_row(rows):
        Article.objects.create(passages=[], text="", content_hash="0" * 64)
        load(rows)

    monkeypatch.setattr(restoration, "_check_rows", add_row)
    with pytest.raises(CommandError, match=r"annotations_article has 1 rows, but 0 were saved: another process has"):
        run_command("restore", empty_site_backup)


@pytest.mark.django_db(transaction=True)
def test_it_has_what_was_there_when_it_began(article, tmp_path, monkeypatch):
    """Rows that are changed, added and deleted while it is made are as they were before."""
    dump = creation._dump_snapshot
    Mail.objects.create(sender="a@example.org", recipient="b@example.org", subject="Waits", body="")

    def change_then_dump(*arguments):
        with psycopg2.connect(build_database_url(connection.settings_dict["NAME"])) as other:
            other.cursor().execute("UPDATE annotations_article SET journal = 'Changed'; DELETE FROM bcms_mail")
            other.cursor().execute(
                "INSERT INTO annotations_corpus (slug, name, description, blind) VALUES ('new', '', '', false)"
            )
        other.close()
        dump(*arguments)

    monkeypatch.setattr(creation, "_dump_snapshot", change_then_dump)
    run_command("backup", tmp_path / "backup")
    assert (count("annotations_corpus"), count("bcms_mail")) == (1, 0)
    with create_database("restored") as name, use_database(name):
        run_command("restore", tmp_path / "backup")
        assert Article.objects.get().journal == "J Cell Ex"
        assert (count("annotations_corpus"), count("bcms_mail")) == (0, 1)
