"""`manage.py import_challenge FILE`: restore a challenge from its archive."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from evaluation.archives.restoring import Report, import_challenge
from evaluation.archives.unpacking import ArchiveError

MOST_NAMED = 20
LONGEST_SLUG = 50


class Command(BaseCommand):
    help = "Restore a challenge from the archive that export_challenge wrote; run again, it changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the archive")
        parser.add_argument("--slug", default="", help="the challenge's name in addresses here (default: as it was)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug: str = options["slug"]
        if slug != slugify(slug) or len(slug) > LONGEST_SLUG:
            raise CommandError(f"--slug {slug} is no name in addresses: use small letters, digits and hyphens.")
        try:
            report = import_challenge(options["file"], slug)
        except ArchiveError as error:
            raise CommandError(str(error)) from None
        for line in told(report):
            self.stdout.write(line)


def told(report: Report) -> Iterator[str]:
    challenge = f"{report.challenge} ({report.challenge.slug})"
    if report.again:
        yield f"{challenge} came out of this very archive before: nothing was changed."
        return
    yield f"{challenge}: {report.runs} runs and {report.scores} scores restored. Staff organize it."
    if report.made:
        names = ", ".join(report.made[:MOST_NAMED]) + (", ..." if len(report.made) > MOST_NAMED else "")
        yield (
            f"{len(report.made)} articles were not here and were made by their ids, without a text: {names}. "
            "manage.py import_articles --pmid brings the texts of those with a PMID."
        )
    if report.teams_here:
        yield f"Teams that were here already, and whose members see their runs: {', '.join(report.teams_here)}."
    if report.without_gold:
        tasks = ", ".join(report.without_gold)
        yield f"Without gold standard and scores, as they were not published: {tasks}. Upload it, and runs are scored."
