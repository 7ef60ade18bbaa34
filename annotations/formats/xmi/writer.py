"""Writes UIMA CAS XMI: a zip archive with a CAS for each article and the type system that they share.

A `bcms.Passage` is a part of the text, a `bcms.Finding` is an annotation: of its span for a mention, otherwise of the
whole text. UIMA counts UTF-16 code units, so positions after an astral character are higher than in code points.
Characters that XML does not allow become U+FFFD, one for one. Source: OASIS, UIMA Version 1.0 (XMI for CAS).
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from xml.sax.saxutils import quoteattr

from annotations.formats.articles.annotated_article import (
    EXPORTED_ANNOTATION_FIELDS,
    PRODUCER_FIELDS,
    AnnotatedArticle,
    build_nonempty_export_fields,
    format_field_value_with_yes_no,
)
from annotations.formats.bioc.writer import NOT_IN_XML, REPLACEMENT
from annotations.formats.zip.writer import ZipArchiveWriter
from annotations.schema import Kind

XMI_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:bcms="http:///bcms.ecore" '
    'xmi:version="2.0">\n<cas:NULL xmi:id="0"/>\n'
)
SOFA_ID = 1
# UIMA has its own features for these, begin and end.
POSITION_FIELDS = ("start", "end")
XMI_FEATURES = {
    "bcms.Passage": ("type",),
    "bcms.Finding": (
        *PRODUCER_FIELDS,
        "kind",
        *(name for name in EXPORTED_ANNOTATION_FIELDS if name not in POSITION_FIELDS),
    ),
}
LAST_BMP_CHARACTER = 0xFFFF


def write_xmi_zip_archive(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """The archive in pieces; only the names of its files are kept in memory."""
    archive = ZipArchiveWriter()
    for article in articles:
        archive.add(article.id, "xmi", "".join(_iter_cas_pieces(article)))
        yield archive.take_bytes()
    archive.add("TypeSystem", "xml", _format_type_system())
    yield archive.finish()


class Utf16Offsets:
    """Converts offsets in a text from code points to UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self.astral_offsets = [offset for offset, character in enumerate(text) if ord(character) > LAST_BMP_CHARACTER]

    def convert_offset(self, offset: int) -> int:
        return offset + bisect_left(self.astral_offsets, offset)


def _iter_cas_pieces(article: AnnotatedArticle) -> Iterator[str]:
    text = article.text
    utf16_offsets, ids, members = Utf16Offsets(text), count(SOFA_ID + 1), []

    def format_element(name: str, start: int, end: int, features: Mapping[str, str]) -> str:
        members.append(next(ids))
        attributes = {
            "xmi:id": str(members[-1]),
            "sofa": str(SOFA_ID),
            "begin": str(utf16_offsets.convert_offset(start)),
            "end": str(utf16_offsets.convert_offset(end)),
        }
        return f"<bcms:{name}{_format_xml_attributes({**attributes, **features})}/>\n"

    yield XMI_HEAD
    for start, passage in article.iter_passage_offsets():
        yield format_element("Passage", start, start + len(passage.text), {"type": passage.type})
    for producer, annotation in article.iter_annotations(*Kind):
        start, end = (
            (0, len(text)) if annotation.start is None or annotation.end is None else (annotation.start, annotation.end)
        )
        fields = {
            name: format_field_value_with_yes_no(value)
            for name, value in build_nonempty_export_fields(annotation).items()
            if name not in POSITION_FIELDS
        }
        yield format_element("Finding", start, end, producer.export_fields() | {"kind": annotation.kind.value} | fields)
    sofa = {"xmi:id": str(SOFA_ID), "sofaNum": "1", "sofaID": "_InitialView", "mimeType": "text", "sofaString": text}
    yield f"<cas:Sofa{_format_xml_attributes(sofa)}/>\n"
    yield f'<cas:View sofa="{SOFA_ID}" members="{" ".join(map(str, members))}"/>\n</xmi:XMI>\n'


def _format_xml_attributes(values: Mapping[str, str]) -> str:
    return "".join(f" {name}={_quote_xml_attribute(value)}" for name, value in values.items() if value != "")


def _quote_xml_attribute(text: str) -> str:
    """The value in quotation marks. White space is escaped because XML reads it as spaces."""
    return quoteattr(NOT_IN_XML.sub(REPLACEMENT, text), {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def _format_type_system() -> str:
    types = "".join(_format_type_description(name, features) for name, features in XMI_FEATURES.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">\n'
        f"<types>\n{types}</types>\n</typeSystemDescription>\n"
    )


def _format_type_description(name: str, features: Iterable[str]) -> str:
    descriptions = "".join(
        f"<featureDescription><name>{feature}</name><description/>"
        "<rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>\n"
        for feature in features
    )
    parent = "<supertypeName>uima.tcas.Annotation</supertypeName>"
    features_element = f"<features>\n{descriptions}</features>"
    return f"<typeDescription><name>{name}</name><description/>{parent}\n{features_element}</typeDescription>\n"
