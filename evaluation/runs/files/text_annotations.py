"""Mentions with their links, entities, relations and labels in files of annotated text, as annotations.

`python -m evaluation` and uploads of tasks with settings read files with these functions.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from annotations.formats.annotated_text.item_annotations import build_relation_annotation
from annotations.formats.annotated_text.mentions import (
    AnnotatedTextFile,
    TextArgument,
    TextEntity,
    TextMention,
    TextRelation,
)
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Shape,
    make_entity,
    make_label,
    make_mention,
)


def keep_type(spelling: str) -> str:
    """The type as the file spells it, for files of no task."""
    return spelling


@dataclass(frozen=True, slots=True)
class TextAnnotation:
    """An annotation of a document; line: where it stands in the file, from 1, or 0 if unknown."""

    document: str
    line: int
    annotation: AnnotationData


def list_text_annotations(
    annotated: AnnotatedTextFile, name_type: Callable[[str], str] = keep_type
) -> list[TextAnnotation]:
    """The mentions of a file with their links, then its entities, labels and relations.

    name_type: the type for a spelling in the file; a bare identifier is one of the database of this type.

    Parts of composite mentions are left out, because the composite mention has their identifiers. PubTator has these
    alone, and the official figures of BioCreative V CDR count them alone.
    """
    found = []
    for place, mention in enumerate(annotated.mentions):
        if place in annotated.individual_mentions:
            continue
        made = make_mention(
            mention.parts,
            mention.text,
            mention.type,
            _list_links(mention, name_type),
            confidence=mention.confidence,
            rank=mention.rank,
        )
        found.append(TextAnnotation(mention.document, mention.line, made))
    for entity in annotated.entities:
        for link in _list_links(entity, name_type):
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
        found.append(TextAnnotation(relation.document, relation.line, _make_relation(relation, databases, name_type)))
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


def _make_relation(
    relation: TextRelation, databases: tuple[str, ...], name_type: Callable[[str], str]
) -> AnnotationData:
    """The relation. A bare identifier is one of a database of the file if its type does not say of which it is, or no
    mention of the document has it.
    """
    arguments = [
        RelationArgument(
            argument.role,
            _list_links_of_argument(argument, databases, name_type),
            argument.spans,
            argument.type,
            argument.text,
        )
        for argument in relation.arguments
    ]
    return build_relation_annotation(relation, arguments)


def _list_links(item: TextMention | TextEntity | TextArgument, name_type: Callable[[str], str]) -> tuple[EntityId, ...]:
    return item.exact or parse_identifier_field(item.given, name_type(item.type))


def _list_links_of_argument(
    argument: TextArgument, databases: tuple[str, ...], name_type: Callable[[str], str]
) -> tuple[EntityId, ...]:
    if argument.exact:
        return argument.exact
    links = _list_links(argument, name_type) if argument.type else ()
    if links and all(link.database for link in links):
        return links
    return parse_identifier_field(argument.given, name_type(argument.type), databases)


def describe_annotations(format_name: str, annotations: Sequence[AnnotationData], individual_mentions: int = 0) -> str:
    """The format, and the numbers of mentions, links, relations and labels, as a note. individual_mentions: how many
    parts of composite mentions there are besides.
    """
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
        *([f"parts of composite mentions, not counted: {individual_mentions:,}"] if individual_mentions else []),
    ]
    return f"{format_name}; {'; '.join(parts)}"


def _format_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counts.most_common()) or "none"
