"""Reads articles with their annotations from annotated text, such as PubTator, BioC and brat standoff.

The characters of every passage are kept. Positions in the file are converted to positions in the canonical text: they
differ where passages are separated by more than one character, and where parts of an abstract become one passage.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, Protocol, TypeVar

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mentions import AnnotatedTextFile, LeftOut, TextMention, TextRelation
from annotations.formats.annotated_text.text_parts import (
    CanonicalText,
    TextPart,
    build_canonical_text_merging_abstract_parts,
    build_canonical_text_unchanged_if_valid,
    build_parts_merging_sentences_skipping_invalid,
    is_covered_except_separating_newlines,
    list_unchanged_passages_skipping_sentences_and_invalid,
)
from annotations.formats.articles.article_record import ArticleRecord, Division
from annotations.formats.articles.parsed_article import (
    LONGEST_TYPE,
    ArticleFileContent,
    ArticleIds,
    ParsedArticle,
    check_article_size_and_characters,
    parse_article_id_or_empty,
)
from annotations.formats.bioc.documents import CANONICAL_PASSAGES_INFON, BiocCollector, BiocDocument
from annotations.formats.bioc.json_reader import read_bioc_json_into_collector
from annotations.formats.bioc.xml_reader import read_bioc_xml_into_collector
from annotations.formats.brat.documents import BratCollector, BratDocument
from annotations.formats.brat.reader import read_brat_into_collector
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.plain.reader import split_title_and_limited_paragraphs
from annotations.formats.pubannotation.reader import read_pubannotation_into_collector
from annotations.formats.pubtator.reader import PubTatorCollector, read_pubtator_into_collector
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.web_annotation.reader import (
    WebAnnotationCollector,
    read_web_annotation_into_collector,
    read_web_annotation_turtle_into_collector,
)
from annotations.formats.xmi.documents import XmiCollector
from annotations.formats.xmi.reader import read_xmi_into_collector
from annotations.schema import Span

DOCUMENT_WITHOUT_TEXT = "R446"
# Imports of articles report almost every differing mention, not only the first hundred.
MOST_ARTICLE_WARNINGS = 10_000
INFON_YEAR = re.compile(r"\b(1[5-9]|2[0-9])[0-9]{2}\b")
LONGEST_AUTHOR = 200
BYTE_ORDER_CHARACTER = "\ufeff"


@dataclass(slots=True)
class DocumentSource:
    """The text and metadata of one document.

    infons: by normalized keys; canonical: whether the file declares that the parts are the passages of a canonical
    text, as in exports of a BioCreative Meta-Server.
    """

    parts: list[TextPart] = field(default_factory=list)
    infons: Mapping[str, str] = field(default_factory=dict)
    canonical: bool = False

    def build_canonical_text(self) -> CanonicalText:
        return (
            build_canonical_text_unchanged_if_valid(self.parts)
            if self.canonical
            else build_canonical_text_merging_abstract_parts(self.parts)
        )


def _divide_text(text: str, divisions: Sequence[Division], infons: Mapping[str, str]) -> DocumentSource:
    """The text in the divisions that the file gives, if they cover it, or else in its title and paragraphs."""
    if is_covered_except_separating_newlines(text, divisions):
        divided_parts = [TextPart(start, label[:LONGEST_TYPE], text[start:end]) for start, end, label in divisions]
        return DocumentSource(divided_parts, infons, canonical=True)
    # Positions count a byte order mark, which is not part of the text.
    start = len(text) - len(text.removeprefix(BYTE_ORDER_CHARACTER))
    parts: list[TextPart] = []
    for passage in split_title_and_limited_paragraphs(text[start:]):
        parts.append(TextPart(start, passage.type, passage.text))
        start = parts[-1].end + 1
    return DocumentSource(parts, infons)


def build_text_source(text: str, record: ArticleRecord | None) -> DocumentSource:
    """The text of a document with the passages and the reference that a record of an export gives, if there is one."""
    return _divide_text(text, record.divisions if record else (), record.infons if record else {})


class BiocArticleCollector(BiocCollector):
    """Collects a BioC file, including its texts."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PositionedFaults(source, MOST_ARTICLE_WARNINGS)
        self.sources: dict[str, DocumentSource] = {}
        self.last_document = ""

    def register_document(self, name: str, line: int, column: int) -> str:
        self.last_document = super().register_document(name, line, column)
        return self.last_document

    def add_document(self, document: BiocDocument) -> None:
        super().add_document(document)
        infons = document.passages[0].infons if document.passages else {}
        self.sources[self.last_document] = self.build_source(document, {**infons, **document.infons})

    def build_source(self, document: BiocDocument, infons: Mapping[str, str]) -> DocumentSource:
        key, value = CANONICAL_PASSAGES_INFON
        if infons.get(key) == value:
            return DocumentSource(
                list_unchanged_passages_skipping_sentences_and_invalid(document.passages), infons, canonical=True
            )
        return DocumentSource(build_parts_merging_sentences_skipping_invalid(document.passages), infons)


class PubAnnotationArticleCollector(BiocArticleCollector):
    """Collects a PubAnnotation file, including its texts; without divisions, the first line is the title."""

    def build_source(self, document: BiocDocument, infons: Mapping[str, str]) -> DocumentSource:
        text = "".join(passage.text for passage in document.passages)
        return _divide_text(text, document.divisions, infons)


class PubTatorArticleCollector(PubTatorCollector):
    """Collects a PubTator file, including its texts."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PositionedFaults(source, MOST_ARTICLE_WARNINGS)
        self.sources: dict[str, DocumentSource] = {}

    def add_text(self, number: int, document: str, part: str, text: str) -> None:
        super().add_text(number, document, part, text)
        parts: list[TextPart] = []
        for letter, passage_type in (("t", "title"), ("a", "abstract")):
            if letter in self.texts:
                start = parts[-1].end + 1 if parts else 0
                parts.append(TextPart(start, passage_type, self.texts[letter]))
        self.sources[document] = DocumentSource(parts)


class BratArticleCollector(BratCollector):
    """Collects an archive of brat standoff, including its texts; without a record, the first line is the title."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PositionedFaults(source, MOST_ARTICLE_WARNINGS)
        self.sources: dict[str, DocumentSource] = {}

    def add_source(self, document_id: str, document: BratDocument, record: ArticleRecord | None) -> None:
        self.sources[document_id] = build_text_source(document.text, record)


class WebAnnotationArticleCollector(WebAnnotationCollector):
    """Collects a page of Web Annotations, including its texts."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PositionedFaults(source, MOST_ARTICLE_WARNINGS)
        self.sources: dict[str, DocumentSource] = {}

    def add_source(self, document: str, text: str, record: ArticleRecord) -> None:
        self.sources[document] = build_text_source(text, record)


class XmiArticleCollector(XmiCollector):
    """Collects XMI files, including their texts."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PositionedFaults(source, MOST_ARTICLE_WARNINGS)
        self.sources: dict[str, DocumentSource] = {}

    def add_source(self, document_id: str, text: str, record: ArticleRecord | None) -> None:
        self.sources[document_id] = build_text_source(text, record)


class _PartOfDocument(Protocol):
    @property
    def document(self) -> str: ...


Item = TypeVar("Item", bound=_PartOfDocument)
ArticleCollector = (
    BiocArticleCollector
    | PubTatorArticleCollector
    | BratArticleCollector
    | WebAnnotationArticleCollector
    | XmiArticleCollector
)
ARTICLE_COLLECTORS: Mapping[
    ResultFormat, tuple[Callable[[str], ArticleCollector], Callable[[BinaryIO, Any], AnnotatedTextFile]]
] = {
    ResultFormat.PUBTATOR: (PubTatorArticleCollector, read_pubtator_into_collector),
    ResultFormat.BIOC_XML: (BiocArticleCollector, read_bioc_xml_into_collector),
    ResultFormat.BIOC_JSON: (BiocArticleCollector, read_bioc_json_into_collector),
    ResultFormat.PUBANNOTATION: (PubAnnotationArticleCollector, read_pubannotation_into_collector),
    ResultFormat.BRAT: (BratArticleCollector, read_brat_into_collector),
    ResultFormat.XMI: (XmiArticleCollector, read_xmi_into_collector),
    ResultFormat.WEB_ANNOTATION: (WebAnnotationArticleCollector, read_web_annotation_into_collector),
    ResultFormat.WEB_ANNOTATION_TURTLE: (WebAnnotationArticleCollector, read_web_annotation_turtle_into_collector),
}


def read_annotated_articles_skipping_textless(
    stream: BinaryIO, source: str, text_format: ResultFormat
) -> ArticleFileContent:
    """The articles of a seekable stream in one of the four formats; source is the file's name in faults and warnings.

    RefusedFileError with all faults of the file, or with those of articles that cannot be stored (R447 to R449).
    Documents without text are skipped with a warning (R446).
    """
    make_collector, collect = ARTICLE_COLLECTORS[text_format]
    collector = make_collector(source)
    text_file = collect(stream, collector)
    return _ArticleAssembler(source, text_file, collector.sources).assemble_file()


class _ArticleAssembler:
    """Assembles articles from the annotations of a file and the sources of its documents."""

    def __init__(self, source: str, text_file: AnnotatedTextFile, sources: Mapping[str, DocumentSource]) -> None:
        self.source, self.text_file, self.sources = source, text_file, sources
        self.warnings = list(text_file.warnings)
        self.faults: list[FormatError] = []
        self.mentions = _group_by_document(text_file.mentions)
        self.pairs = _group_by_document(text_file.pairs)
        self.relations = _group_by_document(text_file.relations)
        self.entities = _group_by_document(text_file.entities)
        self.labels = _group_by_document(text_file.labels)
        self.left_out = _group_by_document(text_file.left_out)

    def assemble_file(self) -> ArticleFileContent:
        articles = list(self.iter_articles())
        if self.faults:
            raise RefusedFileError(self.faults)
        return ArticleFileContent(articles, self.warnings)

    def iter_articles(self) -> Iterator[ParsedArticle]:
        for document in self.text_file.documents:
            source = self.sources.get(document, DocumentSource())
            if not any(part.text.strip() for part in source.parts):
                problem = f"the document {quote_file_text(document)} has no text, so it is skipped"
                self.add_warning(DOCUMENT_WITHOUT_TEXT, 0, f"{problem} - add its title or abstract")
                continue
            try:
                yield check_article_size_and_characters(self.assemble_article(document, source), self.source)
            except FormatError as error:
                self.faults.append(error)

    def assemble_article(self, document: str, source: DocumentSource) -> ParsedArticle:
        text = source.build_canonical_text()
        ids = _find_article_ids(document, source.infons)
        return ParsedArticle(
            ids,
            text.passages,
            **_parse_bibliographic_infons(source.infons),
            source_id="" if ids else document,
            pairs=tuple(self.pairs[document]),
            mentions=tuple(self.iter_moved_mentions(text, document)),
            relevant=self.text_file.relevant.get(document),
            relations=tuple(self.move_relation(relation, text) for relation in self.relations[document]),
            entities=tuple(self.entities[document]),
            labels=tuple(self.labels[document]),
            kinds=self.text_file.kinds.get(document, frozenset()),
            left_out=tuple(self.left_out[document]),
            document=document,
        )

    def iter_moved_mentions(self, text: CanonicalText, document: str) -> Iterator[TextMention]:
        """The mentions of a document with positions in its canonical text; others are skipped with a warning."""
        for mention in self.mentions[document]:
            if span := text.find_span(mention.start, mention.end):
                parts = self.move_spans(mention.spans, text, mention)
                spans = parts if len(parts) > 1 else ()
                yield replace(mention, start=span[0], end=span[1], spans=spans)
            else:
                problem = f"the mention {quote_file_text(mention.text)} starts at {mention.start}, between passages"
                self.add_warning("R655", mention.line, f"{problem}, so it is skipped - correct its offset")

    def move_relation(self, relation: TextRelation, text: CanonicalText) -> TextRelation:
        """The relation with positions in the canonical text; an argument without one has its identifiers alone."""
        if not relation.evidence and not any(argument.spans for argument in relation.arguments):
            return relation
        arguments = tuple(
            replace(argument, spans=self.move_spans(argument.spans, text, relation)) if argument.spans else argument
            for argument in relation.arguments
        )
        return replace(relation, arguments=arguments, evidence=self.move_spans(relation.evidence, text, relation))

    def move_spans(
        self, spans: Sequence[Span], text: CanonicalText, origin: TextMention | TextRelation
    ) -> tuple[Span, ...]:
        """The positions of spans in the canonical text; those that begin between passages are left out."""
        moved = tuple(Span(*found) for span in spans if (found := text.find_span(span.start, span.end)))
        lost = LeftOut(origin.document, "spans", "they begin between passages", origin.line)
        self.left_out[origin.document] += [lost] * (len(spans) - len(moved))
        return moved

    def add_warning(self, rule: str, line: int, message: str) -> None:
        self.warnings.append(FormatError(self.source, line, 1 if line else 0, rule, message))


def _group_by_document(items: Iterable[Item]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[item.document].append(item)
    return groups


def _find_article_ids(document: str, infons: Mapping[str, str]) -> ArticleIds:
    """The public identifiers of an article, from its ID in the file and the infons that PubMed Central writes."""
    pmcid = infons.get("articleidpmc", "").strip().upper().removeprefix("PMC")
    pmid = parse_article_id_or_empty(infons.get("articleidpmid", "")).pmid
    document_ids = (
        ArticleIds() if pmcid and document.upper().removeprefix("PMC") == pmcid else parse_article_id_or_empty(document)
    )
    pmc_ids = parse_article_id_or_empty(f"PMC{pmcid}") if pmcid else ArticleIds()
    return ArticleIds(
        document_ids.pmid or pmid,
        document_ids.pmcid or pmc_ids.pmcid,
        document_ids.doi or parse_article_id_or_empty(infons.get("articleiddoi", "")).doi,
    )


def _parse_bibliographic_infons(infons: Mapping[str, str]) -> dict[str, Any]:
    """Journal, year and authors from the infons that PubTator and PubMed Central write, as keyword arguments."""
    year = INFON_YEAR.search(infons.get("year", "")) or INFON_YEAR.search(infons.get("journal", ""))
    authors = [part.strip()[:LONGEST_AUTHOR] for part in infons.get("authors", "").split(",")]
    return {
        "journal": infons.get("journaltitle", "") or infons.get("journal", "").split(";")[0].strip(),
        "year": int(year[0]) if year else None,
        "authors": tuple(author for author in authors if author),
    }
