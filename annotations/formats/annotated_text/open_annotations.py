"""All annotations of an article in a file of annotated text: the seven kinds, links, relations, entities and labels."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import NamedTuple

from annotations.formats.annotated_text.article_annotations import ANNOTATION_BUILDERS, iter_pairs_of_relation
from annotations.formats.annotated_text.item_annotations import (
    build_entity_annotation,
    build_label_annotation,
    build_pair_or_passage_annotation,
    build_relation_annotation,
)
from annotations.formats.annotated_text.mentions import (
    LeftOut,
    TextArgument,
    TextEntity,
    TextLabel,
    TextMention,
    TextRelation,
)
from annotations.formats.articles.parsed_article import ParsedArticle
from annotations.identifiers.namespaces import is_malformed_identifier
from annotations.rules.relations import explain_qualifier_value
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, make_mention

# What the database and the rules for annotations allow.
LONGEST_TYPE = 100
LONGEST_ROLE = 64
LONGEST_IDENTIFIER = 200
LONGEST_DATABASE = 32
MOST_LINKS = 100
TOO_LONG = "a type, role or name is too long"
TOO_LONG_OR_MANY = (
    f"it has more than {LONGEST_IDENTIFIER} characters, or its mention more than {MOST_LINKS} identifiers"
)


class MalformedIdentifier(NamedTuple):
    """An identifier that does not have the form that its database documents, with its place in a file."""

    entity: EntityId
    document: str
    line: int


class OddQualifier(NamedTuple):
    """A value that a qualifier does not have, such as novelty "Perhaps", with its place in a file."""

    name: str
    explanation: str
    document: str
    line: int


@dataclass(slots=True)
class OpenContent:
    """The annotations of one article by kind, each once, in the order of the file, and what they lack of it.

    malformed: identifiers that are kept although their database refuses them. odd_qualifiers: kept although their value
    is not one of their list.
    """

    annotations: dict[Kind, list[AnnotationData]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    malformed: list[MalformedIdentifier] = field(default_factory=list)
    odd_qualifiers: list[OddQualifier] = field(default_factory=list)


def build_open_annotations(article: ParsedArticle) -> dict[Kind, list[AnnotationData]]:
    """{kind: annotations} of an article, each once, in the order of the file."""
    return build_open_content(article).annotations


def build_open_content(article: ParsedArticle) -> OpenContent:
    """The annotations of an article.

    A file that states the kinds of its annotations, as exports do, is taken at its word: only these kinds are built.
    From any other file, genes, organisms, pairs and the class are derived as well; its relations are kept as such
    unless they say no more than a pair. Kinds other than mentions are omitted if empty, unless the file states them.
    """
    return _OpenContentBuilder(article).build_content()


class _OpenContentBuilder:
    def __init__(self, article: ParsedArticle) -> None:
        self.article, self.text = article, article.text
        self.content = OpenContent(left_out=list(article.left_out))

    def build_content(self) -> OpenContent:
        declared = self.article.kinds
        for kind in [kind for kind in Kind if not declared or kind in declared]:
            found = list(_iter_distinct(self.iter_annotations(kind, is_declared=bool(declared))))
            if found or declared or kind is Kind.MENTION:
                self.content.annotations[kind] = found
        return self.content

    def iter_annotations(self, kind: Kind, *, is_declared: bool) -> Iterator[AnnotationData]:
        """The annotations of one kind, of which those that differ only in their links are not yet united."""
        if kind is Kind.MENTION:
            yield from map(self.make_mention, self.article.mentions)
            return
        if kind in ANNOTATION_BUILDERS and not is_declared:
            yield from ANNOTATION_BUILDERS[kind](self.article)
        builders: tuple[tuple[Iterable[object], Callable[..., AnnotationData | None]], ...] = (
            (self.article.entities, self.make_entity),
            (self.article.relations, self.make_relation_unless_pair if not is_declared else self.make_relation),
            (self.article.labels, self.make_label),
        )
        for items, make in builders:
            for item in items:
                if item.kind is kind and (annotation := make(item)):  # type: ignore[attr-defined]
                    yield annotation

    def make_mention(self, mention: TextMention) -> AnnotationData:
        text = " ".join(self.text[start:end] for start, end in mention.spans) if mention.spans else mention.text
        links = self.list_storable_links(mention.list_links(), mention)
        self.note_malformed(links, mention)
        if len(mention.type) > LONGEST_TYPE:
            self.leave_out("types", f"only their first {LONGEST_TYPE} characters are kept", mention)
        return make_mention(
            mention.parts,
            text,
            mention.type[:LONGEST_TYPE],
            links,
            confidence=mention.confidence,
            rank=mention.rank,
        )

    def list_storable_links(
        self, links: tuple[EntityId, ...], origin: TextMention | TextRelation
    ) -> tuple[EntityId, ...]:
        """The links that are not too long, at most MOST_LINKS."""
        if len(links) <= MOST_LINKS and all(map(_is_storable, links)):
            return links
        kept = tuple(filter(_is_storable, links))[:MOST_LINKS]
        lost = LeftOut(origin.document, "identifiers", TOO_LONG_OR_MANY, origin.line)
        self.content.left_out += [lost] * (len(links) - len(kept))
        return kept

    def note_malformed(self, links: Iterable[EntityId], origin: TextMention | TextEntity | TextRelation) -> None:
        self.content.malformed += [
            MalformedIdentifier(link, origin.document, origin.line) for link in links if is_malformed_identifier(*link)
        ]

    def note_odd_qualifiers(self, relation: TextRelation) -> None:
        self.content.odd_qualifiers += [
            OddQualifier(name, explanation, relation.document, relation.line)
            for name, value in relation.qualifiers
            if (explanation := explain_qualifier_value(name, value))
        ]

    def make_entity(self, entity: TextEntity) -> AnnotationData | None:
        links = entity.list_links()
        if len(links) != 1 or not _is_storable(links[0]) or len(entity.type) > LONGEST_TYPE:
            self.leave_out(
                "entities", "it has no identifier, several, or a type or identifier that is too long", entity
            )
            return None
        self.note_malformed(links, entity)
        return build_entity_annotation(entity, links[0])

    def make_label(self, label: TextLabel) -> AnnotationData | None:
        if label.kind is not Kind.CLASSIFICATION and (len(label.name) > LONGEST_TYPE or not label.value):
            self.leave_out("labels", "its name is too long, or it has no value", label)
            return None
        return build_label_annotation(label)

    def make_relation_unless_pair(self, relation: TextRelation) -> AnnotationData | None:
        """None for a relation that says no more than the pairs that are derived from it."""
        has_roles = any(argument.role or argument.spans for argument in relation.arguments)
        if (
            relation.type.lower() == "ppi"
            and not (has_roles or relation.qualifiers or relation.evidence)
            and len(relation.arguments) == 2
            and any(True for _ in iter_pairs_of_relation(relation))
        ):
            return None
        return self.make_relation(relation)

    def make_relation(self, relation: TextRelation) -> AnnotationData | None:
        if relation.kind is not Kind.RELATION:
            return build_pair_or_passage_annotation(relation)
        arguments = tuple(
            RelationArgument(
                argument.role,
                self.list_storable_links(argument.list_links(), relation),
                argument.spans,
                argument.type if argument.spans else "",
                self.find_argument_text(argument),
            )
            for argument in relation.arguments
        )
        if not all(argument.identifiers or argument.spans for argument in arguments):
            self.leave_out("relations", "an argument has neither an identifier nor a position in the text", relation)
            return None
        lengths = [len(argument.role) for argument in arguments] + [len(name) for name, _ in relation.qualifiers]
        types = (relation.type, *(argument.type for argument in arguments))
        if max(lengths) > LONGEST_ROLE or max(map(len, types)) > LONGEST_TYPE:
            self.leave_out("relations", TOO_LONG, relation)
            return None
        for argument in arguments:
            if not argument.spans:
                self.note_malformed(argument.identifiers, relation)
        self.note_odd_qualifiers(relation)
        return build_relation_annotation(relation, arguments)

    def find_argument_text(self, argument: TextArgument) -> str:
        if len(argument.spans) > 1:
            return " ".join(self.text[start:end] for start, end in argument.spans)
        return argument.text if argument.spans else ""

    def leave_out(self, part: str, reason: str, item: TextMention | TextEntity | TextLabel | TextRelation) -> None:
        self.content.left_out.append(LeftOut(item.document, part, reason, item.line))


def _is_storable(entity: EntityId) -> bool:
    database, identifier = entity
    return bool(identifier) and len(identifier) <= LONGEST_IDENTIFIER and len(database) <= LONGEST_DATABASE


# The fields of annotations that a repetition has, too.
_get_certain_fields = attrgetter(
    *(each.name for each in fields(AnnotationData) if each.name not in ("confidence", "rank", "identifiers"))
)


def _iter_distinct(annotations: Iterable[AnnotationData]) -> Iterator[AnnotationData]:
    """Each annotation once; mentions that differ only in links or certainty become one with the links of all."""
    united: dict[object, AnnotationData] = {}
    for annotation in annotations:
        key = _get_certain_fields(annotation)
        if known := united.get(key):
            links = tuple(dict.fromkeys((*known.identifiers, *annotation.identifiers)))
            united[key] = replace(known, identifiers=links) if links != known.identifiers else known
        else:
            united[key] = annotation
    return iter(united.values())
