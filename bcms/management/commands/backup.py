"""`manage.py backup FOLDER`: save the database while the site runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bcms.backup.creation import create_backup
from bcms.backup.errors import BackupError
from bcms.backup.key_fingerprints import list_key_settings_without_copy


class Command(BaseCommand):
    help = "Save the whole database into a new folder, as it is at one moment, while the site runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder to create; it has all private data of the site")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        try:
            backup = create_backup(folder, self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{folder}: {backup.tables} tables, {backup.rows:,} rows, {backup.size:,} bytes.")
        keys = ", ".join(list_key_settings_without_copy())
        self.stdout.write(f"Keys are not in it, so keep a copy of them elsewhere: {keys}. Nor are other settings.")
