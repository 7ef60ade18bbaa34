"""An annotation server that returns the annotations in a file: python -m servers.kit.replay FILE --port 9200

FILE is annotated text: PubTator, BioC (XML or JSON), PubAnnotation, brat, UIMA XMI or Web Annotation, optionally
gzipped. Mentions keep their positions, parts, types and identifiers, relations their arguments; entities, labels,
classes and pairs are returned, too. Genes and organisms with an identifier are also returned for the whole article, the
most frequent first, unless the file states the kinds that it has, as exports of a meta-server do. For an article that
is not in the file the answer is empty.
--names FILE has lines of document id, tab and PMID, for files with document ids of their own.
"""

import argparse
import gzip
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from annotations.entity_types import GENE_TYPES, SPECIES_TYPES, matches_type_ignoring_case_and_punctuation
from annotations.formats.annotated_text.mentions import AnnotatedTextFile, TextMention
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.formats.errors import RefusedFileError
from annotations.formats.result_sniffing import sniff_result_format_else_tsv
from annotations.identifiers.namespaces import NAMESPACES
from annotations.schema import AnnotationData, Kind, Span
from servers.kit.articles import KitArticle
from servers.kit.serving import HANDLERS, serve

GZIP = b"\x1f\x8b"
# The kinds that files rarely have for whole articles, with the types of mentions whose identifiers they are.
TYPES_BY_RANKED_KIND = {Kind.NORMALIZATION: GENE_TYPES, Kind.TAXON: SPECIES_TYPES}


class PartOfDocument(Protocol):
    """Something that a file has about one of its documents."""

    @property
    def document(self) -> str: ...


OfDocument = TypeVar("OfDocument", bound=PartOfDocument)


class ReplayAnnotator:
    """Answers with the annotations in a file. names: {document id in the file: the meta-server's id of the article}."""

    def __init__(self, file: AnnotatedTextFile, names: Mapping[str, str]) -> None:
        mentions, pairs = group_by_document(file.mentions), group_by_document(file.pairs)
        relations, entities = group_by_document(file.relations), group_by_document(file.entities)
        labels = group_by_document(file.labels)
        self.documents = {
            names.get(document, document): ParsedArticle(
                ArticleIds(),
                passages=(),
                mentions=tuple(mentions[document]),
                pairs=tuple(pairs[document]),
                relevant=file.relevant.get(document),
                relations=tuple(relations[document]),
                entities=tuple(entities[document]),
                labels=tuple(labels[document]),
                kinds=file.kinds.get(document, frozenset()),
            )
            for document in file.documents
        }

    def __call__(self, article: KitArticle) -> Iterator[AnnotationData]:
        document = self.documents.get(article.identifier)
        return iter(()) if document is None else iter_document_annotations(document, article.text)


def group_by_document(items: Iterable[OfDocument]) -> defaultdict[str, list[OfDocument]]:
    """{document: its items in the order of the file}; no items for any other document."""
    groups: defaultdict[str, list[OfDocument]] = defaultdict(list)
    for item in items:
        groups[item.document].append(item)
    return groups


def iter_document_annotations(document: ParsedArticle, article_text: str) -> Iterator[AnnotationData]:
    """The annotations of a document, whose texts are those of the article at their positions."""
    given_texts = {mention.parts: mention.text for mention in document.mentions}

    def find_text(spans: Sequence[Span], given: str) -> str:
        covered = " ".join(filter(None, (article_text[start:end] for start, end in spans)))
        return covered or given_texts.get(tuple(spans), given)

    content = build_open_annotations(replace(document, passages=(TextPassage("title", article_text),)))
    for kind, annotations in content.items():
        if kind is Kind.MENTION:
            # Some files have several types at one span, but an answer has each span once.
            first_by_span = {each.key: each for each in reversed(annotations)}
            for mention in annotations:
                if mention is first_by_span[mention.key]:
                    yield replace(mention, text=find_text(mention.parts, mention.text))
        elif kind in TYPES_BY_RANKED_KIND and not document.kinds:
            yield from iter_entries_by_frequency(kind, document.mentions)
        elif kind is Kind.RELATION:
            yield from (replace_argument_texts(relation, find_text) for relation in annotations)
        else:
            yield from annotations


def replace_argument_texts(relation: AnnotationData, find_text: Callable[[Sequence[Span], str], str]) -> AnnotationData:
    """The relation with the texts of its arguments that are mentions."""
    if relation.relation is None:
        return relation
    arguments = tuple(
        replace(argument, text=find_text(argument.spans, argument.text)) if argument.spans else argument
        for argument in relation.arguments
    )
    return replace(relation, relation=replace(relation.relation, arguments=arguments))


def iter_entries_by_frequency(kind: Kind, mentions: Sequence[TextMention]) -> Iterator[AnnotationData]:
    """The genes and proteins or the organisms of the article, ranked by number of mentions, then by first mention."""
    counts = Counter(
        entry
        for mention in sorted(mentions, key=lambda mention: mention.start)
        if matches_type_ignoring_case_and_punctuation(mention.type, TYPES_BY_RANKED_KIND[kind])
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
    parser.add_argument("file", type=Path, help="annotated text, optionally gzipped")
    parser.add_argument("--names", type=Path, help="lines of document id, tab and PMID")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--protocol", choices=list(HANDLERS), default="bcms", help="default: bcms, XML-RPC")
    parser.add_argument("--callback-url", default="", metavar="URL", help="with becalm: .../api/saveAnnotations/")
    parser.add_argument("--api-key", default="", metavar="KEY", help="with becalm: the key on the server's page")
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
    serve(
        replay,
        port=options.port,
        protocol=options.protocol,
        delay=options.delay,
        callback_url=options.callback_url,
        api_key=options.api_key,
    )


if __name__ == "__main__":
    main()
