"""Writes UIMA CAS XMI: a zip archive with a CAS for each article and the type system that they share.

UIMA counts UTF-16 code units, so positions after an astral character are higher than in code points. Characters that
XML does not allow become U+FFFD, one for one. type_system.py describes the types.
Source: OASIS, UIMA Version 1.0 (XMI for CAS).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    build_nonempty_export_fields,
    format_field_value_with_yes_no,
)
from annotations.formats.bioc.declared_infons import YES
from annotations.formats.xmi.type_system import (
    ARGUMENT_TYPE,
    ARTICLE_TYPE,
    DECLARED_TYPE,
    IDENTIFIER_TYPE,
    PASSAGE_TYPE,
    POSITION_FIELDS,
    QUALIFIER_TYPE,
    SPAN_TYPE,
    format_type_system,
)
from annotations.formats.xmi.utf16_offsets import Utf16Offsets
from annotations.formats.zip.writer import ZipArchiveWriter
from annotations.identifiers.curies import format_curie
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, RelationParts, Span
from bcms.lib.xml_text import quote_xml_attribute_replacing_invalid_characters

XMI_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:bcms="http:///bcms.ecore" '
    'xmi:version="2.0">\n<cas:NULL xmi:id="0"/>\n'
)
SOFA_ID = 1


def write_xmi_zip_archive(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """The archive in pieces; only the names of its files are kept in memory."""
    archive = ZipArchiveWriter()
    for article in articles:
        archive.add(article.id, "xmi", "".join(_CasBuilder(article).iter_pieces()))
        yield archive.take_bytes()
    archive.add("TypeSystem", "xml", format_type_system())
    yield archive.finish()


class _CasBuilder:
    """Builds the XML of one CAS; members: the IDs of indexed annotations."""

    def __init__(self, article: AnnotatedArticle) -> None:
        self.article, self.text = article, article.text
        self.utf16_offsets, self.ids = Utf16Offsets(self.text), count(SOFA_ID + 1)
        self.members: list[str] = []
        self.elements: list[str] = []

    def iter_pieces(self) -> Iterator[str]:
        yield XMI_HEAD
        self.add_article()
        for start, passage in self.article.iter_passage_offsets():
            span = Span(start, start + len(passage.text))
            self.add_annotation(PASSAGE_TYPE, span, {"type": passage.type})
        for result in self.article.results:
            if not result.annotations:
                fields = result.producer.export_fields() | {"kind": result.kind.value, "found": "nothing"}
                self.add_annotation(DECLARED_TYPE, self.whole_span, fields)
            for annotation in result.annotations:
                self.add_declared_annotation(result.producer, annotation)
        yield from self.elements
        sofa = {"xmi:id": str(SOFA_ID), "sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text"}
        yield f"<cas:Sofa{_format_xml_attributes(sofa | {'sofaString': self.text})}/>\n"
        yield f'<cas:View sofa="{SOFA_ID}" members="{" ".join(self.members)}"/>\n</xmi:XMI>\n'

    @property
    def whole_span(self) -> Span:
        return Span(0, len(self.text))

    def add_structure(self, type_name: str, features: Mapping[str, str]) -> str:
        """Add an element and return its ID."""
        element_id = str(next(self.ids))
        attributes = _format_xml_attributes({"xmi:id": element_id, **features})
        self.elements.append(f"<bcms:{type_name}{attributes}/>\n")
        return element_id

    def add_annotation(self, type_name: str, span: Span, features: Mapping[str, str]) -> str:
        begin, end = map(self.utf16_offsets.convert_offset, span)
        position = {"sofa": str(SOFA_ID), "begin": str(begin), "end": str(end)}
        # Some readers convert positions of indexed annotations only.
        self.members.append(self.add_structure(type_name, {**position, **features}))
        return self.members[-1]

    def add_article(self) -> None:
        article = self.article
        features = {
            "article": article.id,
            "text_version": str(article.text_version),
            "pmid": str(article.ids.pmid or ""),
            "pmcid": article.ids.pmcid,
            "doi": article.ids.doi,
            "journal": article.journal,
            "year": str(article.year or ""),
            "authors": ", ".join(article.authors),
        }
        self.add_annotation(ARTICLE_TYPE, self.whole_span, features)

    def add_declared_annotation(self, producer: ExportedProducer, annotation: AnnotationData) -> None:
        parts = annotation.parts if annotation.kind is Kind.MENTION else ()
        span = Span(parts[0].start, parts[-1].end) if parts else self.whole_span
        fields = {
            name: format_field_value_with_yes_no(value)
            for name, value in build_nonempty_export_fields(annotation).items()
            if name not in POSITION_FIELDS
        }
        lists = {
            "spans": self.add_spans(annotation.spans),
            "identifiers": self.add_identifiers(annotation.identifiers),
            **(self.add_relation_parts(annotation.relation) if annotation.relation else {}),
        }
        features = {**producer.export_fields(), "kind": annotation.kind.value, **fields, **lists}
        self.add_annotation(DECLARED_TYPE, span, features)

    def add_relation_parts(self, relation: RelationParts) -> dict[str, str]:
        """The features of a relation, after what they refer to is added."""
        qualifiers = [
            self.add_structure(QUALIFIER_TYPE, {"name": name, "value": value}) for name, value in relation.qualifiers
        ]
        return {
            "directed": YES if relation.directed else "",
            "arguments": " ".join(map(self.add_argument, relation.arguments)),
            "qualifiers": " ".join(qualifiers),
            "evidence": self.add_spans(relation.evidence),
        }

    def add_argument(self, argument: RelationArgument) -> str:
        features = {
            "role": argument.role,
            "type": argument.type,
            "text": argument.text,
            "spans": self.add_spans(argument.spans),
            "identifiers": self.add_identifiers(argument.identifiers),
        }
        return self.add_structure(ARGUMENT_TYPE, features)

    def add_spans(self, spans: Sequence[Span]) -> str:
        return " ".join(self.add_annotation(SPAN_TYPE, span, {}) for span in spans)

    def add_identifiers(self, identifiers: Sequence[EntityId]) -> str:
        return " ".join(map(self.add_identifier, identifiers))

    def add_identifier(self, entity: EntityId) -> str:
        return self.add_structure(IDENTIFIER_TYPE, {"curie": format_curie(entity), **entity._asdict()})


def _format_xml_attributes(values: Mapping[str, str]) -> str:
    return "".join(
        f" {name}={quote_xml_attribute_replacing_invalid_characters(value)}"
        for name, value in values.items()
        if value != ""
    )
