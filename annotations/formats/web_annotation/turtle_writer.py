"""Writes W3C Web Annotation in Turtle: the same page as in JSON-LD, one annotation after the other.

A library would need the whole page in memory to write it; this writer needs one annotation. Nodes without an id
are written where they are used. Sources: https://www.w3.org/TR/turtle/, https://www.w3.org/TR/annotation-vocab/
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.web_annotation.annotations import (
    ANNOTATION_TERM,
    ARTICLE_TERM,
    DEFAULT_PAGE_URL,
    TERM_NAMESPACE,
    WebAnnotationJson,
    iter_web_annotations,
)

PREFIXES = {
    "oa": "http://www.w3.org/ns/oa#",
    "as": "http://www.w3.org/ns/activitystreams#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "bcms": TERM_NAMESPACE,
}
# The properties of the JSON-LD context whose values are nodes, words of the vocabulary, texts, numbers and JSON.
NODE_PROPERTIES = {
    "creator": "dcterms:creator",
    "target": "oa:hasTarget",
    "body": "oa:hasBody",
    "source": "oa:hasSource",
    "selector": "oa:hasSelector",
}
WORD_PROPERTIES = {"motivation": "oa:motivatedBy", "purpose": "oa:hasPurpose"}
TEXT_PROPERTIES = {
    "value": "rdf:value",
    "format": "dc:format",
    "exact": "oa:exact",
    "prefix": "oa:prefix",
    "suffix": "oa:suffix",
    "name": "foaf:name",
}
NUMBER_PROPERTIES = {"start": "oa:start", "end": "oa:end"}
JSON_PROPERTIES = {ANNOTATION_TERM: f"bcms:{ANNOTATION_TERM}", ARTICLE_TERM: f"bcms:{ARTICLE_TERM}"}
OTHER_TYPES = {"Software": "as:Application", "foaf:Agent": "foaf:Agent"}
NOT_IN_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
ESCAPED_IN_TEXT = re.compile(r'[\\"\x00-\x1f\x7f\x85\u2028\u2029]')
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write_web_annotation_as_turtle(
    articles: Iterable[AnnotatedArticle], page_url: str = DEFAULT_PAGE_URL
) -> Iterator[str]:
    """One page with the ordered list of its annotations."""
    yield "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    page = f"{_format_iri(page_url)} a as:OrderedCollectionPage ; as:startIndex {_format_number(0)}"
    # The list is written as it grows; the last item leads to its end.
    numbers, last = count(1), ""
    yield f"{page} ; as:items "
    for article in articles:
        pieces = []
        for annotation in iter_web_annotations(article, page_url):
            item = f"_:item{next(numbers)}"
            pieces.append(f"{item} .\n" if not last else f"{last} rdf:rest {item} .\n")
            pieces.append(f"{item} rdf:first {_format_iri(str(annotation['id']))} .\n{_format_annotation(annotation)}")
            last = item
        yield "".join(pieces)
    yield f"{last} rdf:rest rdf:nil .\n" if last else "rdf:nil .\n"


def _format_annotation(annotation: WebAnnotationJson) -> str:
    properties = " ;\n  ".join(_iter_properties(annotation))
    return f"{_format_iri(str(annotation['id']))} {properties} .\n"


def _iter_properties(node: Mapping[str, object]) -> Iterator[str]:
    """Each property with its values."""
    for name, value in node.items():
        if name == "type":
            yield f"a {OTHER_TYPES.get(str(value), f'oa:{value}')}"
        elif name in NODE_PROPERTIES:
            nodes = value if isinstance(value, list) else [value]
            if nodes:
                yield f"{NODE_PROPERTIES[name]} {', '.join(map(_format_node, nodes))}"
        elif name in WORD_PROPERTIES:
            yield f"{WORD_PROPERTIES[name]} oa:{value}"
        elif name in TEXT_PROPERTIES:
            yield f"{TEXT_PROPERTIES[name]} {_format_text(str(value))}"
        elif name in NUMBER_PROPERTIES:
            yield f"{NUMBER_PROPERTIES[name]} {_format_number(value)}"
        elif name in JSON_PROPERTIES:
            text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            yield f"{JSON_PROPERTIES[name]} {_format_text(text)}^^rdf:JSON"


def _format_node(node: object) -> str:
    return f"[ {' ; '.join(_iter_properties(node))} ]" if isinstance(node, dict) else _format_iri(str(node))


def _format_iri(iri: str) -> str:
    escaped = NOT_IN_IRI.sub(lambda found: f"%{ord(found[0]):02X}", iri)
    return f"<{escaped}>"


def _format_number(value: object) -> str:
    return f'"{value}"^^xsd:nonNegativeInteger'


def _format_text(text: str) -> str:
    escaped = ESCAPED_IN_TEXT.sub(_escape_character, text)
    return f'"{escaped}"'


def _escape_character(found: re.Match[str]) -> str:
    return ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04X}"
