"""Offer the articles of a corpus on the home page, or stop offering them."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotations.articles.models import Corpus
from bcms.administration.featured_corpora import feature_public_corpus, stop_featuring_corpus


class Command(BaseCommand):
    help = f"{__doc__} Without any such corpus, the home page lists the articles that were annotated last."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="the corpus, as in its URL")
        parser.add_argument("--remove", action="store_true", help="stop offering its articles")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = Corpus.objects.filter(slug=options["slug"]).first()
        if corpus is None:
            slugs = ", ".join(Corpus.objects.filter(blind=False).order_by("slug").values_list("slug", flat=True))
            raise CommandError(f"There is no corpus {options['slug']}. The public corpora are {slugs or 'none yet'}.")
        if corpus.blind and not options["remove"]:
            raise CommandError(f"{corpus} is the blind test set of a challenge. Choose a public corpus.")
        (stop_featuring_corpus if options["remove"] else feature_public_corpus)(corpus)
        self.stdout.write(
            f"The home page {'no longer offers' if options['remove'] else 'offers'} articles of {corpus}."
        )
