"""Fill the demo's database; `make demo` calls it with what it has chosen: DEMO_FOLDER, DEMO_PASSWORD, DEMO_PORTS."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bcms.demo.archives import ArchiveError, archive_files
from bcms.demo.seeding import seed
from bcms.local.plan import ports_of


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            folder, password, ports = Path(os.environ["DEMO_FOLDER"]), os.environ["DEMO_PASSWORD"], ports_of(os.environ)
        except KeyError as error:
            raise CommandError(f"{error.args[0]} is not set: this command is part of `make demo`.") from error
        folder.mkdir(parents=True, exist_ok=True)
        try:
            archives = archive_files(self.stdout.write)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        seed(archives, folder, ports, password, self.stdout.write)
