"""Migrations do not disturb a site that goes on meanwhile with the code of the version before, or say how and why."""

import tomllib
from pathlib import Path

import pytest
from django.db import connection, migrations, models
from django.db.migrations import Migration
from django.db.migrations.state import ProjectState

from tests.integration.bcms.database.migration_statements import find_rules, list_later_migrations

EXPLAINED = tomllib.loads((Path(__file__).parent / "migration_locks.toml").read_text())
EARLIER = {app: name for app, name in EXPLAINED.pop("earlier").items() if app != "reason"}


@pytest.mark.django_db
def test_each_migration_is_harmless_or_says_why_not():
    found = {
        f"{migration.app_label}.{migration.name}": sorted(rules)
        for migration, before in list_later_migrations(EARLIER)
        if (rules := find_rules(migration, before))
    }
    assert found == {name: sorted(entry["rules"]) for name, entry in EXPLAINED.items()}
    assert all(entry["reason"] for entry in EXPLAINED.values())


@pytest.mark.django_db
def test_it_checks_the_migrations_after_the_earlier_ones():
    migration, before = list_later_migrations({**EARLIER, "annotations": "0026_contributions"})[0]

    assert migration.name == "0027_comment_links"
    assert find_rules(migration, before) == {"adding-foreign-key-constraint", "require-concurrent-index-creation"}


BOOKS = migrations.CreateModel(
    "Book",
    [("id", models.BigAutoField(primary_key=True)), ("title", models.TextField()), ("pages", models.IntegerField())],
)
CLASSIC = models.Index(fields=["title"], name="books_by_title")
NEEDED = models.CharField(max_length=10, default="")
NEEDED_WITH_DEFAULT = models.CharField(max_length=10, default="", db_default="")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("operation", "rules"),
    [
        (migrations.AddField("book", "author", models.CharField(max_length=10, null=True)), set()),
        (migrations.AddField("book", "author", NEEDED_WITH_DEFAULT), set()),
        # Processes of the version before insert rows without it.
        (migrations.AddField("book", "author", NEEDED), {"ban-drop-default"}),
        (migrations.RemoveField("book", "pages"), {"ban-drop-column"}),
        (migrations.RenameField("book", "pages", "length"), {"renaming-column"}),
        (migrations.DeleteModel("Book"), {"ban-drop-table"}),
        (migrations.AlterField("book", "pages", models.TextField()), {"changing-column-type"}),
        (migrations.AddIndex("book", CLASSIC), {"require-concurrent-index-creation"}),
        (migrations.RunSQL("UPDATE library_book SET pages = 1"), {"own-code"}),
        (migrations.RunPython(lambda apps, editor: pytest.fail("it was run")), {"own-code"}),
        (migrations.CreateModel("Shelf", [("id", models.BigAutoField(primary_key=True))]), set()),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, set) else ",".join(value) or "harmless",
)
def test_it_finds_what_others_would_notice(operation, rules):
    before = ProjectState()
    BOOKS.state_forwards("library", before)
    migration = Migration("0002_change", "library")
    migration.operations = [operation]

    assert find_rules(migration, before) == rules
    assert "library_book" not in connection.introspection.table_names()
