"""Reads annotations that exports write as JSON objects: the producer, the kind, its fields, and its open members.

The members are those of annotations/formats/articles/annotated_article.py and open_members.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import (
    InteractionPair,
    TextArgument,
    TextEntity,
    TextLabel,
    TextMention,
    TextRelation,
)
from annotations.formats.bioc.declared_infons import KIND_INFON, KINDS_BY_VALUE, LARGEST_NUMBER, PRODUCER_INFON
from annotations.formats.bioc.text_relations import MOST_ARGUMENTS
from annotations.formats.errors import quote_file_text
from annotations.identifiers.curies import format_curie
from annotations.identifiers.given_identifiers import parse_given_identifier, parse_identifier_field
from annotations.schema import (
    NOT_RELEVANT_LABEL,
    PAIR_RELATION_TYPE,
    RELEVANCE_LABEL_NAME,
    RELEVANT_LABEL,
    SHAPES,
    EntityId,
    Kind,
    Qualifier,
    Shape,
    Span,
)

Members = Mapping[str, object]
DeclaredItem = TextMention | TextRelation | TextEntity | TextLabel
# Beside the kind of a result without annotations.
FOUND_MEMBER, FOUND_NOTHING = "found", "nothing"


class InvalidMembersError(Exception):
    """The members are not those of an annotation; the message says what is wrong and, after a dash, how to fix it."""


def declares_annotation(members: object) -> bool:
    """Whether a JSON value is an annotation as exports write it."""
    return isinstance(members, dict) and PRODUCER_INFON in members and KIND_INFON in members


def parse_declared_kind(members: Members) -> Kind:
    """The kind that the members name. InvalidMembersError if it is none."""
    kind = KINDS_BY_VALUE.get(_get_text(members, KIND_INFON))
    if kind is None:
        shown = quote_file_text(str(members.get(KIND_INFON)))
        raise InvalidMembersError(f"{shown} is not a kind of annotation - write one of {', '.join(Kind)}")
    return kind


def parse_declared_annotation(members: Members, document: str, line: int, text_length: int) -> DeclaredItem | None:
    """The annotation of a document; None for the statement that a producer found nothing.

    line: where it stands in the file, from 1; text_length: that of the document in code points. InvalidMembersError for
    members that are not those of the kind.
    """
    kind = parse_declared_kind(members)
    if members.get(FOUND_MEMBER) == FOUND_NOTHING:
        return None
    match SHAPES[kind]:
        case Shape.MENTION:
            return _parse_mention(members, document, line, text_length)
        case Shape.ENTITY:
            return _parse_entity(members, kind, document, line)
        case Shape.LABEL:
            return _parse_label(members, kind, document, line)
        case Shape.RELATION if kind is Kind.RELATION:
            return _parse_relation(members, document, line, text_length)
        case _:
            return _parse_pair_or_passage(members, kind, document, line)


def collect_declared_item(collector: MentionCollector, kind: Kind, document: str, item: DeclaredItem | None) -> None:
    """Add an annotation, or the statement that there is none, to the content of a file."""
    collector.declare_kind(document, kind)
    if isinstance(item, TextMention):
        collector.append_mention(item)
    elif isinstance(item, TextEntity):
        collector.entities.append(item)
    elif isinstance(item, TextLabel):
        collector.labels.append(item)
        if item.kind is Kind.CLASSIFICATION:
            collector.add_class(document, item.value == RELEVANT_LABEL if item.value else None)
    elif isinstance(item, TextRelation):
        collector.relations.append(item)
        if item.kind is Kind.PAIR:
            first, second = (argument.exact[0].identifier for argument in item.arguments)
            collector.pairs.append(InteractionPair(document, first, second, "PPI", item.line))


def make_declared_mention(
    document: str, spans: Sequence[Span], text: str, entity_type: str, links: Sequence[EntityId], line: int
) -> TextMention:
    """A mention with links whose databases are known."""
    given = ";".join(map(format_curie, links))
    exact = () if parse_identifier_field(given, entity_type) == tuple(links) else tuple(links)
    return TextMention(
        document,
        spans[0].start,
        spans[-1].end,
        text,
        entity_type,
        split_distinct_identifiers_without_prefix(given),
        line,
        tuple(spans) if len(spans) > 1 else (),
        given,
        exact,
    )


def _parse_mention(members: Members, document: str, line: int, text_length: int) -> TextMention:
    start, end = _get_number(members, "start"), _get_number(members, "end")
    spans = _parse_spans(members, "spans", text_length)
    if not spans:
        spans = _check_spans([Span(start if start is not None else -1, end or 0)], text_length)
    links = _parse_identifiers(members)
    mention = make_declared_mention(
        document, spans, _get_text(members, "text"), _get_text(members, "type"), links, line
    )
    confidence, rank = _parse_certainty(members)
    return replace(mention, confidence=confidence, rank=rank)


def _parse_entity(members: Members, kind: Kind, document: str, line: int) -> TextEntity:
    identifier = _require_text(members, "identifier")
    confidence, rank = _parse_certainty(members)
    return TextEntity(
        document,
        _get_text(members, "type"),
        line,
        "",
        (EntityId(_get_text(members, "database"), identifier),),
        _get_number(members, "taxon", least=1),
        _get_text(members, "text"),
        confidence,
        rank,
        kind,
    )


def _parse_pair_or_passage(members: Members, kind: Kind, document: str, line: int) -> TextRelation:
    database = _get_text(members, "database")
    identifiers = [_require_text(members, name) for name in ("identifier", "partner")]
    arguments = tuple(TextArgument("", exact=(EntityId(database, identifier),)) for identifier in identifiers)
    confidence, rank = _parse_certainty(members)
    text = _get_text(members, "text") if kind is Kind.PASSAGE else ""
    relation_type = "PPI" if kind is Kind.PAIR else PAIR_RELATION_TYPE
    return TextRelation(
        document, relation_type, arguments, line, confidence=confidence, rank=rank, kind=kind, text=text
    )


def _parse_relation(members: Members, document: str, line: int, text_length: int) -> TextRelation:
    confidence, rank = _parse_certainty(members)
    arguments = tuple(_parse_argument(each, text_length) for each in _get_objects(members, "arguments"))
    if not 2 <= len(arguments) <= MOST_ARGUMENTS:
        problem = f"the relation has {len(arguments):,} arguments"
        raise InvalidMembersError(f"{problem} - write two to {MOST_ARGUMENTS}")
    qualifiers = members.get("qualifiers", {})
    if not isinstance(qualifiers, dict) or not all(isinstance(value, str) for value in qualifiers.values()):
        raise InvalidMembersError(
            "qualifiers is not an object of texts - write the value of each qualifier by its name"
        )
    return TextRelation(
        document,
        _get_text(members, "type"),
        arguments,
        line,
        members.get("directed") is True,
        tuple(Qualifier(name, value) for name, value in sorted(qualifiers.items())),
        tuple(sorted(set(_parse_spans(members, "evidence", text_length, may_overlap=True)))),
        confidence,
        rank,
    )


def _parse_argument(members: Members, text_length: int) -> TextArgument:
    spans, links = _parse_spans(members, "spans", text_length), _parse_identifiers(members)
    if not spans and not links:
        raise InvalidMembersError("an argument has neither identifiers nor spans - write what it relates")
    return TextArgument(
        _get_text(members, "role"),
        "",
        _get_text(members, "type"),
        spans,
        _get_text(members, "text"),
        links,
    )


def _parse_label(members: Members, kind: Kind, document: str, line: int) -> TextLabel:
    confidence, rank = _parse_certainty(members)
    name, value = _get_text(members, "type"), _get_text(members, "text")
    if kind is Kind.CLASSIFICATION:
        relevant = members.get("relevant")
        name = RELEVANCE_LABEL_NAME
        value = "" if relevant is None else RELEVANT_LABEL if relevant is True else NOT_RELEVANT_LABEL
    return TextLabel(document, name, value, line, confidence, rank, kind)


def _parse_certainty(members: Members) -> tuple[float | None, int | None]:
    """Confidence and rank."""
    confidence = members.get("confidence")
    if confidence is None:
        return None, _get_number(members, "rank", least=1)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence <= 1:
        raise InvalidMembersError(
            f"{quote_file_text(str(confidence))} is not a confidence - write a number above 0 and at most 1"
        )
    return float(confidence), _get_number(members, "rank", least=1)


def _parse_identifiers(members: Members) -> tuple[EntityId, ...]:
    return tuple(map(_parse_identifier, _get_objects(members, "identifiers")))


def _parse_identifier(members: Members) -> EntityId:
    if "identifier" in members:
        return EntityId(_get_text(members, "database"), _require_text(members, "identifier"))
    entity = parse_given_identifier(_require_text(members, "curie"))
    if entity is None:
        raise InvalidMembersError("an identifier is empty - write its database and identifier, or leave it out")
    return entity


def _parse_spans(members: Members, name: str, text_length: int, *, may_overlap: bool = False) -> tuple[Span, ...]:
    """The spans of a member, [[start, end], ...]; empty if it is missing."""
    value = members.get(name, [])
    if not isinstance(value, list) or not all(map(_is_pair_of_numbers, value)):
        raise InvalidMembersError(f"{name} is not a list of pairs of numbers - write [[start, end], ...]")
    return _check_spans([Span(*pair) for pair in value], text_length, may_overlap=may_overlap)


def _is_pair_of_numbers(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(each) is int for each in value)


def _check_spans(spans: Sequence[Span], text_length: int, *, may_overlap: bool = False) -> tuple[Span, ...]:
    for start, end in spans:
        if not 0 <= start < end <= text_length:
            problem = f"{start} to {end} is not a span of the text, which has {text_length:,} characters"
            raise InvalidMembersError(f"{problem} - count code points from the start of the text")
    if not may_overlap and any(first.end > second.start for first, second in pairwise(spans)):
        raise InvalidMembersError("the spans overlap or are not in the order of the text - sort them")
    return tuple(spans)


def _get_objects(members: Members, name: str) -> list[Members]:
    value = members.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidMembersError(f"{name} is not a list of objects - write one")
    return value


def _get_text(members: Members, name: str) -> str:
    """The text of a member; empty if it is missing."""
    value = members.get(name, "")
    if not isinstance(value, str):
        raise InvalidMembersError(f"{name} is {quote_file_text(str(value))}, not a text - write it in quotation marks")
    return value


def _require_text(members: Members, name: str) -> str:
    text = _get_text(members, name)
    if not text:
        raise InvalidMembersError(f"there is no {name} - write it")
    return text


def _get_number(members: Members, name: str, *, least: int = 0) -> int | None:
    value = members.get(name)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= LARGEST_NUMBER:
        problem = f"{name} is {quote_file_text(str(value))}"
        raise InvalidMembersError(f"{problem} - write a whole number from {least} to {LARGEST_NUMBER:,}")
    return value
