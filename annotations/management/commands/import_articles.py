"""Import articles from files, gzipped or not, or from PubMed itself by PMID.

The format is known by how a file begins: PubMed XML, JATS, BioC in XML or JSON, PubTator, PubAnnotation, HTML, PDF,
DOCX or plain text.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from annotations import corpora
from annotations.article_files import format_in, read_articles, unpacked
from annotations.article_storing import Stored, StoringError, producer_of, store_articles
from annotations.citation_storing import ImportCounts
from annotations.formats.article_sniffing import ArticleFormat
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.pubmed import Citation, Deletion, read_citations
from annotations.formats.read_article import ReadFile, name_of
from annotations.importing import ImportStoppedError, import_citations
from annotations.models import Producer
from annotations.pacing import entrez

SORTS = (Producer.Sort.AUTHOR.value, Producer.Sort.GOLD.value)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="gzipped or not")
        parser.add_argument("--pmid", nargs="+", type=int, default=[], metavar="N", help="fetch these from PubMed")
        parser.add_argument("--corpus", default="", metavar="SLUG", help="put the articles at the end of this corpus")
        parser.add_argument("--format", choices=list(ArticleFormat), help="the format, where it is not known by itself")
        parser.add_argument(
            "--name", default="", metavar="ID", help="PMID, PMCID or DOI of the one article in the file"
        )
        parser.add_argument("--producer", default="", metavar="NAME", help="keep the files' annotations, by this name")
        parser.add_argument("--sort", choices=SORTS, default=SORTS[0], help="what the producer is; gold is not public")

    def handle(self, *args: Any, **options: Any) -> None:
        check(options)
        for path in options["files"]:
            self.import_file(path, options)
        if options["pmid"]:
            self.take("PubMed", entrez().citations(options["pmid"]), options["corpus"], self.counted)

    def import_file(self, path: Path, options: dict[str, Any]) -> None:
        try:
            stream = path.open("rb")
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
        with stream:
            try:
                form = ArticleFormat(options["format"] or known_format(stream, path))
            except FormatError as error:
                raise CommandError(str(error)) from error
            if form is ArticleFormat.PUBMED:
                progress = self.timed(stream, path.stat().st_size)
                self.take(path.name, read_citations(stream, path.name), options["corpus"], progress)
            else:
                self.store(path, stream, form, options)

    def store(self, path: Path, stream: BinaryIO, form: ArticleFormat, options: dict[str, Any]) -> None:
        """A file of any format but PubMed's: all of it or nothing."""
        try:
            read = named(read_articles(unpacked(stream, path.name), path.name, form), options["name"])
            producer = producer_of(options["producer"], options["sort"]) if options["producer"] else None
            stored = store_articles(read.articles, producer)
        except RefusedFileError as error:
            raise CommandError(f"{error}\nNothing of this file was imported.") from error
        except (FormatError, StoringError) as error:
            raise CommandError(f"{error}. Nothing of this file was imported.".replace("..", ".")) from error
        for warning in read.warnings:
            self.stderr.write(str(warning))
        self.stdout.write(f"{path.name} ({form}): {sentence(stored.counts)}")
        self.told(read, stored, producer)
        if options["corpus"]:
            added = corpora.append_articles(options["corpus"], [article.pk for article in stored.articles])
            self.stdout.write(f"Articles new in the corpus {options['corpus']}: {added:,}.")

    def told(self, read: ReadFile, stored: Stored, producer: Producer | None) -> None:
        """What became of the annotations."""
        if producer is not None:
            self.stdout.write(f"Results stored for {producer.name}: {stored.results:,}.")
        elif any(own.mentions or own.pairs or own.relevant is not None for own in read.articles):
            self.stdout.write("Annotations in the file were left out; --producer NAME keeps them.")
        for article in stored.apart:
            said = "is kept with another text than this file's, so the annotations were left out"
            self.stderr.write(f"{article} {said}: import it without them, or remove the article first.")

    def take(
        self,
        source: str,
        citations: Iterable[Citation | Deletion],
        corpus: str,
        progress: Callable[[ImportCounts], None],
    ) -> None:
        taken: list[int] = []
        noted = noting(citations, taken) if corpus else citations
        try:
            counts = import_citations(noted, progress)
        except ImportStoppedError as error:
            self.fill(corpus, taken)
            raise CommandError(str(error)) from error
        self.stdout.write(f"{source}: {sentence(counts)}")
        self.fill(corpus, taken)

    def fill(self, corpus: str, pmids: list[int]) -> None:
        if corpus and pmids:
            self.stdout.write(f"Articles new in the corpus {corpus}: {corpora.append(corpus, pmids):,}.")

    def counted(self, counts: ImportCounts) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{counts.stored:,} citations", ending="")

    def timed(self, stream: BinaryIO, size: int) -> Callable[[ImportCounts], None]:
        """Tells how much of a file is read, and how long the rest will take."""
        began = monotonic()

        def progress(counts: ImportCounts) -> None:
            if self.stderr.isatty():
                self.stderr.write(f"\r{counts.stored:,} citations, {left(stream.tell(), size, began)}\x1b[K", ending="")

        return progress


def left(read: int, size: int, began: float) -> str:
    """`25 %, 3:20 left`, from the bytes read of a file."""
    share = min(read / size, 1.0) if size else 1.0
    minutes, seconds = divmod(round((monotonic() - began) * (1 - share) / max(share, 1e-6)), 60)
    return f"{share:.0%} read, {minutes}:{seconds:02} left"


def check(options: dict[str, Any]) -> None:
    if not options["files"] and not options["pmid"]:
        raise CommandError("Nothing to import: name files, or PMIDs after --pmid.")
    if any(not 0 < pmid < 10**10 for pmid in options["pmid"]):
        raise CommandError("A PMID is a positive number of at most ten digits, such as 16054130.")
    if options["corpus"] != slugify(options["corpus"]):
        raise CommandError("The corpus is named by its slug: small letters, digits and dashes.")
    if options["name"] and (len(options["files"]) != 1 or not name_of(options["name"])):
        raise CommandError("--name is for one file, and a PMID, PMCID or DOI: 16054130, PMC3460867, 10.1000/x.")


def known_format(stream: BinaryIO, path: Path) -> ArticleFormat:
    """The format by the file's beginning; a page of HTML that is called XML is some server's error."""
    try:
        found = format_in(stream, path.name)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}.") from error
    if found is ArticleFormat.HTML and ".xml" in path.suffixes:
        message = (
            "the file is called XML, but is an HTML page - fetch it again, or give --format html if it is meant so"
        )
        raise FormatError(path.name, 1, 1, "R402", message)
    return found


def named(read: ReadFile, name: str) -> ReadFile:
    """The file with this name for its one article."""
    if not name:
        return read
    if len(read.articles) != 1:
        raise StoringError(f"--name is for a file with one article, and this one has {len(read.articles):,}")
    return replace(read, articles=[replace(read.articles[0], name=name_of(name))])


def noting(citations: Iterable[Citation | Deletion], taken: list[int]) -> Iterator[Citation | Deletion]:
    for record in citations:
        if isinstance(record, Citation):
            taken.append(record.pmid)
        yield record


def sentence(counts: ImportCounts) -> str:
    text = f"{counts.new:,} new, {counts.changed:,} changed and {counts.unchanged:,} unchanged articles"
    notes = {"repeated in the file": counts.repeated, "withdrawn": counts.deleted, "withdrawn but kept": counts.kept}
    return ", ".join([text, *(f"{number:,} {what}" for what, number in notes.items() if number)]) + "."
