"""`manage.py export_challenge SLUG FILE`: write a challenge into an archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from evaluation.archives.export.challenge import write_publishable_archive_returning_manifest_hash
from evaluation.challenges.models import Challenge


class Command(BaseCommand):
    help = "Write a challenge and everything that belongs to it into a zip archive that can be used without this site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the challenge's name in URLs")
        parser.add_argument("file", type=Path, help="the archive to write")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        challenge = Challenge.objects.filter(slug=options["slug"]).first()
        if challenge is None:
            known = ", ".join(Challenge.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no challenge {options['slug']}; choose one of: {known}.")
        # Write to another name first, so that the file is always complete.
        partial = path.with_name(f"{path.name}.part")
        try:
            with partial.open("wb") as file:
                checksum = write_publishable_archive_returning_manifest_hash(challenge, file.write, timezone.now())
            partial.replace(path)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
        finally:
            partial.unlink(missing_ok=True)
        self.stdout.write(f"{path}: {challenge}, {path.stat().st_size:,} bytes; its manifest has sha256 {checksum}")
