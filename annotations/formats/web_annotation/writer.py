"""Writes W3C Web Annotation: one page of annotations in JSON-LD, each with its target, body and creator.

A mention targets a span of the article by position, in code points of the canonical text, and by quotation; other kinds
target the article. Bodies are types, texts, and the pages of database entries. `finding` holds all fields of the
annotation as JSON. Relative URLs refer to the site. Source: https://www.w3.org/TR/annotation-model/
"""

import json
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    build_nonempty_export_fields,
)
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.schema import AnnotationData, Kind

WebAnnotationJson = dict[str, object]
WEB_ANNOTATION_CONTEXT = [
    "http://www.w3.org/ns/anno.jsonld",
    {"finding": {"@id": "tag:bcms,2026:finding", "@type": "@json"}},
]
WEB_ANNOTATION_HEAD = f'{{"@context": {json.dumps(WEB_ANNOTATION_CONTEXT)}, "type": "AnnotationPage", "items": [\n'
WEB_ANNOTATION_PROGRAM_KINDS = ("server", "run", "consensus")
# Characters quoted before and after a mention, to distinguish it from others with the same text.
QUOTE_CONTEXT_LENGTH = 32


def write_web_annotation(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One page, with one annotation per line."""
    separator = WEB_ANNOTATION_HEAD
    for article in articles:
        text = article.text
        for number, (producer, annotation) in enumerate(article.iter_annotations(*Kind), 1):
            web_annotation = _build_web_annotation(article, text, f"#{article.id}-{number}", producer, annotation)
            yield separator + json.dumps(web_annotation, ensure_ascii=False)
            separator = ",\n"
    yield (WEB_ANNOTATION_HEAD if separator == WEB_ANNOTATION_HEAD else "\n") + "]}\n"


def _build_web_annotation(
    article: AnnotatedArticle, text: str, annotation_id: str, producer: ExportedProducer, annotation: AnnotationData
) -> WebAnnotationJson:
    return {
        "id": annotation_id,
        "type": "Annotation",
        "motivation": "tagging" if annotation.kind is Kind.MENTION else "classifying",
        "creator": {
            "type": "Software" if producer.producer_kind in WEB_ANNOTATION_PROGRAM_KINDS else "Agent",
            "name": producer.name,
        },
        "target": _build_annotation_target(article, text, annotation),
        "body": list(_iter_annotation_bodies(annotation)),
        "finding": producer.export_fields()
        | {"article": article.id, "kind": annotation.kind.value}
        | dict(build_nonempty_export_fields(annotation)),
    }


def _build_annotation_target(
    article: AnnotatedArticle, text: str, annotation: AnnotationData
) -> WebAnnotationJson | str:
    source = _build_article_address(article)
    start, end = annotation.start, annotation.end
    if start is None or end is None:
        return source
    before, after = text[max(0, start - QUOTE_CONTEXT_LENGTH) : start], text[end : end + QUOTE_CONTEXT_LENGTH]
    quote = {"type": "TextQuoteSelector", "exact": text[start:end], "prefix": before, "suffix": after}
    position = {"type": "TextPositionSelector", "start": start, "end": end}
    return {"type": "SpecificResource", "source": source, "selector": [position, quote]}


def _build_article_address(article: AnnotatedArticle) -> str:
    """The URL of the article at PubMed or its DOI, or else on the site."""
    pubmed, doi = (
        build_entry_url_or_empty("pubmed", str(article.ids.pmid or "")),
        build_entry_url_or_empty("doi", article.ids.doi),
    )
    return pubmed or doi or f"/articles/{article.id}/"


def _iter_annotation_bodies(annotation: AnnotationData) -> Iterator[WebAnnotationJson]:
    """The annotation as texts and pages of database entries, which any program can read."""
    if annotation.kind is Kind.CLASSIFICATION:
        yield _make_tagging_body("interaction article" if annotation.relevant else "no interaction article")
    if annotation.type:
        yield _make_tagging_body(annotation.type)
    for identifier in filter(None, (annotation.identifier, annotation.partner)):
        page = build_entry_url_or_empty(annotation.database, identifier)
        yield (
            {"id": page, "purpose": "identifying"}
            if page
            else _make_tagging_body(f"{annotation.database}:{identifier}")
        )
    if annotation.kind is Kind.PASSAGE:
        yield {"type": "TextualBody", "purpose": "describing", "value": annotation.text}


def _make_tagging_body(text: str) -> WebAnnotationJson:
    return {"type": "TextualBody", "purpose": "tagging", "value": text}
