"""Writes BioC in XML and JSON: passages with offsets, mentions in them, other annotations as relations of the document.

Infons hold what BioC has no element for: producer, server and the version of its system, kind, confidence, rank,
database, identifier, taxon. An annotation of the whole article is a relation without nodes; an interaction pair is one
of type PPI with Gene1 and Gene2. A result without annotations is a relation of type `none`. Offsets count code points.
Source: BioC.dtd, Comeau et al. 2013, doi:10.1093/database/bat064.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    ProducerResult,
    build_nonempty_export_fields,
    format_field_value_with_yes_no,
)
from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.bioc.documents import CANONICAL_PASSAGES_INFON
from annotations.schema import AnnotationData, Kind

Infons = Mapping[str, str]
NO_ANNOTATIONS_TYPE = "none"
# Characters that XML 1.0 does not allow, not even as references.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\ufffd"
BIOC_XML_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source>BioCreative Meta-Server</source><date/><key>bcms</key>\n"
)
BIOC_JSON_HEAD = '{"source": "BioCreative Meta-Server", "date": "", "key": "bcms", "infons": {}, "documents": [\n'


@dataclass(frozen=True, slots=True)
class WrittenMention:
    id: str
    infons: Infons
    start: int
    end: int
    text: str


@dataclass(slots=True)
class WrittenPassage:
    offset: int
    passage: TextPassage
    mentions: list[WrittenMention] = field(default_factory=list)

    @property
    def infons(self) -> Infons:
        return {"type": self.passage.type}


@dataclass(frozen=True, slots=True)
class WrittenRelation:
    id: str
    infons: Infons


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    id: str
    infons: Infons
    passages: list[WrittenPassage]
    relations: list[WrittenRelation]


def write_bioc_xml(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One collection, in one piece per document. Characters that XML does not allow become U+FFFD, one for one."""
    yield BIOC_XML_HEAD
    for article in articles:
        yield "".join(_iter_bioc_xml_pieces(_build_written_document(article)))
    yield "</collection>\n"


def write_bioc_json(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One collection, with one document per line."""
    separator = BIOC_JSON_HEAD
    for article in articles:
        yield separator + json.dumps(_build_bioc_json_document(_build_written_document(article)), ensure_ascii=False)
        separator = ",\n"
    yield (BIOC_JSON_HEAD if separator == BIOC_JSON_HEAD else "\n") + "]}\n"


def _build_written_document(article: AnnotatedArticle) -> WrittenDocument:
    """The article with each mention in the passage in which it starts."""
    passages = [WrittenPassage(start, passage) for start, passage in article.iter_passage_offsets()]
    for number, (producer, annotation) in enumerate(article.iter_annotations(Kind.MENTION), 1):
        if annotation.start is not None and annotation.end is not None:
            mention = WrittenMention(
                f"T{number}",
                _build_annotation_infons(producer, annotation),
                annotation.start,
                annotation.end,
                annotation.text,
            )
            _find_passage_containing_start(passages, annotation.start).mentions.append(mention)
    relations = (infons for result in article.results for infons in _iter_relation_infons(result))
    numbered = [WrittenRelation(f"R{number}", infons) for number, infons in enumerate(relations, 1)]
    return WrittenDocument(article.id, _build_article_infons(article), passages, numbered)


def _find_passage_containing_start(passages: list[WrittenPassage], start: int) -> WrittenPassage:
    """The last passage that begins at or before a position."""
    low, high = 0, len(passages)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passages[middle].offset <= start else (low, middle)
    return passages[low]


def _build_article_infons(article: AnnotatedArticle) -> Infons:
    """Metadata of the article, with the keys that PubMed Central uses in BioC where it has any."""
    relevant = article.find_only_class()
    infons = {
        "article-id_pmid": str(article.ids.pmid or ""),
        "article-id_pmc": article.ids.pmcid.removeprefix("PMC"),
        "article-id_doi": article.ids.doi,
        "journal-title": article.journal,
        "year": str(article.year or ""),
        "authors": ", ".join(article.authors),
        "relevant": "" if relevant is None else format_field_value_with_yes_no(relevant),
        "text_version": str(article.text_version),
    }
    return {key: value for key, value in infons.items() if value} | dict([CANONICAL_PASSAGES_INFON])


def _build_annotation_infons(producer: ExportedProducer, annotation: AnnotationData) -> Infons:
    """The producer and the fields of an annotation, without its position, for which BioC has elements."""
    infons = {
        key: format_field_value_with_yes_no(value)
        for key, value in build_nonempty_export_fields(annotation).items()
        if key not in ("start", "end")
    }
    if annotation.kind is Kind.MENTION:
        infons.pop("text", None)
    return _build_producer_infons(producer, annotation.kind) | infons


def _build_producer_infons(producer: ExportedProducer, kind: Kind) -> dict[str, str]:
    infons = producer.export_fields() | {"kind": kind.value}
    return {key: value for key, value in infons.items() if value}


def _iter_relation_infons(result: ProducerResult) -> Iterator[Infons]:
    """The infons of relations for annotations without a position, and for a result without annotations."""
    if not result.annotations:
        yield {"type": NO_ANNOTATIONS_TYPE} | _build_producer_infons(result.producer, result.kind)
    elif result.kind is not Kind.MENTION:
        for annotation in result.annotations:
            yield {**_build_relation_type_infons(annotation), **_build_annotation_infons(result.producer, annotation)}


def _build_relation_type_infons(annotation: AnnotationData) -> dict[str, str]:
    if annotation.kind is not Kind.PAIR:
        return {"type": annotation.kind.value}
    return {"type": "PPI", "Gene1": annotation.identifier, "Gene2": annotation.partner}


def _iter_bioc_xml_pieces(document: WrittenDocument) -> Iterator[str]:
    document_id = escape_xml_text_replacing_invalid_characters(document.id)
    yield f"<document><id>{document_id}</id>{_format_xml_infons(document.infons)}\n"
    for passage in document.passages:
        yield f"<passage>{_format_xml_infons(passage.infons)}<offset>{passage.offset}</offset>"
        yield f"<text>{escape_xml_text_replacing_invalid_characters(passage.passage.text)}</text>\n"
        for mention in passage.mentions:
            location = f'<location offset="{mention.start}" length="{mention.end - mention.start}"/>'
            text = f"<text>{escape_xml_text_replacing_invalid_characters(mention.text)}</text>"
            yield f'<annotation id="{mention.id}">{_format_xml_infons(mention.infons)}{location}{text}</annotation>\n'
        yield "</passage>\n"
    for relation in document.relations:
        yield f'<relation id="{relation.id}">{_format_xml_infons(relation.infons)}</relation>\n'
    yield "</document>\n"


def _format_xml_infons(infons: Infons) -> str:
    return "".join(
        f"<infon key={quoteattr(key)}>{escape_xml_text_replacing_invalid_characters(value)}</infon>"
        for key, value in infons.items()
    )


def escape_xml_text_replacing_invalid_characters(text: str) -> str:
    """The text escaped as content of an element. CR is escaped because XML reads it as LF."""
    return escape(NOT_IN_XML.sub(REPLACEMENT, text), {"\r": "&#13;"})


def _build_bioc_json_document(document: WrittenDocument) -> dict[str, object]:
    return {
        "id": document.id,
        "infons": document.infons,
        "passages": [_build_bioc_json_passage(passage) for passage in document.passages],
        "annotations": [],
        "relations": [{"id": relation.id, "infons": relation.infons, "nodes": []} for relation in document.relations],
    }


def _build_bioc_json_passage(passage: WrittenPassage) -> dict[str, object]:
    return {
        "offset": passage.offset,
        "infons": passage.infons,
        "text": passage.passage.text,
        "sentences": [],
        "annotations": [_build_bioc_json_mention(mention) for mention in passage.mentions],
        "relations": [],
    }


def _build_bioc_json_mention(mention: WrittenMention) -> dict[str, object]:
    locations = [{"offset": mention.start, "length": mention.end - mention.start}]
    return {"id": mention.id, "infons": mention.infons, "text": mention.text, "locations": locations}
