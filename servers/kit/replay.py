"""An annotation server that returns the annotations in a file: python -m servers.kit.replay FILE --port 9200

FILE is PubTator, BioC (XML or JSON) or PubAnnotation, optionally gzipped. Mentions keep their positions and, with
--protocol rest, their types, which XML-RPC cannot express. Genes and organisms with an identifier are also returned for
the whole article, the most frequent first. For an article that is not in the file the answer is empty.
--names FILE has lines of document id, tab and PMID, for files with document ids of their own.
"""

import argparse
import gzip
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from annotations.formats.annotated_text.document_results import (
    GENE_TYPES,
    SPECIES_TYPES,
    matches_type_ignoring_case_and_punctuation,
)
from annotations.formats.annotated_text.mentions import AnnotatedTextFile, TextMention
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.result_sniffing import sniff_result_format_else_tsv
from annotations.identifiers.namespaces import NAMESPACES
from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle
from servers.kit.serving import HANDLERS, serve

GZIP = b"\x1f\x8b"


class ReplayAnnotator:
    """Answers with the annotations in a file. names: {document id in the file: the meta-server's id of the article}."""

    def __init__(self, file: AnnotatedTextFile, names: Mapping[str, str]) -> None:
        self.mentions: dict[str, list[TextMention]] = {}
        for mention in file.mentions:
            self.mentions.setdefault(names.get(mention.document, mention.document), []).append(mention)

    def __call__(self, article: KitArticle) -> Iterator[AnnotationData]:
        mentions = self.mentions.get(article.identifier, [])
        yield from iter_mentions_once_per_span(mentions, article.text)
        yield from iter_genes_then_organisms_by_frequency(mentions)


def iter_mentions_once_per_span(mentions: Sequence[TextMention], article_text: str) -> Iterator[AnnotationData]:
    """One mention for each span, with its first type; its text is taken from the article."""
    seen = set()
    for mention in mentions:
        span = (mention.start, mention.end)
        if span not in seen:
            seen.add(span)
            covered = article_text[mention.start : mention.end] or mention.text
            yield AnnotationData(Kind.MENTION, start=mention.start, end=mention.end, text=covered, type=mention.type)


def iter_genes_then_organisms_by_frequency(mentions: Sequence[TextMention]) -> Iterator[AnnotationData]:
    """The genes, proteins and organisms of the article, ranked by number of mentions, then by first mention."""
    for kind, types in ((Kind.NORMALIZATION, GENE_TYPES), (Kind.TAXON, SPECIES_TYPES)):
        counts = Counter(
            entry
            for mention in sorted(mentions, key=lambda mention: mention.start)
            if matches_type_ignoring_case_and_punctuation(mention.type, types)
            for identifier in mention.identifiers
            if (entry := find_database_and_identifier_by_pattern(kind, identifier)) is not None
        )
        for rank, ((database, identifier), _) in enumerate(counts.most_common(), 1):
            yield AnnotationData(kind, database=database, identifier=identifier, rank=rank)


def find_database_and_identifier_by_pattern(entry_kind: Kind, identifier: str) -> tuple[str, str] | None:
    """(database, identifier) for the first database of this kind whose identifiers look like this one, else None."""
    databases = ("ncbitaxon",) if entry_kind == Kind.TAXON else ("ncbigene", "uniprot")
    fitting = [database for database in databases if NAMESPACES[database].pattern.fullmatch(identifier)]
    return (fitting[0], identifier) if fitting else None


def read_annotated_text_file(path: Path) -> AnnotatedTextFile:
    """The annotated text in a file. Raises RefusedFileError with its errors, or ValueError for an unknown format."""
    with open_plain_or_gzip(path) as stream:
        file_format = ANNOTATED_TEXT_FORMATS.get(sniff_result_format_else_tsv(stream))
        if file_format is None:
            known = ", ".join(each.name for each in ANNOTATED_TEXT_FORMATS.values())
            raise ValueError(f"{path} is in none of the formats of annotated text: {known}.")
        return file_format.read(stream, path.name)


def open_plain_or_gzip(path: Path) -> BinaryIO:
    with path.open("rb") as stream:
        is_gzipped = stream.read(2) == GZIP
    return gzip.open(path, "rb") if is_gzipped else path.open("rb")  # type: ignore[return-value]


def read_pmid_by_document_id(path: Path) -> dict[str, str]:
    """{document id: PMID} from tab-separated lines. Raises ValueError for a line without a tab."""
    names = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        document, tab, pmid = line.partition("\t")
        if not tab:
            raise ValueError(f"{path}:{number} has no tab: write the document id, a tab and the PMID.")
        names[document] = pmid.strip()
    return names


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the file. Exits with a message and status 1 when it cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m servers.kit.replay", description="Serve the annotations in a file."
    )
    parser.add_argument("file", type=Path, help="PubTator, BioC or PubAnnotation, optionally gzipped")
    parser.add_argument("--names", type=Path, help="lines of document id, tab and PMID")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--protocol", choices=list(HANDLERS), default="bcms", help="rest keeps the types of mentions")
    parser.add_argument("--delay", type=float, default=0.0, metavar="S", help="seconds to wait before each answer")
    options = parser.parse_args(arguments)
    try:
        replay = ReplayAnnotator(
            read_annotated_text_file(options.file), read_pmid_by_document_id(options.names) if options.names else {}
        )
    except RefusedFileError as refused:
        sys.exit("\n".join(map(str, refused.faults)))
    except (OSError, ValueError) as error:
        sys.exit(f"The file cannot be served: {error}")
    serve(replay, port=options.port, protocol=options.protocol, delay=options.delay)


if __name__ == "__main__":
    main()
