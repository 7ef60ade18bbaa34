"""An article as BioC writes it, in XML or in JSON: passages with annotations in them, and relations.

Mentions are annotations, with a location for each part. An argument of a relation that is a mention is a node which
refers to an annotation: the mention, if its producer found the same, or else one of kind `argument` that no reader of
this form takes for a mention. An argument that is an entity is in the infons, as in BioRED: entity1 is the first
argument, role1 its role. Passages that are evidence are annotations of type Passage, to which nodes refer, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    ProducerResult,
    build_nonempty_export_fields,
    format_field_value_with_yes_no,
)
from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.bioc.declared_infons import (
    ARGUMENT_KIND,
    EVIDENCE_KIND,
    EVIDENCE_ROLE,
    EVIDENCE_TYPE,
    INFONS_BY_QUALIFIER,
    KIND_INFON,
    LABEL_PREFIX,
    QUALIFIER_PREFIX,
    YES,
    Infons,
    format_identifier_infons,
)
from annotations.formats.bioc.documents import CANONICAL_PASSAGES_INFON
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, RelationParts, Span

NO_ANNOTATIONS_TYPE = "none"
MentionKey = tuple[ExportedProducer, tuple[Span, ...], str, str, tuple[EntityId, ...]]


@dataclass(frozen=True, slots=True)
class WrittenMention:
    """An annotation; spans: its parts."""

    id: str
    infons: Infons
    spans: Sequence[Span]
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
    """A relation; nodes: IDs of annotations with their roles."""

    id: str
    infons: Infons
    nodes: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    id: str
    infons: Infons
    passages: list[WrittenPassage]
    relations: list[WrittenRelation]


def build_written_document(article: AnnotatedArticle) -> WrittenDocument:
    """The article with each annotation in the passage in which it starts."""
    return _DocumentBuilder(article).build_document()


class _DocumentBuilder:
    """Builds a document; annotation_count: those so far, of which the mentions come first."""

    def __init__(self, article: AnnotatedArticle) -> None:
        self.article = article
        self.passages = [WrittenPassage(start, passage) for start, passage in article.iter_passage_offsets()]
        self.annotation_count = 0
        self.mention_ids: dict[MentionKey, str] = {}
        self.evidence_ids: dict[tuple[ExportedProducer, Span], str] = {}

    def build_document(self) -> WrittenDocument:
        for producer, annotation in self.article.iter_annotations(Kind.MENTION):
            self.annotation_count += 1
            if annotation.parts:
                infons = _build_annotation_infons(producer, annotation)
                mention_id = self.add_annotation(infons, annotation.parts, annotation.text)
                key = (producer, annotation.parts, annotation.type, annotation.text, annotation.identifiers)
                self.mention_ids.setdefault(key, mention_id)
        contents = [content for result in self.article.results for content in self.iter_relations(result)]
        relations = [WrittenRelation(f"R{number}", *content) for number, content in enumerate(contents, 1)]
        return WrittenDocument(self.article.id, _build_article_infons(self.article), self.passages, relations)

    def add_annotation(self, infons: Infons, spans: Sequence[Span], text: str) -> str:
        annotation_id = f"T{self.annotation_count}"
        passage = _find_passage_containing_start(self.passages, spans[0].start)
        passage.mentions.append(WrittenMention(annotation_id, infons, spans, text))
        return annotation_id

    def iter_relations(self, result: ProducerResult) -> Iterator[tuple[Infons, Sequence[tuple[str, str]]]]:
        """Infons and nodes for each annotation without a position, and for a result without annotations."""
        if not result.annotations:
            yield {"type": NO_ANNOTATIONS_TYPE} | _build_producer_infons(result.producer, result.kind.value), ()
        elif result.kind is not Kind.MENTION:
            for annotation in result.annotations:
                infons = {
                    **_build_relation_type_infons(annotation),
                    **_build_annotation_infons(result.producer, annotation),
                }
                if annotation.relation is None:
                    yield infons, ()
                else:
                    nodes = list(self.iter_nodes(result.producer, annotation.relation))
                    yield {**infons, **_build_relation_infons(annotation.relation)}, nodes

    def iter_nodes(self, producer: ExportedProducer, relation: RelationParts) -> Iterator[tuple[str, str]]:
        """The IDs of the annotations that a relation refers to, with their roles; annotations are added if needed."""
        for argument in relation.arguments:
            if argument.spans:
                yield self.find_or_add_argument(producer, argument), argument.role
        for span in relation.evidence:
            if (producer, span) not in self.evidence_ids:
                self.annotation_count += 1
                infons = {"type": EVIDENCE_TYPE} | _build_producer_infons(producer, EVIDENCE_KIND)
                text = self.article.text[span.start : span.end]
                self.evidence_ids[producer, span] = self.add_annotation(infons, (span,), text)
            yield self.evidence_ids[producer, span], EVIDENCE_ROLE

    def find_or_add_argument(self, producer: ExportedProducer, argument: RelationArgument) -> str:
        key = (producer, argument.spans, argument.type, argument.text, argument.identifiers)
        if key not in self.mention_ids:
            self.annotation_count += 1
            infons = _build_producer_infons(producer, ARGUMENT_KIND) | {
                "type": argument.type,
                **format_identifier_infons("identifier", argument.identifiers, argument.type),
            }
            self.mention_ids[key] = self.add_annotation(infons, argument.spans, argument.text)
        return self.mention_ids[key]


def _find_passage_containing_start(passages: list[WrittenPassage], start: int) -> WrittenPassage:
    """The last passage that begins at or before a position."""
    low, high = 0, len(passages)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passages[middle].offset <= start else (low, middle)
    return passages[low]


def _build_article_infons(article: AnnotatedArticle) -> Infons:
    """Metadata of the article, with the keys that PubMed Central uses in BioC where it has any, and its only labels."""
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
        **_build_label_infons(article),
    }
    return {key: value for key, value in infons.items() if value} | dict([CANONICAL_PASSAGES_INFON])


def _build_label_infons(article: AnnotatedArticle) -> dict[str, str]:
    """The labels of sets from which the article has one value."""
    values: dict[str, set[str]] = {}
    for _, annotation in article.iter_annotations(Kind.LABEL):
        values.setdefault(annotation.type, set()).add(annotation.text)
    return {f"{LABEL_PREFIX}{name}": "".join(texts) for name, texts in values.items() if len(texts) == 1}


def _build_annotation_infons(producer: ExportedProducer, annotation: AnnotationData) -> Infons:
    """The producer and the fields of an annotation, without its position, for which BioC has elements."""
    infons = {
        key: format_field_value_with_yes_no(value)
        for key, value in build_nonempty_export_fields(annotation).items()
        if key not in ("start", "end")
    }
    if annotation.kind is Kind.MENTION:
        infons.pop("text", None)
        infons |= format_identifier_infons("identifier", annotation.identifiers, annotation.type)
    return _build_producer_infons(producer, annotation.kind.value) | infons


def _build_producer_infons(producer: ExportedProducer, kind: str) -> dict[str, str]:
    infons = producer.export_fields() | {KIND_INFON: kind}
    return {key: value for key, value in infons.items() if value}


def _build_relation_type_infons(annotation: AnnotationData) -> dict[str, str]:
    if annotation.kind in (Kind.ENTITY, Kind.RELATION, Kind.LABEL):
        return {"type": annotation.type}
    if annotation.kind is not Kind.PAIR:
        return {"type": annotation.kind.value}
    return {"type": "PPI", "Gene1": annotation.identifier, "Gene2": annotation.partner}


def _build_relation_infons(relation: RelationParts) -> Infons:
    """The arguments that are entities, by their places, qualifiers, and whether the relation is directed."""
    infons = {"directed": YES} if relation.directed else {}
    for place, argument in enumerate(relation.arguments, 1):
        if not argument.spans:
            infons |= format_identifier_infons(f"entity{place}", argument.identifiers)
            if argument.role:
                infons[f"role{place}"] = argument.role
    for name, value in relation.qualifiers:
        key = INFONS_BY_QUALIFIER.get(name) if value else None
        infons[key or f"{QUALIFIER_PREFIX}{name}"] = value
    return infons
