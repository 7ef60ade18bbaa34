"""Mentions with their links, entities, relations and labels in files of annotated text, as annotations.

`python -m evaluation` and uploads of tasks with settings read files with these functions.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotations.formats.annotated_text.mentions import AnnotatedTextFile, TextRelation
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import (
    AnnotationData,
    Kind,
    RelationArgument,
    Shape,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)


@dataclass(frozen=True, slots=True)
class TextAnnotation:
    """An annotation of a document; line: where it stands in the file, from 1, or 0 if unknown."""

    document: str
    line: int
    annotation: AnnotationData


def list_text_annotations(annotated: AnnotatedTextFile) -> list[TextAnnotation]:
    """The mentions of a file with their links, then its entities, labels and relations."""
    found = []
    for mention in annotated.mentions:
        made = make_mention(
            mention.parts,
            mention.text,
            mention.type,
            mention.list_links(),
            confidence=mention.confidence,
            rank=mention.rank,
        )
        found.append(TextAnnotation(mention.document, mention.line, made))
    for entity in annotated.entities:
        for link in entity.list_links():
            made = make_entity(
                link,
                entity.type,
                taxon=entity.taxon,
                text=entity.text,
                confidence=entity.confidence,
                rank=entity.rank,
            )
            found.append(TextAnnotation(entity.document, entity.line, made))
    databases = _list_databases_most_frequent_first(found)
    for label in annotated.labels:
        if label.kind is Kind.LABEL:
            made = make_label(label.name, label.value, confidence=label.confidence)
            found.append(TextAnnotation(label.document, label.line, made))
    for relation in annotated.relations:
        found.append(TextAnnotation(relation.document, relation.line, _make_relation(relation, databases)))
    return found


def group_annotations_by_document(
    documents: Sequence[str], found: Iterable[TextAnnotation]
) -> dict[str, list[AnnotationData]]:
    """{document: annotations}; documents without any have an empty list."""
    grouped: dict[str, list[AnnotationData]] = {document: [] for document in documents}
    for each in found:
        grouped[each.document].append(each.annotation)
    return grouped


def _list_databases_most_frequent_first(found: Iterable[TextAnnotation]) -> tuple[str, ...]:
    links = (link for each in found for link in each.annotation.identifiers)
    counts = Counter(link.database for link in links if link.database)
    return tuple(database for database, _ in counts.most_common())


def _make_relation(relation: TextRelation, databases: tuple[str, ...]) -> AnnotationData:
    """The relation. A bare identifier that no mention of the document has is one of a database of the file."""
    arguments = [
        RelationArgument(
            argument.role,
            argument.list_links()
            if argument.exact or argument.type
            else parse_identifier_field(argument.given, "", databases),
            argument.spans,
            argument.type,
            argument.text,
        )
        for argument in relation.arguments
    ]
    return make_relation(
        relation.type,
        arguments,
        directed=relation.directed,
        qualifiers=dict(relation.qualifiers),
        evidence=relation.evidence,
        confidence=relation.confidence,
        rank=relation.rank,
    )


def describe_annotations(format_name: str, annotations: Sequence[AnnotationData]) -> str:
    """The format, and the numbers of mentions, links, relations and labels, as a note."""
    mentions = Counter(each.type or "no type" for each in annotations if each.shape is Shape.MENTION)
    relations = Counter(each.relation_type for each in annotations if each.shape is Shape.RELATION)
    entities = Counter(each.type or "no type" for each in annotations if each.shape is Shape.ENTITY)
    labels = Counter(each.text for each in annotations if each.kind is Kind.LABEL)
    links = sum(len(each.identifiers) for each in annotations)
    parts = [
        f"mentions: {_format_counts(mentions)}",
        f"links: {links:,}",
        *([f"entities: {_format_counts(entities)}"] if entities else []),
        *([f"relations: {_format_counts(relations)}"] if relations else []),
        *([f"labels: {_format_counts(labels)}"] if labels else []),
    ]
    return f"{format_name}; {'; '.join(parts)}"


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.most_common()) or "none"
