"""Load tables of identifiers and their names into the local registry; which table a file is shows in its content."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.formats.errors import RefusedFileError
from annotations.registering import Loaded, Progress, load_registry
from annotations.registry.tables import KNOWN
from bcms.lib.durations import about


class Command(BaseCommand):
    help = f"{__doc__} Known are: {KNOWN}; each as it was published, plain or gzipped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a table")

    def handle(self, *args: Any, **options: Any) -> None:
        for path in options["files"]:
            loaded = self.load(path)
            self.stdout.write(f"{path.name} ({loaded.title}): {loaded.entries:,} entries written.")

    def load(self, path: Path) -> Loaded:
        try:
            return load_registry(path, self.progress(path.name))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
        except RefusedFileError as error:
            raise CommandError(f"{error}\nNothing of {path.name} was stored.") from error

    def progress(self, name: str) -> Progress | None:
        """Writes over one line of the terminal how far it is and how long it will take; None without a terminal."""
        if not self.stderr.isatty():
            return None
        began = time.monotonic()

        def tell(read: float) -> None:
            if read >= 1:
                self.stderr.write(f"\r{name}: all read; storing it takes about as long again", style_func=str)
                return
            left = (time.monotonic() - began) * (1 - read) / max(read, 1e-6)
            self.stderr.write(f"\r{name}: {read:4.0%} read, {about(left)} left  ", style_func=str, ending="")

        return tell
