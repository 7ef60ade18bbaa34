"""`manage.py export_challenge SLUG FILE`: a challenge with all that belongs to it, in one archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from evaluation.archives.exporting import export_challenge
from evaluation.models import Challenge


class Command(BaseCommand):
    help = "Write a challenge with all that belongs to it into one zip archive, which is of use without this site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the challenge's name in addresses")
        parser.add_argument("file", type=Path, help="where the archive is written")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        challenge = Challenge.objects.filter(slug=options["slug"]).first()
        if challenge is None:
            known = ", ".join(Challenge.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no challenge {options['slug']}; there are: {known}.")
        # Under its name there is a whole archive or none.
        half = path.with_name(f"{path.name}.part")
        try:
            with half.open("wb") as file:
                checksum = export_challenge(challenge, file.write, timezone.now())
            half.replace(path)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
        finally:
            half.unlink(missing_ok=True)
        self.stdout.write(
            f"{path}: {challenge}, {path.stat().st_size:,} bytes; its list of files has sha256 {checksum}"
        )
