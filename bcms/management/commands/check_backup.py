"""`manage.py check_backup FOLDER`: whether a backup is whole and unchanged."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bcms.backup.errors import BackupError
from bcms.backup.key_fingerprints import iter_key_lines
from bcms.backup.verification import verify_backup


class Command(BaseCommand):
    help = "Read all files of a backup and say whether they are whole and unchanged. The database is not used."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that `manage.py backup` has created")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            manifest = verify_backup(folder, self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
        rows = sum(manifest.rows.values())
        self.stdout.write(
            f"{folder} is whole: {manifest.site} at {manifest.created}, version {manifest.software}, PostgreSQL "
            f"{manifest.server}, {len(manifest.rows)} tables, {rows:,} rows."
        )
        for line in iter_key_lines(manifest.keys):
            self.stdout.write(line)
