"""Import articles from PubMed XML files, plain or gzipped, or from PubMed itself by PMID."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from annotations import corpora
from annotations.fetching import Entrez
from annotations.formats.pubmed import Citation, Deletion, read_citations
from annotations.importing import ImportCounts, ImportStoppedError, import_citations


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="PubMed XML, gzipped or not")
        parser.add_argument("--pmid", nargs="+", type=int, default=[], metavar="N", help="fetch these from PubMed")
        parser.add_argument("--corpus", default="", metavar="SLUG", help="put the articles at the end of this corpus")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["files"] and not options["pmid"]:
            raise CommandError("Nothing to import: name PubMed XML files, or PMIDs after --pmid.")
        if any(not 0 < pmid < 10**10 for pmid in options["pmid"]):
            raise CommandError("A PMID is a positive number of at most ten digits, such as 16054130.")
        if options["corpus"] != slugify(options["corpus"]):
            raise CommandError("The corpus is named by its slug: small letters, digits and dashes.")
        for path in options["files"]:
            self.import_file(path, options["corpus"])
        if options["pmid"]:
            entrez = Entrez(
                settings.ENTREZ_URL, settings.CONTACT_EMAIL, settings.ENTREZ_API_KEY, settings.ALLOWED_NETWORKS
            )
            self.take("PubMed", entrez.citations(options["pmid"]), options["corpus"])

    def import_file(self, path: Path, corpus: str) -> None:
        try:
            stream = path.open("rb")
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
        with stream:
            self.take(path.name, read_citations(stream, path.name), corpus)

    def take(self, source: str, citations: Iterable[Citation | Deletion], corpus: str) -> None:
        taken: list[int] = []
        noted = _noting(citations, taken) if corpus else citations
        try:
            counts = import_citations(noted, self.progress)
        except ImportStoppedError as error:
            self.fill(corpus, taken)
            raise CommandError(str(error)) from error
        self.stdout.write(f"{source}: {_sentence(counts)}")
        self.fill(corpus, taken)

    def fill(self, corpus: str, pmids: list[int]) -> None:
        if corpus and pmids:
            self.stdout.write(f"Articles new in the corpus {corpus}: {corpora.append(corpus, pmids):,}.")

    def progress(self, counts: ImportCounts) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{counts.stored:,} citations", ending="")


def _noting(citations: Iterable[Citation | Deletion], taken: list[int]) -> Iterator[Citation | Deletion]:
    for record in citations:
        if isinstance(record, Citation):
            taken.append(record.pmid)
        yield record


def _sentence(counts: ImportCounts) -> str:
    text = f"{counts.new:,} new, {counts.changed:,} changed and {counts.unchanged:,} unchanged articles"
    notes = {"repeated in the file": counts.repeated, "withdrawn": counts.deleted, "withdrawn but kept": counts.kept}
    return ", ".join([text, *(f"{number:,} {what}" for what, number in notes.items() if number)]) + "."
