"""Articles as W3C Web Annotations, in the terms of its JSON-LD context; the writers give them as JSON-LD or Turtle.

The first annotation of an article has its text as body and its record as `article`. Each other one has the whole
annotation as `finding`, and what any program can read: a mention targets spans of the article by position, in code
points of its canonical text, and by quotation, with a target for each part. A relation targets its evidence, or else
its mentions; all other kinds target the article. Bodies are types, texts, and the IRIs of database entries.
Source: https://www.w3.org/TR/annotation-model/
"""

from collections.abc import Iterator
from itertools import count
from urllib.parse import quote, urljoin

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    build_nonempty_export_members,
)
from annotations.formats.articles.article_record import build_article_record
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Shape, Span

WebAnnotationJson = dict[str, object]
WEB_ANNOTATION_CONTEXT_URL = "http://www.w3.org/ns/anno.jsonld"
# The terms for JSON that only exports of a BioCreative Meta-Server have.
ANNOTATION_TERM, ARTICLE_TERM = "finding", "article"
TERM_NAMESPACE = "tag:bcms,2026:"
# In place of the address of a page, where a file is written to no address.
DEFAULT_PAGE_URL = "tag:bcms,2026:page"
# In an article record: the kinds that a producer found nothing of.
FOUND_NOTHING_MEMBER = "found_nothing"
WEB_ANNOTATION_PROGRAM_KINDS = ("server", "run", "consensus")
# Characters quoted before and after a mention, to distinguish it from others with the same text.
QUOTE_CONTEXT_LENGTH = 32
MOTIVATIONS = {
    Shape.MENTION: "tagging",
    Shape.ENTITY: "identifying",
    Shape.RELATION: "linking",
    Shape.LABEL: "classifying",
}


def iter_web_annotations(article: AnnotatedArticle, page_url: str) -> Iterator[WebAnnotationJson]:
    """The annotations of an article; their ids are fragments of the page."""
    builder = _AnnotationBuilder(article, page_url)
    yield builder.build_article_annotation()
    for producer, annotation in article.iter_annotations(*Kind):
        yield builder.build_annotation(producer, annotation)


class _AnnotationBuilder:
    """Builds the annotations of one article, numbered from 1."""

    def __init__(self, article: AnnotatedArticle, page_url: str) -> None:
        self.article, self.text = article, article.text
        self.source = _build_article_url(article, page_url)
        self.id_start = f"{page_url}#{quote(article.id)}"
        self.numbers = count(1)

    def build_article_annotation(self) -> WebAnnotationJson:
        nothing = [
            result.producer.export_fields() | {"kind": result.kind.value}
            for result in self.article.results
            if not result.annotations
        ]
        return {
            "id": self.id_start,
            "type": "Annotation",
            "motivation": "describing",
            "target": self.source,
            "body": {"type": "TextualBody", "purpose": "describing", "format": "text/plain", "value": self.text},
            ARTICLE_TERM: build_article_record(self.article) | {FOUND_NOTHING_MEMBER: nothing},
        }

    def build_annotation(self, producer: ExportedProducer, annotation: AnnotationData) -> WebAnnotationJson:
        is_program = producer.producer_kind in WEB_ANNOTATION_PROGRAM_KINDS
        return {
            "id": f"{self.id_start}-{next(self.numbers)}",
            "type": "Annotation",
            "motivation": MOTIVATIONS[annotation.shape],
            "creator": {"type": "Software" if is_program else "foaf:Agent", "name": producer.name},
            "target": self.build_target(_list_target_spans(annotation)),
            "body": list(self.iter_bodies(annotation)),
            ANNOTATION_TERM: producer.export_fields()
            | {"article": self.article.id, "kind": annotation.kind.value}
            | dict(build_nonempty_export_members(annotation)),
        }

    def build_target(self, spans: list[Span]) -> object:
        targets = [self.select_span(span) for span in spans]
        return targets if len(targets) > 1 else targets[0] if targets else self.source

    def select_span(self, span: Span) -> WebAnnotationJson:
        start, end = span
        quotation = {
            "type": "TextQuoteSelector",
            "exact": self.text[start:end],
            "prefix": self.text[max(0, start - QUOTE_CONTEXT_LENGTH) : start],
            "suffix": self.text[end : end + QUOTE_CONTEXT_LENGTH],
        }
        position = {"type": "TextPositionSelector", "start": start, "end": end}
        return {"type": "SpecificResource", "source": self.source, "selector": [position, quotation]}

    def iter_bodies(self, annotation: AnnotationData) -> Iterator[WebAnnotationJson]:
        """The annotation as texts and IRIs, which any program can read."""
        if annotation.label:
            yield _make_textual_body("classifying", ": ".join(annotation.label))
        elif annotation.type:
            yield _make_textual_body("tagging", annotation.type)
        if annotation.relation is None:
            yield from map(_make_identifying_body, dict.fromkeys(annotation.iter_entity_ids()))
        else:
            for argument in annotation.arguments:
                yield from self.iter_argument_bodies(argument)
            for name, value in annotation.relation.qualifiers:
                yield _make_textual_body("describing", f"{name}: {value}")
        if annotation.kind is Kind.PASSAGE:
            yield _make_textual_body("describing", annotation.text)

    def iter_argument_bodies(self, argument: RelationArgument) -> Iterator[WebAnnotationJson]:
        """The spans of an argument that is a mention, otherwise its identifiers."""
        for span in argument.spans:
            yield self.select_span(span) | {"purpose": "linking"}
        if not argument.spans:
            yield from map(_make_identifying_body, argument.identifiers)


def _build_article_url(article: AnnotatedArticle, page_url: str) -> str:
    """The URL of the article at PubMed or its DOI, or else on the site."""
    pubmed, doi = (
        build_entry_url_or_empty("pubmed", str(article.ids.pmid or "")),
        build_entry_url_or_empty("doi", article.ids.doi),
    )
    if pubmed or doi:
        return pubmed or doi
    if page_url.startswith("http"):
        return urljoin(page_url, f"/articles/{quote(article.id)}/")
    return f"{TERM_NAMESPACE}articles/{quote(article.id)}"


def _list_target_spans(annotation: AnnotationData) -> list[Span]:
    """The parts of a mention; the evidence of a relation, or else its mentions; empty for what has no position."""
    if annotation.relation is None:
        return list(annotation.parts)
    return list(annotation.evidence) or list(
        dict.fromkeys(span for argument in annotation.arguments for span in argument.spans)
    )


def _make_identifying_body(entity: EntityId) -> WebAnnotationJson:
    """The IRI of an entry, or its CURIE if its database is unknown or has no pages."""
    if url := build_entry_url_or_empty(*entity):
        return {"type": "SpecificResource", "source": url, "purpose": "identifying"}
    return _make_textual_body("identifying", format_curie_for_readers(entity))


def _make_textual_body(purpose: str, text: str) -> WebAnnotationJson:
    return {"type": "TextualBody", "purpose": purpose, "value": text}
