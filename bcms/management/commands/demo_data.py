"""Fill the demo's database. `make demo` sets DEMO_FOLDER, DEMO_PASSWORD and DEMO_PORTS and runs it."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from annotations.articles.imports.citation_import import ImportStoppedError
from annotations.formats.errors import FormatError
from bcms.demo.data_archives import DataArchiveError, download_and_unpack_missing_demo_files, get_cache_folder
from bcms.demo.seeding import seed_demo_once_then_start_servers
from bcms.local.errors import format_os_error
from bcms.local.process_commands import parse_demo_port_by_slug


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folder, password, ports = (
                Path(os.environ["DEMO_FOLDER"]),
                os.environ["DEMO_PASSWORD"],
                parse_demo_port_by_slug(os.environ),
            )
        except KeyError as error:
            raise CommandError(f"{error.args[0]} is not set. Run `make demo` instead, which sets it.") from error
        try:
            folder.mkdir(parents=True, exist_ok=True)
            seed_demo_once_then_start_servers(
                download_and_unpack_missing_demo_files(self.stdout.write), folder, ports, password, self.stdout.write
            )
        except (DataArchiveError, ImportStoppedError, FormatError, OperationalError, OSError) as error:
            raise CommandError(format_demo_error(error)) from error


def format_demo_error(error: Exception) -> str:
    """The error message for the person who started the demo."""
    if isinstance(error, OSError):
        return format_os_error(error)
    if isinstance(error, FormatError) or isinstance(error.__cause__, FormatError):
        return f"{error} The file is in {get_cache_folder()}: remove that folder and start again."
    return " ".join(str(error).split())
