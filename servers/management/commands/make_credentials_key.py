"""`manage.py make_credentials_key FOLDER`: create the key pair that seals and opens the credentials of calls."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from bcms.lib.key_files import convert_key_file_errors, write_new_key_file
from bcms.lib.sealing import generate_public_and_private_key

PUBLIC_KEY_NAME, PRIVATE_KEY_NAME = "credentials-public-key", "credentials-private-key"


class Command(BaseCommand):
    help = "Create the key pair that seals the credentials of calls to servers, and write it to two files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the two files; created if missing")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        with convert_key_file_errors(", and credentials sealed with it would be lost: choose another folder."):
            folder.mkdir(parents=True, exist_ok=True)
            for name, line in zip((PUBLIC_KEY_NAME, PRIVATE_KEY_NAME), generate_public_and_private_key(), strict=True):
                write_new_key_file(folder / name, line)
        self.stdout.write(
            f"Set CREDENTIALS_PUBLIC_KEY to the line of {folder / PUBLIC_KEY_NAME} for every process of the site, and\n"
            f"CREDENTIALS_PRIVATE_KEY to the line of {folder / PRIVATE_KEY_NAME} for the asking workers only."
        )
