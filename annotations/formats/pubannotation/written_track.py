"""The annotations of one producer as PubAnnotation writes them: denotations, relations and attributes.

A mention is a denotation, with a list of spans if it has several parts; attributes hold its identifiers, confidence and
rank. An annotation of the whole article is a denotation of the whole text with the attribute `scope` set to `document`,
and so is an entity that relations refer to. A relation of two arguments is a relation, whose further members (roles,
qualifiers, evidence, confidence) PubAnnotation does not define: it has attributes of relations, but programs that only
know those of denotations fail on them. A relation of more arguments is a denotation of the whole text, like an event,
and each argument a relation to it, named for its role.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.articles.annotated_article import (
    ExportedProducer,
    ProducerResult,
    build_nonempty_export_fields,
    format_field_value_with_yes_no,
)
from annotations.formats.bioc.declared_infons import (
    ARGUMENT_KIND,
    KIND_INFON,
    QUALIFIER_PREFIX,
    YES,
    format_identifier_infons,
)
from annotations.formats.bioc.documents import DOCUMENT_SCOPE_INFON
from annotations.formats.pubannotation.chains import CHAIN_PREDICATE, FRAGMENT_OBJECT
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span

PubAnnotationJson = dict[str, object]
PUBANNOTATION_DEFAULT_TYPE = "mention"
ENTITY_OBJECT, PROTEIN_OBJECT, RELATION_OBJECT = "entity", "Protein", "relation"
# The name of the relation between an argument without a role and a relation of more than two arguments.
ARGUMENT_PREDICATE = "argument"
OBJECTS_WITH_MEANING = frozenset({PUBANNOTATION_DEFAULT_TYPE, FRAGMENT_OBJECT, ENTITY_OBJECT, RELATION_OBJECT})
MentionKey = tuple[tuple[Span, ...], str, str, tuple[EntityId, ...]]


@dataclass(slots=True)
class PubAnnotationTrack:
    """The annotations of one producer; IDs are unique in the track. text: of the article."""

    producer: ExportedProducer
    text: str
    kinds: list[str] = field(default_factory=list)
    denotations: list[PubAnnotationJson] = field(default_factory=list)
    relations: list[PubAnnotationJson] = field(default_factory=list)
    attributes: list[PubAnnotationJson] = field(default_factory=list)
    mention_ids: dict[MentionKey, str] = field(default_factory=dict)
    entity_ids: dict[tuple[str, Sequence[EntityId]], str] = field(default_factory=dict)
    entity_types: dict[Sequence[EntityId], str] = field(default_factory=dict)

    def add_results(self, results: Sequence[ProducerResult]) -> None:
        """Add the mentions first, because relations refer to them."""
        self.kinds = [result.kind.value for result in results]
        for result in sorted(results, key=lambda result: result.kind is not Kind.MENTION):
            for annotation in result.annotations:
                self.add_annotation(annotation)

    def add_annotation(self, annotation: AnnotationData) -> None:
        if annotation.kind is Kind.MENTION:
            self.add_mention(annotation)
        elif annotation.kind is Kind.PAIR:
            self.add_pair(annotation)
        elif annotation.kind is Kind.RELATION:
            self.add_relation_of_arguments(annotation)
        else:
            is_typed = annotation.kind is Kind.ENTITY and _is_plain_object(annotation.type)
            subject = self.add_document_denotation(annotation.type if is_typed else annotation.kind.value)
            self.add_attributes(subject, _build_fields(annotation))

    def add_mention(self, mention: AnnotationData) -> None:
        fields = _build_fields(mention)
        fields.pop("start"), fields.pop("end")
        mention_type = str(fields.pop("type", ""))
        key = (mention.parts, mention.type, mention.text, mention.identifiers)
        subject = self.add_mention_denotation(mention.parts, mention_type, str(fields.pop("text", "")), fields)
        self.add_attributes(subject, format_identifier_infons("identifier", mention.identifiers, mention.type))
        self.mention_ids.setdefault(key, subject)
        for identifiers in (mention.identifiers, *((each,) for each in mention.identifiers)):
            self.entity_types.setdefault(identifiers, mention.type)

    def add_mention_denotation(
        self, parts: Sequence[Span], mention_type: str, text: str, fields: Mapping[str, object]
    ) -> str:
        """Add a denotation with the attributes that its object and its spans do not say."""
        is_plain = _is_plain_object(mention_type)
        subject = self.add_denotation(parts, mention_type if is_plain else PUBANNOTATION_DEFAULT_TYPE)
        attributes = dict(fields)
        if mention_type and not is_plain:
            attributes["type"] = mention_type
        if len(parts) == 1 and text != self.text[parts[0].start : parts[0].end]:
            attributes["text"] = text
        self.add_attributes(subject, attributes)
        return subject

    def add_denotation(self, parts: Sequence[Span], object_text: str) -> str:
        denotation_id = f"T{len(self.denotations) + 1}"
        spans = _build_spans(parts)
        span = spans[0] if len(spans) == 1 else spans
        self.denotations.append({"id": denotation_id, "span": span, "obj": object_text})
        return denotation_id

    def add_document_denotation(self, object_text: str) -> str:
        subject = self.add_denotation([Span(0, len(self.text))], object_text)
        self.add_attributes(subject, dict([DOCUMENT_SCOPE_INFON]))
        return subject

    def add_pair(self, pair: AnnotationData) -> None:
        """Add the relation between two partners, each a denotation of the whole text."""
        subject, object_ = (
            self.find_or_add_entity(PROTEIN_OBJECT, (EntityId("", identifier),), {"identifier": identifier})
            for identifier in (pair.identifier, pair.partner)
        )
        self.add_relation("PPI", subject, object_, _build_fields(pair))

    def add_relation(self, predicate: str, subject: str, object_: str, members: Mapping[str, object]) -> None:
        relation_id = f"R{len(self.relations) + 1}"
        self.relations.append({"id": relation_id, "pred": predicate, "subj": subject, "obj": object_, **members})

    def add_relation_of_arguments(self, relation: AnnotationData) -> None:
        ids = [self.find_or_add_argument(argument) for argument in relation.arguments]
        roles = [argument.role for argument in relation.arguments]
        if len(ids) == 2:
            predicate = relation.type if _is_plain_predicate(relation.type) else RELATION_OBJECT
            self.add_relation(predicate, ids[0], ids[1], _build_relation_members(relation, predicate, roles))
            return
        event = self.add_document_denotation(relation.type if _is_plain_object(relation.type) else RELATION_OBJECT)
        self.add_attributes(event, _build_event_attributes(relation))
        for argument_id, role in zip(ids, roles, strict=True):
            members = {KIND_INFON: ARGUMENT_KIND, **({"role": role} if role else {})}
            predicate = role if _is_plain_predicate(role) else ARGUMENT_PREDICATE
            self.add_relation(predicate, argument_id, event, members)

    def find_or_add_argument(self, argument: RelationArgument) -> str:
        """The ID of the denotation of an argument: its mention, or one that is no annotation itself."""
        if not argument.spans:
            entity_type = self.entity_types.get(argument.identifiers, "")
            object_text = entity_type if _is_plain_object(entity_type) else ENTITY_OBJECT
            identifiers = format_identifier_infons("identifier", argument.identifiers, object_text)
            return self.find_or_add_entity(
                object_text, argument.identifiers, {KIND_INFON: ARGUMENT_KIND, **identifiers}
            )
        key = (argument.spans, argument.type, argument.text, argument.identifiers)
        if key not in self.mention_ids:
            self.mention_ids[key] = self.add_mention_denotation(
                argument.spans,
                argument.type,
                argument.text,
                {
                    KIND_INFON: ARGUMENT_KIND,
                    **format_identifier_infons("identifier", argument.identifiers, argument.type),
                },
            )
        return self.mention_ids[key]

    def find_or_add_entity(
        self, object_text: str, identifiers: Sequence[EntityId], attributes: Mapping[str, object]
    ) -> str:
        key = (object_text, identifiers)
        if key not in self.entity_ids:
            self.entity_ids[key] = self.add_document_denotation(object_text)
            self.add_attributes(self.entity_ids[key], attributes)
        return self.entity_ids[key]

    def add_attributes(self, subject: str, values: Mapping[str, object]) -> None:
        for key, value in values.items():
            attribute_id = f"A{len(self.attributes) + 1}"
            self.attributes.append({"id": attribute_id, "subj": subject, "pred": key, "obj": value})

    def build_json(self) -> PubAnnotationJson:
        header = {
            "project": self.producer.server or self.producer.name,
            **self.producer.export_fields(),
            "kinds": self.kinds,
        }
        annotations = {"denotations": self.denotations, "relations": self.relations, "attributes": self.attributes}
        return {**header, **annotations}


def _is_plain_object(entity_type: str) -> bool:
    """Whether readers take a type as the object of a denotation for nothing else.

    They split an object with a colon into type and identifier.
    """
    return bool(entity_type.strip()) and ":" not in entity_type and entity_type not in OBJECTS_WITH_MEANING


def _is_plain_predicate(name: str) -> bool:
    return bool(name.strip()) and name not in (CHAIN_PREDICATE, RELATION_OBJECT)


def _build_fields(annotation: AnnotationData) -> PubAnnotationJson:
    """The kind and the nonempty fields of an annotation; truth values as yes or no, as false means no value."""
    fields = build_nonempty_export_fields(annotation)
    values = {
        name: format_field_value_with_yes_no(value) if isinstance(value, bool) else value
        for name, value in fields.items()
    }
    return {KIND_INFON: annotation.kind.value, **values}


def _build_relation_members(relation: AnnotationData, predicate: str, roles: Sequence[str]) -> PubAnnotationJson:
    """What a relation of two arguments has besides them, without what is empty."""
    members = _build_fields(relation)
    if predicate == relation.type:
        members.pop("type", None)
    parts = relation.relation
    further: PubAnnotationJson = {
        "directed": YES if relation.is_directed else "",
        "roles": list(roles) if any(roles) else [],
        "qualifiers": dict(parts.qualifiers) if parts else {},
        "evidence": _build_spans(relation.evidence),
    }
    return {**members, **{name: value for name, value in further.items() if value}}


def _build_event_attributes(relation: AnnotationData) -> PubAnnotationJson:
    attributes = _build_fields(relation)
    if relation.is_directed:
        attributes["directed"] = YES
    for name, value in relation.relation.qualifiers if relation.relation else ():
        attributes[f"{QUALIFIER_PREFIX}{name}"] = value
    if relation.evidence:
        attributes["evidence"] = ";".join(f"{start}-{end}" for start, end in relation.evidence)
    return attributes


def _build_spans(spans: Sequence[Span]) -> list[dict[str, int]]:
    return [{"begin": start, "end": end} for start, end in spans]
