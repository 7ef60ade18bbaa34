"""Writes BioC in XML and JSON: passages with offsets, mentions in them, other annotations as relations of the document.

Infons hold what BioC has no element for: producer, server and the version of its system, kind, confidence, rank,
database, identifier, taxon; the links of a mention as CURIEs. An annotation of the whole article is a relation without
nodes; an interaction pair is one of type PPI with Gene1 and Gene2. written_document.py describes relations between
mentions and entities. A result without annotations is a relation of type `none`. Offsets count code points.
Source: BioC.dtd, Comeau et al. 2013, doi:10.1093/database/bat064.
"""

import json
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.bioc.declared_infons import Infons
from annotations.formats.bioc.written_document import (
    WrittenDocument,
    WrittenMention,
    WrittenPassage,
    build_written_document,
)
from bcms.lib.xml_text import (
    escape_xml_text_replacing_invalid_characters,
    quote_xml_attribute_replacing_invalid_characters,
)

BIOC_XML_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source>BioCreative Meta-Server</source><date/><key>bcms</key>\n"
)
BIOC_JSON_HEAD = '{"source": "BioCreative Meta-Server", "date": "", "key": "bcms", "infons": {}, "documents": [\n'


def write_bioc_xml(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One collection, in one piece per document. Characters that XML does not allow become U+FFFD, one for one."""
    yield BIOC_XML_HEAD
    for article in articles:
        yield "".join(_iter_bioc_xml_pieces(build_written_document(article)))
    yield "</collection>\n"


def write_bioc_json(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One collection, with one document per line."""
    separator = BIOC_JSON_HEAD
    for article in articles:
        yield separator + json.dumps(_build_bioc_json_document(build_written_document(article)), ensure_ascii=False)
        separator = ",\n"
    yield (BIOC_JSON_HEAD if separator == BIOC_JSON_HEAD else "\n") + "]}\n"


def _iter_bioc_xml_pieces(document: WrittenDocument) -> Iterator[str]:
    document_id = escape_xml_text_replacing_invalid_characters(document.id)
    yield f"<document><id>{document_id}</id>{_format_xml_infons(document.infons)}\n"
    for passage in document.passages:
        yield f"<passage>{_format_xml_infons(passage.infons)}<offset>{passage.offset}</offset>"
        yield f"<text>{escape_xml_text_replacing_invalid_characters(passage.passage.text)}</text>\n"
        for mention in passage.mentions:
            places = "".join(f'<location offset="{start}" length="{end - start}"/>' for start, end in mention.spans)
            text = f"<text>{escape_xml_text_replacing_invalid_characters(mention.text)}</text>"
            yield f'<annotation id="{mention.id}">{_format_xml_infons(mention.infons)}{places}{text}</annotation>\n'
        yield "</passage>\n"
    for relation in document.relations:
        nodes = "".join(
            f'<node refid="{node}" role={quote_xml_attribute_replacing_invalid_characters(role)}/>'
            for node, role in relation.nodes
        )
        yield f'<relation id="{relation.id}">{_format_xml_infons(relation.infons)}{nodes}</relation>\n'
    yield "</document>\n"


def _format_xml_infons(infons: Infons) -> str:
    return "".join(_format_xml_infon(key, value) for key, value in infons.items())


def _format_xml_infon(key: str, value: str) -> str:
    attribute = quote_xml_attribute_replacing_invalid_characters(key)
    return f"<infon key={attribute}>{escape_xml_text_replacing_invalid_characters(value)}</infon>"


def _build_bioc_json_document(document: WrittenDocument) -> dict[str, object]:
    return {
        "id": document.id,
        "infons": document.infons,
        "passages": [_build_bioc_json_passage(passage) for passage in document.passages],
        "annotations": [],
        "relations": [
            {
                "id": relation.id,
                "infons": relation.infons,
                "nodes": [{"refid": node, "role": role} for node, role in relation.nodes],
            }
            for relation in document.relations
        ],
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
    locations = [{"offset": start, "length": end - start} for start, end in mention.spans]
    return {"id": mention.id, "infons": mention.infons, "text": mention.text, "locations": locations}
