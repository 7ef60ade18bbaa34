"""The call-backs that a BeCalm server of the kit sends: what becalm_callbacks.py reads.

They are JSON. If a mention has several parts or reaches over a section, or there are relations, they are BioC, as only
BioC has these.
"""

from collections.abc import Sequence
from typing import NamedTuple

from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.bioc.writer import write_bioc_xml
from annotations.identifiers.curies import format_curie
from annotations.schema import AnnotationData, Kind
from servers.protocols.becalm_callbacks import UNKNOWN_BECALM_TYPE
from servers.protocols.json_messages import encode_json_message
from servers.protocols.open_members.predictions import list_types_to_request

PRODUCER = ExportedProducer("", "server")


class AnnotatedDocument(NamedTuple):
    """A document of a request with its annotations; the positions of these count in title, newline, abstract."""

    identifier: str
    title: str
    abstract: str
    annotations: Sequence[AnnotationData]


def build_becalm_callback(documents: Sequence[AnnotatedDocument]) -> tuple[str, bytes]:
    """The format (JSON or BIOC) and the body of a call-back about these documents: their mentions and relations."""
    if all(_fits_json(document, each) for document in documents for each in document.annotations):
        predictions = [
            _build_prediction(document, each)
            for document in documents
            for each in document.annotations
            if each.kind is Kind.MENTION
        ]
        return "JSON", encode_json_message(predictions)
    return "BIOC", "".join(write_bioc_xml(map(_make_annotated_article, documents))).encode()


def _fits_json(document: AnnotatedDocument, annotation: AnnotationData) -> bool:
    if annotation.kind is not Kind.MENTION:
        return annotation.kind is not Kind.RELATION
    [(start, end), *others] = annotation.parts
    return not others and (end <= len(document.title) or start > len(document.title))


def _build_prediction(document: AnnotatedDocument, mention: AnnotationData) -> dict[str, object]:
    [(start, end)] = mention.parts
    origin = 0 if end <= len(document.title) else len(document.title) + 1
    prediction = {
        "document_id": document.identifier,
        "section": "A" if origin else "T",
        "init": start - origin,
        "end": end - origin,
        "score": mention.confidence,
        "annotated_text": mention.text,
        "type": next(iter(list_types_to_request([mention.type])), UNKNOWN_BECALM_TYPE),
        "database_id": ",".join(map(format_curie, mention.identifiers)) or None,
    }
    return {name: value for name, value in prediction.items() if value is not None}


def _make_annotated_article(document: AnnotatedDocument) -> AnnotatedArticle:
    passages = [TextPassage("title", document.title), TextPassage("abstract", document.abstract)]
    results = [
        ProducerResult(PRODUCER, kind, [each for each in document.annotations if each.kind is kind])
        for kind in (Kind.MENTION, Kind.RELATION)
    ]
    ids = ArticleIds(int(document.identifier)) if document.identifier.isdecimal() else ArticleIds()
    return AnnotatedArticle(document.identifier, ids, passages, results=results)
