"""Entities and labels of articles in answers."""

from collections.abc import Mapping

from annotations.schema import AnnotationData, EntityId, make_entity, make_label
from servers.protocols.answer_fields import AnswerFields
from servers.protocols.open_members.identifiers import read_entity_id

ENTITY_FIELDS = ("database", "identifier", "type", "taxon", "text", "confidence", "rank")
LABEL_FIELDS = ("name", "value", "confidence")
# The fields of AnnotationData that a label has by other names.
LABEL_FIELD_NAMES = {"type": "name", "text": "value"}


def read_entity(fields: AnswerFields, names: Mapping[str, str]) -> AnnotationData:
    """The entity in a struct; names are those of the protocol where they differ. Raises MalformedValueError."""
    database, identifier, taxon = (names.get(name, name) for name in ("database", "identifier", "taxon"))
    identifier = "curie" if fields.values.get("curie") is not None else identifier
    entity_type = fields.find_text("type")
    return make_entity(
        read_entity_id(fields, database, identifier, entity_type) or EntityId("", ""),
        entity_type,
        taxon=fields.find_integer(taxon),
        text=fields.find_text("text"),
        confidence=fields.find_number("confidence"),
        rank=fields.find_integer("rank"),
    )


def build_entity_fields(entity: AnnotationData, names: Mapping[str, str]) -> dict[str, object]:
    """The members of an entity: the inverse of read_entity. Its database is always among them."""
    values = {name: getattr(entity, name) for name in ENTITY_FIELDS}
    return {
        names.get(name, name): value for name, value in values.items() if name == "database" or value not in (None, "")
    }


def read_label(fields: AnswerFields) -> AnnotationData:
    """The label in a struct. Raises MalformedValueError."""
    return make_label(
        fields.require_text("name"),
        fields.require_text_or_digits("value"),
        confidence=fields.find_number("confidence"),
    )


def build_label_fields(label: AnnotationData) -> dict[str, object]:
    return {"name": label.type, "value": label.text, "confidence": label.confidence}
