"""Run migrations while the site is used: nobody waits for a table for longer than half a second because of them.

What changes a table needs it for itself. If others use it, the change waits for them, and everybody who comes later
waits behind the change. So it gives up after LOCK_TIMEOUT, and the migration is tried again.
"""

import time
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.migrations import Migration

from bcms.database.partitions import LOCK_NOT_AVAILABLE, LOCK_TIMEOUT

TRIES = 300
SECONDS_BETWEEN_TRIES = 1.0


class Command(migrate.Command):
    """Django's command, which besides waits only briefly for locks and prints how long each migration took."""

    began = 0.0
    database = ""

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the migrations; those that have been completed stay when the command breaks off."""
        self.database = options["database"]
        try:
            self._migrate_until_done(*args, **options)
        finally:
            # Programs that run the command and go on with the connection wait for locks as before.
            with connections[self.database].cursor() as cursor:
                cursor.execute("RESET lock_timeout")

    def _migrate_until_done(self, *args: Any, **options: Any) -> None:
        for remaining in reversed(range(TRIES)):
            try:
                super().handle(*args, **options)
                return
            except OperationalError as error:
                if getattr(error.__cause__, "pgcode", None) != LOCK_NOT_AVAILABLE:
                    raise
            if remaining:
                self.stdout.write(" others use its tables; trying again")
                time.sleep(SECONDS_BETWEEN_TRIES)
        raise CommandError(
            "Others use the tables of this migration all the time, such as a backup or a long download. Nothing of it "
            "has been done. Run the command again."
        )

    def migration_progress_callback(self, action: str, migration: Migration | None = None, fake: bool = False) -> None:
        """Limit the wait before a migration, and print its seconds after it, as the executor calls it."""
        if migration is not None and action in ("apply_start", "unapply_start"):
            # What waits outside of a transaction would be left half done.
            limit = LOCK_TIMEOUT if migration.atomic else "0"
            with connections[self.database].cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [limit])
            self.began = time.monotonic()
        if action in ("apply_success", "unapply_success") and self.verbosity == 1:
            self.stdout.write(f" {time.monotonic() - self.began:.2f} s", ending="")
        super().migration_progress_callback(action, migration, fake)
