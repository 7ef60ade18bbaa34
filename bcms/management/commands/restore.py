"""`manage.py restore FOLDER`: restore a backup into an empty database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bcms.backup.errors import BackupError
from bcms.backup.key_fingerprints import iter_key_lines
from bcms.backup.restoration import RestoredBackup, restore_backup


class Command(BaseCommand):
    help = (
        "Restore a backup into the database that DATABASE_URL names, which has to be new or empty. If it breaks off, "
        "run it again: it continues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that `manage.py backup` has created")
        parser.add_argument(
            "--copy",
            action="store_true",
            help="make a copy of a site for testing: stop all annotation servers and webhooks",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restored = restore_backup(options["folder"], self.stdout.write, is_copy=options["copy"])
        except BackupError as error:
            raise CommandError(str(error)) from None
        for line in iter_restored_lines(restored):
            self.stdout.write(line)


def iter_restored_lines(restored: RestoredBackup) -> Iterator[str]:
    """What was restored, and what is left to do."""
    manifest = restored.manifest
    rows = sum(manifest.rows.values())
    yield f"Restored {manifest.site} as of {manifest.created}: {len(manifest.rows)} tables, {rows:,} rows."
    if restored.held_mail:
        yield f"{restored.held_mail} waiting mails are not sent, because they may have been: /operations/ lists them."
    yield from iter_key_lines(manifest.keys)
    if restored.needs_migrations:
        yield f"The backup is of version {manifest.software}. Run `manage.py migrate` before you start the site."
