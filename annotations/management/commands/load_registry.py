"""Load a table of identifiers and their names into the local registry."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.formats.errors import FormatError
from annotations.registering import READERS, load_registry


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the table, as it was published")
        parser.add_argument("--format", choices=sorted(READERS), required=True, help="which table it is")

    def handle(self, *args: Any, **options: Any) -> None:
        path, format = options["file"], options["format"]
        try:
            written = load_registry(path, format)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
        except FormatError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{written:,} entries of {path.name} are in the registry.")
