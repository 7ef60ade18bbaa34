"""Fill the demo's database; `make demo` calls it with what it has chosen: DEMO_FOLDER, DEMO_PASSWORD, DEMO_PORTS."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from annotations.formats.errors import FormatError
from annotations.importing import ImportStoppedError
from bcms.demo.archives import ArchiveError, archive_files, cache_folder
from bcms.demo.seeding import seed
from bcms.local.errors import sentence_for
from bcms.local.plan import ports_of


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folder, password, ports = Path(os.environ["DEMO_FOLDER"]), os.environ["DEMO_PASSWORD"], ports_of(os.environ)
        except KeyError as error:
            raise CommandError(f"{error.args[0]} is not set: this command is part of `make demo`.") from error
        try:
            folder.mkdir(parents=True, exist_ok=True)
            seed(archive_files(self.stdout.write), folder, ports, password, self.stdout.write)
        except (ArchiveError, ImportStoppedError, FormatError, OperationalError, OSError) as error:
            raise CommandError(sentence_of(error)) from error


def sentence_of(error: Exception) -> str:
    """What stopped it, for whoever started the demo."""
    if isinstance(error, OSError):
        return sentence_for(error)
    if isinstance(error, FormatError) or isinstance(error.__cause__, FormatError):
        return f"{error} The file is one of those in {cache_folder()}: remove that folder, and start again."
    return " ".join(str(error).split())
