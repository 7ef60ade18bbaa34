"""`manage.py make_nanopub_key FILE`: create the key that signs nanopublications and archives."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from annotations.nanopublications.key_file import KEY_SETTING, write_new_signing_key
from bcms.lib.key_files import convert_key_file_errors


class Command(BaseCommand):
    help = "Create the key that signs nanopublications and archives of challenges, and write it to a new file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the new file; its folder is created if missing")

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"]
        with convert_key_file_errors(": choose another file, or delete it if nothing was signed with it."):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_new_signing_key(file)
        self.stdout.write(
            f"The key is in {file}. Set {KEY_SETTING} to this path for the web server and the workers, and keep a\n"
            "copy: with another key, others cannot see that something is from the same site."
        )
