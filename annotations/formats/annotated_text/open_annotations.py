"""All annotations of an article in a file of annotated text: the seven kinds, links, relations, entities and labels."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter

from annotations.formats.annotated_text.article_annotations import ANNOTATION_BUILDERS, iter_pairs_of_relation
from annotations.formats.annotated_text.mentions import (
    LeftOut,
    TextArgument,
    TextEntity,
    TextLabel,
    TextMention,
    TextRelation,
)
from annotations.formats.articles.parsed_article import ParsedArticle
from annotations.schema import (
    RELEVANT_LABEL,
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)

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


@dataclass(slots=True)
class OpenContent:
    """The annotations of one article by kind, each once, in the order of the file, and what they lack of it."""

    annotations: dict[Kind, list[AnnotationData]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)


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
        return make_mention(
            mention.parts,
            text,
            mention.type[:LONGEST_TYPE],
            self.list_storable_links(mention.list_links(), mention),
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

    def make_entity(self, entity: TextEntity) -> AnnotationData | None:
        links = entity.list_links()
        if len(links) != 1 or not _is_storable(links[0]) or len(entity.type) > LONGEST_TYPE:
            self.leave_out(
                "entities", "it has no identifier, several, or a type or identifier that is too long", entity
            )
            return None
        made = make_entity(
            links[0],
            entity.type,
            taxon=entity.taxon,
            text=entity.text,
            confidence=entity.confidence,
            rank=entity.rank,
        )
        return replace(made, kind=entity.kind)

    def make_label(self, label: TextLabel) -> AnnotationData | None:
        if label.kind is Kind.CLASSIFICATION:
            relevant = label.value == RELEVANT_LABEL if label.value else None
            return AnnotationData(label.kind, label.confidence, label.rank, relevant=relevant)
        if len(label.name) > LONGEST_TYPE or not label.value:
            self.leave_out("labels", "its name is too long, or it has no value", label)
            return None
        return replace(make_label(label.name, label.value, confidence=label.confidence), rank=label.rank)

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
            return _make_pair_or_passage(relation)
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
        return make_relation(
            relation.type,
            arguments,
            directed=relation.directed,
            qualifiers=dict(relation.qualifiers),
            evidence=relation.evidence,
            confidence=relation.confidence,
            rank=relation.rank,
        )

    def find_argument_text(self, argument: TextArgument) -> str:
        if len(argument.spans) > 1:
            return " ".join(self.text[start:end] for start, end in argument.spans)
        return argument.text if argument.spans else ""

    def leave_out(self, part: str, reason: str, item: TextEntity | TextLabel | TextRelation) -> None:
        self.content.left_out.append(LeftOut(item.document, part, reason, item.line))


def _is_storable(entity: EntityId) -> bool:
    database, identifier = entity
    return bool(identifier) and len(identifier) <= LONGEST_IDENTIFIER and len(database) <= LONGEST_DATABASE


def _make_pair_or_passage(relation: TextRelation) -> AnnotationData:
    first, second = (argument.exact[0] for argument in relation.arguments)
    return AnnotationData(
        relation.kind,
        relation.confidence,
        relation.rank,
        text=relation.text,
        database=first.database,
        identifier=first.identifier,
        partner=second.identifier,
    )


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
