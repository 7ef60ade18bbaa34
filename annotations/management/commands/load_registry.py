"""Load tables of identifiers and names into the local registry. The kind of table is detected from the content."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.entry_storage import LoadedTable, LoadProgress, store_identifier_table_all_or_none
from annotations.identifiers.tables.recognition import KNOWN_TABLE_TITLES
from bcms.lib.durations import format_estimated_duration


class Command(BaseCommand):
    help = f"{__doc__} Supported tables, as published, plain or gzipped: {KNOWN_TABLE_TITLES}."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a table")

    def handle(self, *args: Any, **options: Any) -> None:
        for path in options["files"]:
            loaded = self.load_table(path)
            self.stdout.write(f"{path.name} ({loaded.title}): {loaded.entries:,} entries written.")

    def load_table(self, path: Path) -> LoadedTable:
        try:
            return store_identifier_table_all_or_none(path, self.make_progress(path.name))
        except OSError as error:
            raise CommandError(f"Cannot read {path}: {error.strerror or error}.") from error
        except RefusedFileError as error:
            raise CommandError(f"{error}\nNothing of {path.name} was stored.") from error

    def make_progress(self, name: str) -> LoadProgress | None:
        """A function that shows the progress in one line of the terminal; None without a terminal."""
        if not self.stderr.isatty():
            return None
        began = time.monotonic()

        def show_progress(share: float) -> None:
            if share >= 1:
                self.stderr.write(f"\r{name}: read completely; storing it takes about as long again", style_func=str)
                return
            remaining = (time.monotonic() - began) * (1 - share) / max(share, 1e-6)
            self.stderr.write(
                f"\r{name}: {share:4.0%} read, {format_estimated_duration(remaining)} left  ", style_func=str, ending=""
            )

        return show_progress
