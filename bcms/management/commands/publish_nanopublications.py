"""`manage.py publish_nanopublications [PMID ...]`: send nanopublications to the server that NANOPUB_SERVER names."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from bcms.digital_abstracts.nanopub_publishing import iter_sent_records
from bcms.search.exports.exported_articles import list_public_articles


class Command(BaseCommand):
    help = (
        "Send the nanopublications of published digital abstracts to a nanopublication server. They cannot be taken "
        "back, so this is off unless the setting NANOPUB_SERVER names one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("pmid", nargs="*", type=int, help="only of these articles")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.NANOPUB_SERVER:
            raise CommandError("Publishing is off. Set NANOPUB_SERVER to the URL of a nanopublication server.")
        if settings.NANOPUB_KEY is None:
            raise CommandError(
                "There is no key to sign with. Make one with make_nanopub_key, and set NANOPUB_KEY_FILE."
            )
        articles = list_public_articles()
        if options["pmid"]:
            articles = articles.filter(pmid__in=options["pmid"])
        problems = 0
        for record in iter_sent_records(articles, settings.NANOPUB_SERVER, settings.NANOPUB_KEY):
            problems += bool(record.problem)
            self.stdout.write(f"{record.article}: {record.sent} sent{f'; {record.problem}' * bool(record.problem)}")
        if problems:
            raise CommandError(f"{problems} of the records could not be sent completely. Send them again later.")
