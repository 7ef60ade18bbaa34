"""Import articles from files, gzipped or not, or from PubMed by PMID.

The format is detected from the content: PubMed XML, JATS, BioC in XML or JSON, PubTator, PubAnnotation, brat standoff
(zip), UIMA XMI, Web Annotation, HTML, PDF, DOCX or plain text.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.utils.text import slugify

from annotations.articles import corpora
from annotations.articles.entrez.pacing import make_entrez_client
from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.articles.imports.article_storage import (
    ArticleStorageError,
    StoredArticles,
    store_annotated_articles,
)
from annotations.articles.imports.citation_import import ImportStoppedError, import_citations_batch_by_batch
from annotations.articles.imports.citation_storage import ImportCounts
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import ArticleFileContent, parse_article_id_or_empty
from annotations.formats.content_report import build_content_report
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.pubmed.reader import Citation, Deletion, iter_citations_and_deletions
from annotations.results.models import Producer
from annotations.results.producers import get_or_create_author_or_gold_producer
from annotations.schema import AnnotationData

# Of those of one article that could not be moved to its text.
MOST_LISTED_ANNOTATIONS = 20
PRODUCER_TYPES = (Producer.Type.AUTHOR.value, Producer.Type.GOLD.value)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="gzipped or not")
        parser.add_argument(
            "--pmid",
            nargs="+",
            type=int,
            default=[],
            metavar="N",
            help="fetch the articles with these PMIDs from PubMed",
        )
        parser.add_argument("--corpus", default="", metavar="SLUG", help="append the articles to this corpus")
        parser.add_argument("--format", choices=list(ArticleFormat), help="the format, if it cannot be detected")
        parser.add_argument(
            "--name", default="", metavar="ID", help="PMID, PMCID or DOI of the article, for a file with one article"
        )
        parser.add_argument(
            "--producer", default="", metavar="NAME", help="store the files' annotations under this producer"
        )
        parser.add_argument(
            "--sort",
            choices=PRODUCER_TYPES,
            default=PRODUCER_TYPES[0],
            help="type of the producer; a gold producer is not public",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        check_import_options(options)
        for path in options["files"]:
            self.import_file(path, options)
        if options["pmid"]:
            self.import_records(
                "PubMed", make_entrez_client().iter_citations(options["pmid"]), options["corpus"], self.show_count
            )

    def import_file(self, path: Path, options: dict[str, Any]) -> None:
        try:
            stream = path.open("rb")
        except OSError as error:
            raise CommandError(f"Cannot read {path}: {error.strerror or error}.") from error
        with stream:
            try:
                article_format = ArticleFormat(options["format"] or detect_format_refusing_html_as_xml(stream, path))
            except FormatError as error:
                raise CommandError(str(error)) from error
            if article_format is ArticleFormat.PUBMED:
                progress = self.make_progress(stream, path.stat().st_size)
                self.import_records(
                    path.name, iter_citations_and_deletions(stream, path.name), options["corpus"], progress
                )
            else:
                self.store_file(path, stream, article_format, options)

    def store_file(self, path: Path, stream: BinaryIO, article_format: ArticleFormat, options: dict[str, Any]) -> None:
        """Import a file of any format except PubMed XML, all of it or nothing."""
        try:
            content = read_unpacked_non_pubmed_article_file(
                unpack_if_gzipped_within_limit(stream, path.name), path.name, article_format
            )
            content = replace_id_of_only_article(content, options["name"])
            producer = (
                get_or_create_author_or_gold_producer(options["producer"], options["sort"])
                if options["producer"]
                else None
            )
            stored = store_annotated_articles(content.articles, producer)
        except RefusedFileError as error:
            raise CommandError(f"{error}\nNothing of this file was imported.") from error
        except (FormatError, ArticleStorageError) as error:
            raise CommandError(f"{error}. Nothing of this file was imported.".replace("..", ".")) from error
        for warning in content.warnings:
            self.stderr.write(str(warning))
        self.stdout.write(f"{path.name} ({article_format}): {format_import_counts(stored.counts)}")
        self.report_annotations(content, stored, producer)
        if options["corpus"]:
            added = corpora.append_absent_articles_creating_corpus(
                options["corpus"], [article.pk for article in stored.articles]
            )
            self.stdout.write(f"Articles added to the corpus {options['corpus']}: {added:,}.")

    def report_annotations(
        self, content: ArticleFileContent, stored: StoredArticles, producer: Producer | None
    ) -> None:
        if producer is not None:
            self.stdout.write(f"Results stored for {producer.name}: {stored.results:,}.")
            for line in build_content_report(content.articles).iter_lines():
                self.stdout.write(line)
        elif any(each.has_annotations() for each in content.articles):
            self.stdout.write("The annotations in the file were not imported. Use --producer NAME to store them.")
        for article, not_movable in stored.moved:
            self.stdout.write(f"{article} is stored with a slightly different text, to which annotations were moved.")
            for annotation in not_movable[:MOST_LISTED_ANNOTATIONS]:
                self.stderr.write(
                    f"{article}: the stored text does not have the words of {_name_annotation(annotation)}, so it was "
                    "left out. Correct the text in the file and its positions."
                )
            if more := len(not_movable[MOST_LISTED_ANNOTATIONS:]):
                self.stderr.write(f"{article}: {more:,} more annotations were left out.")
        for article in stored.skipped_annotations:
            problem = "is stored with a text that differs too much from the file, so its annotations were not imported"
            self.stderr.write(f"{article} {problem}. Import it without annotations, or remove the article first.")

    def import_records(
        self,
        source: str,
        citations: Iterable[Citation | Deletion],
        corpus: str,
        progress: Callable[[ImportCounts], None],
    ) -> None:
        pmids: list[int] = []
        try:
            counts = import_citations_batch_by_batch(
                iter_records_collecting_citation_pmids(citations, pmids) if corpus else citations, progress
            )
        except ImportStoppedError as error:
            self.append_to_corpus(corpus, pmids)
            raise CommandError(str(error)) from error
        self.stdout.write(f"{source}: {format_import_counts(counts)}")
        self.append_to_corpus(corpus, pmids)

    def append_to_corpus(self, corpus: str, pmids: list[int]) -> None:
        if corpus and pmids:
            added = corpora.append_stored_pmids_creating_corpus(corpus, pmids)
            self.stdout.write(f"Articles added to the corpus {corpus}: {added:,}.")

    def show_count(self, counts: ImportCounts) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{counts.stored:,} citations", ending="")

    def make_progress(self, stream: BinaryIO, size: int) -> Callable[[ImportCounts], None]:
        """A function that shows on a terminal how much of the file is read and how long the rest will take."""
        began = monotonic()

        def progress(counts: ImportCounts) -> None:
            if self.stderr.isatty():
                self.stderr.write(
                    f"\r{counts.stored:,} citations, {format_share_and_time_left(stream.tell(), size, began)}\x1b[K",
                    ending="",
                )

        return progress


def format_share_and_time_left(bytes_read: int, file_bytes: int, began_monotonic: float) -> str:
    """`25% read, 3:20 left`, from the bytes read of a file and the time it began (monotonic)."""
    share = min(bytes_read / file_bytes, 1.0) if file_bytes else 1.0
    minutes, seconds = divmod(round((monotonic() - began_monotonic) * (1 - share) / max(share, 1e-6)), 60)
    return f"{share:.0%} read, {minutes}:{seconds:02} left"


def check_import_options(options: dict[str, Any]) -> None:
    if not options["files"] and not options["pmid"]:
        raise CommandError("Nothing to import. Give files, or PMIDs after --pmid.")
    if any(not 0 < pmid < 10**10 for pmid in options["pmid"]):
        raise CommandError("A PMID is a positive number of at most ten digits, such as 16054130.")
    if options["corpus"] != slugify(options["corpus"]):
        raise CommandError("--corpus takes a slug of lower-case letters, digits, hyphens and underscores.")
    if options["name"] and (len(options["files"]) != 1 or not parse_article_id_or_empty(options["name"])):
        raise CommandError(
            "--name needs exactly one file, and a PMID, PMCID or DOI such as 16054130, PMC3460867 or 10.1000/x."
        )


def detect_format_refusing_html_as_xml(stream: BinaryIO, path: Path) -> ArticleFormat:
    """The format of a file by its content.

    Raises FormatError if it is unknown, or if an .xml file is an HTML page (probably an error page of a server).
    """
    try:
        article_format = sniff_article_format_unpacking_gzip(stream, path.name)
    except OSError as error:
        raise CommandError(f"Cannot read {path}: {error.strerror or error}.") from error
    if article_format is ArticleFormat.HTML and ".xml" in path.suffixes:
        message = (
            "the file name ends in .xml, but it is an HTML page - download it again, or use --format html to import it"
        )
        raise FormatError(path.name, 1, 1, "R402", message)
    return article_format


def replace_id_of_only_article(content: ArticleFileContent, identifier_or_empty: str) -> ArticleFileContent:
    """The content with this identifier, if there is one, for its only article."""
    if not identifier_or_empty:
        return content
    if len(content.articles) != 1:
        raise ArticleStorageError(f"--name needs a file with one article, but this one has {len(content.articles):,}")
    return replace(content, articles=[replace(content.articles[0], ids=parse_article_id_or_empty(identifier_or_empty))])


def iter_records_collecting_citation_pmids(
    records: Iterable[Citation | Deletion], collected_pmids: list[int]
) -> Iterator[Citation | Deletion]:
    """Yield the records and append the PMID of each citation to collected_pmids."""
    for record in records:
        if isinstance(record, Citation):
            collected_pmids.append(record.pmid)
        yield record


def format_import_counts(counts: ImportCounts) -> str:
    text = f"{counts.new:,} new, {counts.changed:,} changed and {counts.unchanged:,} unchanged articles"
    notes = {"repeated in the file": counts.repeated, "withdrawn": counts.deleted, "withdrawn but kept": counts.kept}
    return ", ".join([text, *(f"{number:,} {note}" for note, number in notes.items() if number)]) + "."


def _name_annotation(annotation: AnnotationData) -> str:
    """The kind and text of an annotation, and its position in the file's text."""
    text = annotation.text or annotation.type
    where = f" at {annotation.start}-{annotation.end}" if annotation.start is not None else ""
    return f"a {annotation.kind}{f' {quote_file_text(text)}' if text else ''}{where}"
