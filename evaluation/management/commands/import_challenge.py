"""`manage.py import_challenge FILE`: restore a challenge from its archive."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.restore.challenge import RestoreReport, restore_challenge_unless_restored_before
from evaluation.archives.signatures import describe_signer

MAX_NAMED_ARTICLES = 20
MAX_SLUG_LENGTH = 50


class Command(BaseCommand):
    help = "Restore a challenge from an archive of export_challenge. Repeating it changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the archive to restore")
        parser.add_argument("--slug", default="", help="the challenge's name in URLs here (default: the archived one)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug: str = options["slug"]
        if slug != slugify(slug) or len(slug) > MAX_SLUG_LENGTH:
            raise CommandError(
                f"--slug {slug} is not valid: use at most {MAX_SLUG_LENGTH} lower-case letters, digits and hyphens."
            )
        try:
            report = restore_challenge_unless_restored_before(options["file"], slug)
        except ChallengeArchiveError as error:
            raise CommandError(str(error)) from None
        for line in iter_restore_report_lines(report):
            self.stdout.write(line)


def iter_restore_report_lines(report: RestoreReport) -> Iterator[str]:
    yield describe_signer(report.signer, settings.NANOPUB_KEY)
    challenge = f"{report.challenge} ({report.challenge.slug})"
    if report.restored_before:
        yield f"{challenge} was restored from this archive before: nothing was changed."
        return
    yield f"{challenge}: {report.runs} runs and {report.scores} scores restored. Staff can add its organizers."
    if report.articles_without_text:
        names = ", ".join(report.articles_without_text[:MAX_NAMED_ARTICLES]) + (
            ", ..." if len(report.articles_without_text) > MAX_NAMED_ARTICLES else ""
        )
        yield (
            f"{len(report.articles_without_text)} articles were missing and were created without a text: {names}. "
            "manage.py import_articles --pmid downloads the texts of those with a PMID."
        )
    if report.known_teams:
        yield f"Teams that existed before, and whose members see the restored runs: {', '.join(report.known_teams)}."
    if report.without_gold:
        tasks = ", ".join(report.without_gold)
        yield (
            f"Not in the archive, as they were not published: gold standard and scores of {tasks}. Upload the gold "
            "standards to score the runs."
        )
